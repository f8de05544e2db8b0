import { ServiceError, badRequest } from '../../base/errors.ts'
import { type Checkpoint, originOf, readCheckpoint, splitCheckpoints } from './rules_checkpoint.ts'
import { type PublicKey, publicKeyOf } from '../../rules/keys.ts'
import { isSame } from './rules_merkle.ts'
import { isNoteSignedBy, noteText, readNote } from './rules_note.ts'
import type { Invocation, Options } from '../../cli/arguments/command.ts'
import { MAX_REPORT_BYTES, readText } from '../../cli/files.ts'
import type { AuditEntry } from '../../models/answers/audit.ts'
import type { Api } from '../../cli/service/api.ts'
import { counted, pretty, safe } from '../../cli/terminal/text.ts'
import { entriesUpTo, lengthOf } from './cli_entries.ts'
import { GrowingLog } from './cli_growing_log.ts'
import { verifyBundle } from './cli_bundle.ts'
import { jsonOf } from '../../base/text.ts'
import type { Statement } from './models.ts'
import { resolve } from 'node:path'
import { open } from './rules_dsse.ts'
import { readStatement } from './rules_statement.ts'
import { bundleChecksum, findBundle } from '../../cli/release/bundle.ts'

/** A checkpoint of the user's file. */
interface StoredCheckpoint extends Checkpoint {
  /** Which one of the file, from 1. */
  readonly number: number
  readonly note: string
}

/**
 * Recomputes the log from its entries alone, compares it with checkpoints of the user's, and rows with their entries; or does so
 * with a bundle, without a ledger.
 */
export async function verify({ options, io, api }: Invocation): Promise<number> {
  const [file, keyFile, bundle] = [options.text('checkpoint'), options.text('key'), options.text('bundle')]
  if (file !== undefined && bundle !== undefined)
    throw badRequest('--checkpoint and --bundle exclude each other: give one.')
  if (keyFile !== undefined && file === undefined && bundle === undefined) {
    throw badRequest('--key checks what --checkpoint or --bundle names: give either.')
  }
  const key = keyFile === undefined ? undefined : await publicKeyOf(await readText(keyFile, io), keyFile)
  if (bundle !== undefined) {
    const said = await verifyBundle(await readText(bundle, io, MAX_REPORT_BYTES), bundle, key)
    const problems = typeof said === 'string' ? [said] : []
    const { entries, size, head, decisions } = typeof said === 'string' ? NO_FACTS : said
    const text =
      `${entries} of ${size} entries hold, with ${decisions} decisions, each as its evidence has it\n` +
      `${key === undefined ? 'no key was given, so anybody may have made the bundle' : 'the checkpoint is signed by the key'}\n`
    return answered({ problems, entries, head, checkpoints: 0, signed: 0 }, text, { options, io })
  }
  const kept = file === undefined ? [] : checkpointsIn(await readText(file, io, MAX_REPORT_BYTES), file)
  const opened = await api()
  const unbelieved = [...forks(kept), ...(await unsigned(kept, key))]
  const { log, confirmed, problems, changed } = await compared(opened, kept)
  const all = [...unbelieved, ...problems]
  if (all.length === 0 && changed !== undefined) all.push(changed)
  const found = {
    problems: all,
    entries: log.size,
    head: log.head,
    checkpoints: confirmed,
    signed: all.length === 0 && key !== undefined ? kept.length : 0,
  }
  return answered(found, verifiedText(found), { options, io })
}

const NO_FACTS = { entries: 0, size: 0, head: '', decisions: 0 }

interface Found extends Verified {
  readonly problems: readonly string[]
}

function answered(found: Found, text: string, { options, io }: Pick<Invocation, 'options' | 'io'>): number {
  const verified = found.problems.length === 0
  if (options.json) io.out(pretty({ verified, ...found }))
  else if (verified) io.out(text)
  else for (const problem of found.problems) io.err(`svc: ${safe(problem)}\n`)
  return verified ? 0 : 1
}

/**
 * All entries, in pages. The service compares rows with them until one differs: `onChanged` gets what it says, and the rest is read
 * without its rows.
 */
async function* entriesWithRows(
  api: Api,
  last: number,
  onChanged: (problem: string) => void,
): AsyncGenerator<readonly AuditEntry[]> {
  let after = 0
  try {
    for await (const page of entriesUpTo(api, last, { facts: true })) {
      after += page.length
      yield page
    }
  } catch (error) {
    if (!(error instanceof ServiceError && error.status === 409)) throw error
    onChanged(error.message)
    yield* entriesUpTo(api, last, { after })
  }
}

/** Goes through the log, and stops at each checkpoint. */
async function compared(
  api: Api,
  kept: readonly StoredCheckpoint[],
): Promise<{ log: GrowingLog; confirmed: number; problems: string[]; changed: string | undefined }> {
  const log = new GrowingLog()
  const problems: string[] = []
  let [confirmed, confirmedSize, changed]: [number, number, string | undefined] = [0, 0, undefined]
  const last = await lengthOf(api)
  for await (const page of entriesWithRows(api, last, problem => (changed = problem))) {
    for (const entry of page) {
      log.add(entry)
      if (log.problem !== undefined) return { log, confirmed, problems: [...problems, log.problem], changed }
      for (const one of kept.filter(({ size }) => size === log.size)) {
        const problem = difference(one, log, confirmedSize)
        if (problem === undefined) [confirmed, confirmedSize] = [confirmed + 1, log.size]
        else problems.push(problem)
      }
    }
  }
  if (log.size < last) problems.push(`log_seq ${log.size + 1} is missing`)
  else problems.push(...kept.filter(({ size }) => size > last).map(one => truncated(one, last)))
  return { log, confirmed, problems, changed }
}

interface Verified {
  readonly entries: number
  readonly head: string
  readonly checkpoints: number
  readonly signed: number
}

function verifiedText({ entries, head, checkpoints, signed }: Verified): string {
  const by = signed > 0 ? ', signed by the key' : '; no key was given, so the checkpoints may be forged'
  const extended =
    checkpoints === 0
      ? 'no checkpoint was given, so a completely rewritten log would pass too'
      : `it extends ${counted(checkpoints, 'checkpoint')}${by}`
  return `${entries} entries are valid, the last is ${head === '' ? 'none' : head}\n${extended}\n`
}

function checkpointsIn(text: string, file: string): StoredCheckpoint[] {
  const kept = splitCheckpoints(text).map((note, index) => {
    const checkpoint = readCheckpoint(noteText(note))
    if (checkpoint === undefined)
      throw badRequest(`${file}: number ${index + 1} is not a checkpoint of a ledger.`)
    return { ...checkpoint, note, number: index + 1 }
  })
  if (kept.length === 0) throw badRequest(`${file} has no checkpoint.`)
  return kept
}

function forks(kept: readonly StoredCheckpoint[]): string[] {
  const problems: string[] = []
  const first = kept[0]
  for (const one of kept) {
    const other = kept.find(
      ({ size, root, number }) => number < one.number && size === one.size && !isSame(root, one.root),
    )
    if (other !== undefined) {
      problems.push(
        `fork: checkpoints ${other.number} and ${one.number} have ${one.size} entries and another root each`,
      )
    }
    if (one.origin !== first!.origin) {
      problems.push(
        `checkpoint ${one.number} is of another ledger than the first: ${one.origin}, not ${first!.origin}`,
      )
    }
  }
  return problems
}

async function unsigned(kept: readonly StoredCheckpoint[], key: PublicKey | undefined): Promise<string[]> {
  if (key === undefined) return []
  const problems: string[] = []
  for (const { note, origin, number } of kept) {
    const read = readNote(note)
    if (read === undefined || !(await isNoteSignedBy(read, origin, key))) {
      problems.push(`checkpoint ${number} is not signed by this key`)
    }
  }
  return problems
}

/** Why the log is not one that had been as the checkpoint says; `extended` is the size of the last one that it extends. */
function difference(one: StoredCheckpoint, log: GrowingLog, extended: number): string | undefined {
  const origin = originOf(log.ledgerId!)
  if (one.origin !== origin) {
    return `checkpoint ${one.number} is of another ledger, or this one was rewritten: ${one.origin}, not ${origin}`
  }
  if (isSame(one.root, log.root()) && one.head === log.head) return undefined
  if (extended === one.size) {
    return `checkpoint ${one.number} (${one.time}) is not of this log, which is as another one of ${extended} entries says`
  }
  return (
    `rewritten: an entry from ${extended + 1} to ${one.size} is not what it was at checkpoint ${one.number} ` +
    `(${one.time}), though all follow one another`
  )
}

function truncated({ number, size, time }: StoredCheckpoint, last: number): string {
  return `truncated: the log has ${last} entries, at checkpoint ${number} (${time}) it had ${size}`
}

/** Checks an attestation without any ledger. */
export async function verifyAttestation({ args, options, io }: Invocation): Promise<number> {
  const name = options.required('key')
  const key = await publicKeyOf(await readText(name, io), name)
  const opened = await open(jsonOf(await readText(args[0]!, io)), key)
  const statement = 'payload' in opened ? readStatement(opened.payload) : undefined
  const problems =
    'problem' in opened
      ? [opened.problem]
      : statement === undefined
        ? ['its payload is not a verification summary of SLSA']
        : await mismatches(statement, options, io.cwd)
  const verified = problems.length === 0
  if (options.json) {
    io.out(pretty({ verified, problems, ...(statement === undefined ? {} : { statement }) }))
  } else if (verified) {
    const { subject, predicate } = statement!
    io.out(
      `verified ${safe(subject[0]!.name)} ${safe(subject[0]!.digest.sha256)}\n` +
        `${predicate.verificationResult} for ${safe(predicate.resourceUri)} at ${safe(predicate.timeVerified)}, ` +
        `says ${safe(predicate.verifier.id)}\n`,
    )
  } else {
    for (const problem of problems) io.err(`svc: ${safe(args[0]!)}: ${safe(problem)}\n`)
  }
  return verified ? 0 : 1
}

/** What the statement says otherwise than it has to. */
async function mismatches(statement: Statement, options: Options, cwd: string): Promise<string[]> {
  const { subject, predicate } = statement
  const { resourceUri, verificationResult, verifier } = predicate
  const problems: string[] = []
  if (verificationResult !== 'PASSED') problems.push(`the policy did not pass: ${verificationResult}`)
  const path = options.text('path')
  if (path !== undefined) {
    const checksum = await bundleChecksum(await findBundle(resolve(cwd, path)))
    if (subject.every(({ digest }) => digest.sha256 !== checksum)) {
      problems.push(`it is about the bundle ${subject[0]!.digest.sha256}, ${path} has ${checksum}`)
    }
  }
  const [, agent, environment] =
    /^rgs:\/\/[0-9a-f]{32}\/agents\/([^/]+)\/environments\/([^/]+)$/.exec(resourceUri) ?? []
  const about = { agent, env: environment } as const
  for (const [name, said] of Object.entries(about)) {
    const wanted = options.text(name)
    if (wanted !== undefined && said !== encodeURIComponent(wanted)) {
      problems.push(`it is about ${resourceUri}, not --${name} ${wanted}`)
    }
  }
  const ledger = options.text('verifier')
  if (ledger !== undefined && verifier.id !== ledger)
    problems.push(`it comes from ${verifier.id}, not ${ledger}`)
  return problems
}
