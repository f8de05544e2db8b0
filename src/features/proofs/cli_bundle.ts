import { createHash } from 'node:crypto'
import { badRequest } from '../../base/errors.ts'
import { base64, fromBase64 } from '../../base/bytes.ts'
import { jsonOf } from '../../base/text.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Policy } from '../../models/documents/policy.ts'
import { sideMetrics } from '../../rules/cost.ts'
import { type Evidence, confidenceOf } from '../../rules/evidence.ts'
import { isPassed } from '../../rules/judge.ts'
import type { PublicKey } from '../../rules/keys.ts'
import { POINT_LIMITS } from '../../rules/policy.ts'
import { CONFIDENCE } from '../../rules/result.ts'
import type { LogRecord } from '../../ledger/trail/chain.ts'
import { FACT_OF } from '../../models/names.ts'
import { FORMAT } from './cli_prove.ts'
import { GrowingLog, digest } from './cli_growing_log.ts'
import { type Checkpoint, originOf, readCheckpoint } from './rules_checkpoint.ts'
import { type Hash, isSame, leafBytes, nodeBytes } from './rules_merkle.ts'
import { isNoteSignedBy, noteText, readNote } from './rules_note.ts'

/** What a bundle holds, as the verifiers of examples/verify say it. */
interface BundleFacts {
  readonly entries: number
  readonly head: string
  readonly size: number
  readonly decisions: number
}

/** A line of a bundle (docs/project/audit-format.md). */
interface Line {
  readonly log_seq: number
  readonly entry: string
  readonly fact?: string
  readonly proof?: readonly string[]
}

/**
 * Verifies a bundle without any ledger, as verify.py does: the same checks in the same order, with the same words. Returns the
 * first problem as a text. Throws 400 for a file that is no bundle.
 */
export async function verifyBundle(
  text: string,
  name: string,
  key: PublicKey | undefined,
): Promise<BundleFacts | string> {
  const [first = '', ...lines] = text.split('\n')
  const header = (text === '' ? null : jsonOf(first)) as
    | { format?: unknown; checkpoint?: unknown }
    | null
    | undefined
  if (header === undefined) throw badRequest(`${name}: the first line is not JSON, as that of a bundle is`)
  if (header?.format !== FORMAT) return `the first line names another format than ${FORMAT}`
  const note = String(header.checkpoint)
  const checkpoint = readCheckpoint(noteText(note))
  if (checkpoint === undefined) return 'the checkpoint is not one of this format'
  const read = readNote(note)
  if (key !== undefined && (read === undefined || !(await isNoteSignedBy(read, checkpoint.origin, key))))
    return 'no signature of the checkpoint is one by this key'
  const bundle = new Bundle(checkpoint)
  const last = lines.pop()
  for (const [index, line] of [...lines, ...(last === '' ? [] : [''])].entries()) {
    const problem = await bundle.add(jsonOf(line))
    if (problem !== undefined) return `line ${index + 2}: ${problem}`
  }
  return bundle.end()
}

/** Goes through the lines of a bundle. */
class Bundle {
  readonly #checkpoint: Checkpoint
  readonly #log = new GrowingLog()
  readonly #proved = new Set<number>()
  #decisions = 0
  #policy: Policy | undefined

  constructor(checkpoint: Checkpoint) {
    this.#checkpoint = checkpoint
  }

  async add(line: unknown): Promise<string | undefined> {
    try {
      return await this.#problemOf(line as Line)
    } catch {
      return 'not an entry of this format'
    }
  }

  end(): BundleFacts | string {
    const { size, root, head } = this.#checkpoint
    const [count, proved] = [this.#log.size, this.#proved.size]
    if (count > 0 === proved > 0)
      return count === 0 ? 'the bundle lacks entries' : 'some entries have proofs and some not'
    if (count > 0 && (count !== size || !isSame(this.#log.root(), root) || this.#log.head !== head))
      return `the ${count} entries are not the ${size} of the checkpoint: cut, added to, or changed`
    return { entries: count || proved, head, size, decisions: this.#decisions }
  }

  async #problemOf({ log_seq: seq, entry: text, fact, proof }: Line): Promise<string | undefined> {
    if (typeof text !== 'string' || typeof (fact ?? '') !== 'string' || fact === null)
      return 'not an entry of this format'
    const entry = JSON.parse(text) as LogRecord
    if (!Number.isInteger(seq) || entry.log_seq !== seq) return 'the line has another number than its entry'
    if (fact === undefined) {
      if (FACT_OF[entry.kind] !== undefined) return 'the fact is missing'
    } else if (hash(fact) !== entry.fact) return 'the fact has another hash'
    if (entry.kind === 'policy.set') this.#policy = JSON.parse((JSON.parse(fact!) as string[])[2]!) as Policy
    if (entry.kind === 'decision') {
      const problem = judgementProblem(JSON.parse(fact!) as Decision, this.#policy)
      if (problem !== undefined) return problem
      this.#decisions += 1
    }
    const { size, root, origin } = this.#checkpoint
    if (proof !== undefined) {
      const steps = proof.map(stepOf)
      const wrong = steps.indexOf(undefined)
      if (wrong >= 0) return `not base64, or of another length: '${proof[wrong]}'`
      const isNew = seq >= 1 && seq <= size && !this.#proved.has(seq)
      const found = isNew ? rootOfPath(digest(leafBytes(text)), seq - 1, size, steps as Hash[]) : undefined
      if (found === undefined || !isSame(found, root))
        return 'its proof does not lead to the root of the checkpoint'
      this.#proved.add(seq)
      return undefined
    }
    const before = this.#log.size
    const follows = this.#log.add({ log_seq: seq, record_json: text, hash: hash(text) }) !== undefined
    if (!follows) return `it does not follow entry ${before}`
    return seq === 1 && originOf(this.#log.ledgerId!) !== origin
      ? 'the checkpoint is of a ledger that began otherwise'
      : undefined
  }
}

interface Decision {
  readonly policy_passed: boolean
  readonly policy_reasons: readonly string[]
  readonly evidence: Evidence
}

/** Decides again what takes no statistics: the limits on means, and confidence. `policy` was in force, where that is known. */
function judgementProblem(
  { policy_passed, policy_reasons: reasons, evidence }: Decision,
  policy: Policy | undefined,
): string | undefined {
  if (policy_passed !== isPassed(reasons)) return 'verdict and reasons disagree'
  const { policy: own, evaluation } = evidence
  if (
    policy !== undefined &&
    ((policy.overrides?.length ?? 0) > 0
      ? policy.policy_id !== own.policy_id
      : !isDeepStrictEqual(policy, own))
  )
    return 'another policy was active'
  if (evaluation === null || evidence.forced === true) return undefined
  const [baseline, candidate] = [evaluation.baseline, evaluation.candidate].map(side =>
    sideMetrics(side.variants, new Map(side.rates.map(rate => [rate.model, rate]))),
  )
  const { confidence } = confidenceOf(baseline!.runs, candidate!.runs, evaluation.thresholds)
  const points = POINT_LIMITS.flatMap(({ key, name, of }) => {
    const [limit, value] = [own[key], candidate![of]]
    const begins = `candidate ${name} `
    if (limit === null || value === null) return [{ begins, isBroken: false }]
    const isClose = Math.abs(value - limit) <= 1e-11 * Math.max(Math.abs(value), Math.abs(limit))
    return isClose ? [] : [{ begins, isBroken: value > limit }]
  })
  const expected = [
    { begins: CONFIDENCE, isBroken: own.require_high_diff_confidence && confidence !== 'HIGH' },
    ...points,
  ]
  const isOther = expected.some(
    ({ begins, isBroken }) => isBroken !== reasons.some(reason => reason.startsWith(begins)),
  )
  return isOther ? 'the evidence gives another verdict' : undefined
}

/** A step of a proof; undefined where the text is none. */
function stepOf(text: string): Hash | undefined {
  const bytes = fromBase64(text)
  return bytes?.length === 32 && base64(bytes) === text ? bytes : undefined
}

/** The root that a leaf and its path lead to (RFC 9162, 2.1.3.2); undefined where the path has another length. */
function rootOfPath(leaf: Hash, index: number, size: number, path: readonly Hash[]): Hash | undefined {
  let [node, last, root] = [index, size - 1, leaf]
  for (const step of path) {
    if (last === 0) return undefined
    if (node % 2 === 1 || node === last) {
      root = digest(nodeBytes(step, root))
      while (node % 2 === 0 && node !== 0) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)]
    } else root = digest(nodeBytes(root, step))
    ;[node, last] = [Math.floor(node / 2), Math.floor(last / 2)]
  }
  return last === 0 ? root : undefined
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
