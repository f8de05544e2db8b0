import { type Row, type Sql, rowsOf, rowsOfKeys, sql } from '../../sql/port.ts'
import { type AuditRecord, HEAD, chainProblem, toHead } from '../trail/chain.ts'
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
  const [newest, headRow] = await db.snapshot([
    sql`SELECT audit_seq AS last, created_at FROM actions ORDER BY audit_seq DESC LIMIT 1`,
    HEAD,
  ])
  const head = toHead(headRow)
  const last = Number(newest!.rows[0]?.last ?? 0)
  const from = beginning(last, deep)
  const [counted, gap] = await db.snapshot([
    sql`SELECT count(*) AS n, count(DISTINCT audit_seq) AS seqs FROM actions
      WHERE audit_seq > ${from} AND audit_seq <= ${last}`,
    sql`SELECT a.audit_seq FROM actions a WHERE a.audit_seq > ${Math.max(1, from)} AND a.audit_seq <= ${last}
      AND NOT EXISTS (SELECT 1 FROM actions b WHERE b.audit_seq = a.audit_seq - 1)
      ORDER BY a.audit_seq LIMIT 1`,
  ])
  const { n, seqs } = counted!.rows[0]!
  const before = gap!.rows[0]?.audit_seq
  if (before !== undefined) return fail(name, `there is no ${Number(before) - 1} before ${before}`)
  if (n !== last - from || seqs !== n) return fail(name, `${n} rows, but the last is numbered ${last}`)
  if (last !== head.seq) return fail(name, `rows up to ${head.seq} were written, the last is ${last}`)
  if (last > 0 && head.created_at !== newest!.rows[0]!.created_at) {
    return fail(name, `the head is of another time than audit_seq ${last}, its last row`)
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
  const [headRow] = await db.snapshot([HEAD])
  const from = beginning(toHead(headRow).seq, whole)
  const [before] = await rowsOf(db, sql`SELECT hash FROM actions WHERE audit_seq = ${from}`)
  if (from > 0 && before === undefined) return fail(name, `there is no audit_seq ${from}`)
  const trail = new TrailCheck(String(before?.hash ?? ''), from > 0)
  for (let seq = from; ;) {
    const [page, end] = await db.snapshot([
      sql`SELECT * FROM actions WHERE audit_seq > ${seq} ORDER BY audit_seq LIMIT ${PAGE}`,
      HEAD,
    ])
    const releases = replayBy && (await releasesOf(db, page!.rows))
    for (const row of page!.rows) {
      const problem =
        (await trail.problemOf(row)) ?? (releases && replayBy && decisionProblem(row, releases, replayBy))
      if (problem !== undefined) return fail(name, `audit_seq ${row.audit_seq}: ${problem}`)
      seq = Number(row.audit_seq)
    }
    const head = toHead(end)
    onProgress?.('decisions', seq, head.seq)
    if (page!.rows.length === PAGE) continue
    const { verified, unhashed, lastHash } = trail
    if (head.seq !== seq || head.hash !== lastHash) {
      return fail(name, `the trail ends with audit_seq ${seq}, its head says ${head.seq} or another hash`)
    }
    const [start] = await rowsOf(db, sql`SELECT first_seq FROM audit_head WHERE id = 1`)
    if (from === 0 && start!.first_seq !== unhashed) {
      return fail(
        name,
        `the head says that hashes begin behind audit_seq ${start!.first_seq}, they do behind ${unhashed}`,
      )
    }
    const older = unhashed === 0 ? '' : `; ${unhashed} before them are older than the chain and have no hash`
    return pass(name, `${verified} rows verified${older}${leftOut(from)}`)
  }
}

/** Goes through the audit trail, or its newest rows, and says of each whether it holds. */
class TrailCheck {
  /** Rows whose hash was recomputed, and rows from before there were hashes. */
  verified = 0
  unhashed = 0
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

  async problemOf(row: Row): Promise<string | undefined> {
    const place = `${row.agent_id}\0${row.environment}`
    const known = this.#promoted.get(place)
    const before = known ?? (this.#isPart ? row.baseline_release_id! : null)
    if (row.policy_passed === 1 || row.forced === 1) this.#promoted.set(place, String(row.release_id))
    else if (this.#isPart && before !== null) this.#promoted.set(place, String(before))
    if (row.baseline_release_id !== before) {
      return `its baseline is ${row.baseline_release_id ?? 'none'}, but ${before ?? 'nothing'} was promoted then`
    }
    if (row.hash === null && row.record_json === null) {
      this.unhashed += 1
      return this.verified === 0 && this.lastHash === ''
        ? undefined
        : 'it has no hash, and rows before it have'
    }
    const problem = await chainProblem(row, this.lastHash)
    if (problem !== undefined) return problem
    this.verified += 1
    this.lastHash = String(row.hash)
    return undefined
  }
}

/** What the ledger holds of the releases that these rows of the trail are about. */
async function releasesOf(db: Sql, rows: readonly Row[]): Promise<ReadonlyMap<string, ReleaseFacts>> {
  const ids = rows.flatMap(row =>
    [row.release_id, row.baseline_release_id].filter(id => id != null).map(String),
  )
  const found = await rowsOfKeys(
    db,
    [...new Set(ids)],
    listed => sql`SELECT ${RELEASE_COLUMNS} FROM releases r WHERE r.release_id IN (${listed})`,
  )
  return new Map(found.map(row => [String(row.release_id), toReleaseFacts(row)]))
}

/** What is wrong with a decision by its own evidence, and by the releases of the ledger. */
function decisionProblem(
  row: Row,
  releases: ReadonlyMap<string, ReleaseFacts>,
  conditions: readonly ConditionRule[],
): string | undefined {
  // From before there was evidence.
  if (row.record_json === null) return undefined
  const record = JSON.parse(String(row.record_json)) as AuditRecord
  const evidence = record.evidence as Evidence
  const replayed = replayReasons(evidence, record, conditions)
  if (replayed === undefined) {
    return `it was decided by rules ${evidence.rules_version}, which this version doesn't know: use a newer one`
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
    field => now[field] !== side[field],
  )
  return changed.length === 0
    ? undefined
    : `${side.release_id} has another ${changed.join(' and ')} than when it was decided on`
}
