import { type Sql, sql } from '../../sql/port.ts'
import {
  allRows,
  asNumber,
  ask,
  asText,
  columns,
  field,
  firstRow,
  onlyRow,
  orNull,
  rowsOfKeys,
  together,
} from '../../sql/query.ts'
import { type AuditRecord, HEAD, type StoredAction, chainProblem, readStoredAction } from '../trail/chain.ts'
import type { Progress } from '../world/ledger.ts'
import { type DoctorCheck, fail, pass } from './check.ts'
import { type ConditionRule, replayReasons } from '../../rules/judge.ts'
import type { Evidence, SideEvidence } from '../../rules/evidence.ts'
import { RELEASE_COLUMNS, type ReleaseFacts, toReleaseFacts } from '../registry/release_facts.ts'

/** Rows of a chain that a check looks at which is not deep: the newest. */
export const NEWEST = 100

/** Where a check begins: behind this row. */
export function beginning(last: number, deep: boolean): number {
  return deep ? 0 : Math.max(0, last - NEWEST)
}

/** What is said of rows that were left out. */
export function leftOut(from: number): string {
  return from === 0 ? '' : `; the ${from} before them are verified by \`svc doctor --deep\``
}

export async function checkSequence(db: Sql, deep: boolean): Promise<DoctorCheck> {
  const name = 'audit_seq'
  const { newest, head } = await ask(
    db,
    together({
      newest: firstRow(
        sql`SELECT audit_seq AS last, created_at FROM actions ORDER BY audit_seq DESC LIMIT 1`,
        columns({ last: asNumber, created_at: asNumber }),
      ),
      head: HEAD,
    }),
  )
  const last = newest?.last ?? 0
  const from = beginning(last, deep)
  const { counted, before } = await ask(
    db,
    together({
      counted: onlyRow(
        sql`SELECT count(*) AS n, count(DISTINCT audit_seq) AS seqs FROM actions
          WHERE audit_seq > ${from} AND audit_seq <= ${last}`,
        columns({ n: asNumber, seqs: asNumber }),
      ),
      before: firstRow(
        sql`SELECT a.audit_seq FROM actions a WHERE a.audit_seq > ${Math.max(1, from)} AND a.audit_seq <= ${last}
          AND NOT EXISTS (SELECT 1 FROM actions b WHERE b.audit_seq = a.audit_seq - 1)
          ORDER BY a.audit_seq LIMIT 1`,
        field('audit_seq', asNumber),
      ),
    }),
  )
  const { n, seqs } = counted
  if (before !== undefined) return fail(name, `there is no ${before - 1} before ${before}`)
  if (n !== last - from || seqs !== n) return fail(name, `${n} rows, but the last has number ${last}`)
  if (last !== head.seq) return fail(name, `rows up to ${head.seq} were written, but the last is ${last}`)
  if (newest !== undefined && head.created_at !== newest.created_at) {
    return fail(name, `the head has another time than audit_seq ${last}, its last row`)
  }
  return pass(name, last === 0 ? 'no actions yet' : `contiguous from ${from + 1} to ${last}`)
}

/** Rows that are read at a time. */
const PAGE = 500

/**
 * Recomputes every hash, and folds the trail: each decision was made against the release that the one before it had
 * left. Begins with the newest rows, or with the first one (`whole`). With conditions to replay by it decides each again
 * as well, and compares its releases with what they are. Names the first row that doesn't hold.
 */
export async function checkChain(
  db: Sql,
  { whole, replayBy }: { readonly whole: boolean; readonly replayBy?: readonly ConditionRule[] | undefined },
  onProgress?: Progress,
): Promise<DoctorCheck> {
  const name = replayBy === undefined ? 'audit_chain' : 'audit_chain_and_decisions'
  const from = beginning((await ask(db, HEAD)).seq, whole)
  const before = await ask(
    db,
    firstRow(sql`SELECT hash FROM actions WHERE audit_seq = ${from}`, field('hash', orNull(asText))),
  )
  if (from > 0 && before === undefined) return fail(name, `audit_seq ${from} is missing`)
  const trail = new TrailCheck(before ?? '', from > 0)
  for (let seq = from; ;) {
    const { page, head } = await ask(
      db,
      together({
        page: allRows(
          sql`SELECT * FROM actions WHERE audit_seq > ${seq} ORDER BY audit_seq LIMIT ${PAGE}`,
          readStoredAction,
        ),
        head: HEAD,
      }),
    )
    const releases = replayBy && (await releasesOf(db, page))
    for (const row of page) {
      const problem =
        (await trail.problemOf(row)) ?? (releases && replayBy && decisionProblem(row, releases, replayBy))
      if (problem !== undefined) return fail(name, `audit_seq ${row.audit_seq}: ${problem}`)
      seq = row.audit_seq
    }
    onProgress?.('decisions', seq, head.seq)
    if (page.length === PAGE) continue
    const { verified, lastHash } = trail
    if (head.seq !== seq || head.hash !== lastHash) {
      return fail(name, `the trail ends with audit_seq ${seq}, its head has ${head.seq} or another hash`)
    }
    return pass(name, `${verified} rows verified${leftOut(from)}`)
  }
}

/** Goes through the audit trail, or its newest rows, and says of each whether it holds. */
class TrailCheck {
  /** Rows whose hash was recomputed. */
  verified = 0
  lastHash: string
  readonly #promoted = new Map<string, string>()
  readonly #isPart: boolean

  /**
   * `lastHash` is that of the row before the first one; where there are such rows (`isPart`), what the first decision of
   * a place found promoted there is taken as it says.
   */
  constructor(lastHash: string, isPart: boolean) {
    this.lastHash = lastHash
    this.#isPart = isPart
  }

  async problemOf(row: StoredAction): Promise<string | undefined> {
    const place = `${row.agent_id}\0${row.environment}`
    const known = this.#promoted.get(place)
    const before = known ?? (this.#isPart ? row.baseline_release_id : null)
    if (row.policy_passed === 1 || row.forced === 1) this.#promoted.set(place, row.release_id)
    else if (this.#isPart && before !== null) this.#promoted.set(place, before)
    if (row.baseline_release_id !== before) {
      return `its baseline is ${row.baseline_release_id ?? 'none'}, but ${before ?? 'nothing'} was live then`
    }
    const problem = await chainProblem(row, this.lastHash)
    if (problem !== undefined) return problem
    this.verified += 1
    this.lastHash = row.hash
    return undefined
  }
}

/** What the ledger holds of the releases that these rows of the trail are about. */
async function releasesOf(
  db: Sql,
  rows: readonly StoredAction[],
): Promise<ReadonlyMap<string, ReleaseFacts>> {
  const ids = rows.flatMap(row => [row.release_id, row.baseline_release_id].filter(id => id !== null))
  const found = await rowsOfKeys(
    db,
    [...new Set(ids)],
    listed => sql`SELECT ${RELEASE_COLUMNS} FROM releases r WHERE r.release_id IN (${listed})`,
    toReleaseFacts,
  )
  return new Map(found.map(release => [release.release_id, release]))
}

/** What is wrong with a decision by its own evidence, and by the releases of the ledger. */
function decisionProblem(
  row: StoredAction,
  releases: ReadonlyMap<string, ReleaseFacts>,
  conditions: readonly ConditionRule[],
): string | undefined {
  const record = JSON.parse(row.record_json) as AuditRecord
  const evidence = record.evidence as Evidence
  const replayed = replayReasons(evidence, record, conditions)
  if (replayed === undefined) {
    return `it was decided by rules ${evidence.rules_version}, which this version doesn't support: use a newer one`
  }
  if (JSON.stringify(replayed) !== JSON.stringify(record.policy_reasons)) {
    return `its evidence gives another verdict: ${JSON.stringify(replayed)}`
  }
  const sides =
    evidence.evaluation === null ? [] : [evidence.evaluation.baseline, evidence.evaluation.candidate]
  return sides.map(side => releaseProblem(side, releases)).find(problem => problem !== undefined)
}

/** Releases never change, so what a decision noted of one is what it is. */
function releaseProblem(side: SideEvidence, releases: ReadonlyMap<string, ReleaseFacts>): string | undefined {
  const now = releases.get(side.release_id)
  if (now === undefined) return `it names ${side.release_id}, which is not registered`
  const changed = (['checksum', 'model', 'provider', 'pricing_version'] as const).filter(
    name => now[name] !== side[name],
  )
  return changed.length === 0
    ? undefined
    : `${side.release_id} has another ${changed.join(' and ')} than at the decision`
}
