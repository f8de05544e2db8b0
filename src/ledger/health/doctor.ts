import type { DoctorReport } from '../../models/answers/health.ts'
import { isoTime } from '../../base/time.ts'
import { type Row, type Sql, inBackground, rowsOf, sql } from '../../sql/port.ts'
import { HEAD, toHead } from '../chain/chain.ts'
import { COUNTED, droppedRunEnds } from '../chain/counters.ts'
import { BACKLOG, toBacklog } from '../webhooks/backlog.ts'
import { CHOSEN } from '../chain/pointers.ts'
import { scopeProblems } from '../events/event_ids.ts'
import { rollupFaults } from '../events/rebuild.ts'
import { digestProblems } from '../upkeep/digests.ts'
import { durabilityCheck } from './durability.ts'
import { fileCheck } from './file_check.ts'
import { checkLog } from './log_check.ts'
import { TrailCheck, releaseFacts } from './trail_check.ts'
import { watchesCheck } from './watches.ts'

type DoctorCheck = DoctorReport['checks'][number]

export interface DoctorOptions {
  /** Versions that this program's migrations have. */
  readonly versions: readonly number[]
  /** Also compares roll-ups and counters with the raw rows, and replays every decision. Reads everything. */
  readonly deep: boolean
}

/** Read-only checks of a ledger. Deep ones take seconds, and keep nobody waiting. */
export async function examine(ledger: Sql, { versions, deep }: DoctorOptions): Promise<DoctorReport> {
  const db = deep ? inBackground(ledger) : ledger
  const file = deep ? await fileCheck(db) : []
  // What else is read from a damaged file is not to be believed.
  if (file.some(({ ok }) => !ok)) return { ok: false, checks: file }
  const checks = [
    ...file,
    await checkMigrations(db, versions),
    ...(await checkPointers(db)),
    await checkPolicy(db),
    await checkSequence(db),
    await checkChain(db, deep),
    await checkLog(db),
    await checkDropped(db),
    ...(await checkRetention(db)),
    await checkOutbox(db),
    ...(await watchesCheck(db)),
    ...(await durabilityCheck(db)),
    ...(deep
      ? [await checkRollups(db), await checkScopes(db), await checkDigests(db), await checkCounters(db)]
      : []),
  ]
  return { ok: checks.every(check => check.ok), checks }
}

async function checkMigrations(db: Sql, versions: readonly number[]): Promise<DoctorCheck> {
  const rows = await rowsOf(db, sql`SELECT version FROM schema_migrations ORDER BY version`)
  const applied = new Set(rows.map(row => Number(row.version)))
  const missing = versions.filter(version => !applied.has(version))
  return missing.length === 0
    ? pass('schema_migrations', `versions 1 to ${Math.max(...applied)} are applied`)
    : fail('schema_migrations', `not applied: ${missing.join(', ')}`)
}

/** Each place that a passed decision was made for has its pointer, where that decision put it, at a known release. */
async function checkPointers(db: Sql): Promise<DoctorCheck[]> {
  const [pointers, chosen] = await db.snapshot([
    sql`SELECT p.agent_id, p.environment, p.release_id, r.release_id AS found
      FROM promoted_pointers p LEFT JOIN releases r ON r.release_id = p.release_id`,
    CHOSEN,
  ])
  const placeOf = ({ agent_id, environment }: Row): string => `${agent_id}:${environment}`
  const [says, follows] = [pointers!, chosen!].map(
    ({ rows }) => new Map(rows.map(row => [placeOf(row), row])),
  ) as [Map<string, Row>, Map<string, Row>]
  return [...new Set([...says.keys(), ...follows.keys()])].sort().map(place => {
    const [pointer, decided] = [says.get(place), follows.get(place)]
    const name = `promoted_pointer:${place}`
    const repair = 'repair with `svc rollups rebuild`'
    if (pointer === undefined) {
      return fail(name, `is missing, but the last passed decision chose ${decided!.release_id}; ${repair}`)
    }
    const { release_id, found } = pointer
    if (found === null) return fail(name, `points to ${release_id}, which is not registered`)
    if (decided?.release_id === release_id) return pass(name, `${release_id} is registered`)
    const choice = decided?.release_id ?? 'none'
    return fail(name, `points to ${release_id}, but the last passed decision chose ${choice}; ${repair}`)
  })
}

/** The table that servers of an older version read says the same as the history that decisions go by. */
async function checkPolicy(db: Sql): Promise<DoctorCheck> {
  const [latest, table] = await db.snapshot([
    sql`SELECT policy_id, policy_json FROM policy_history ORDER BY seq DESC LIMIT 1`,
    sql`SELECT policy_id, policy_json FROM policies ORDER BY updated_at DESC LIMIT 1`,
  ])
  const [inForce, stored] = [latest!.rows[0], table!.rows[0]]
  if (JSON.stringify(inForce) === JSON.stringify(stored)) {
    return pass(
      'policy',
      inForce === undefined ? 'none was set' : `${inForce.policy_id} is the last that was set`,
    )
  }
  return fail('policy', 'the table of policies differs from their history; decisions go by the history')
}

async function checkSequence(db: Sql): Promise<DoctorCheck> {
  const [counted, gap, head] = await db.snapshot([
    sql`SELECT count(*) AS n, count(DISTINCT audit_seq) AS seqs, coalesce(max(audit_seq), 0) AS last FROM actions`,
    sql`SELECT a.audit_seq FROM actions a WHERE a.audit_seq > 1
      AND NOT EXISTS (SELECT 1 FROM actions b WHERE b.audit_seq = a.audit_seq - 1)
      ORDER BY a.audit_seq LIMIT 1`,
    HEAD,
  ])
  const { n, seqs, last } = counted!.rows[0]!
  const before = gap!.rows[0]?.audit_seq
  if (before !== undefined) return fail('audit_seq', `there is no ${Number(before) - 1} before ${before}`)
  if (n !== last || seqs !== last) return fail('audit_seq', `${n} rows, but the last is numbered ${last}`)
  const expected = toHead(head).seq
  if (last !== expected) return fail('audit_seq', `rows up to ${expected} were written, the last is ${last}`)
  return pass('audit_seq', last === 0 ? 'no actions yet' : `contiguous from 1 to ${last}`)
}

const PAGE = 500

/**
 * Recomputes every hash, and folds the trail: each decision was made against the release that the one before it had
 * left; deep, every decision is replayed and its releases are looked up as well. Names the first row that doesn't hold.
 */
async function checkChain(db: Sql, deep: boolean): Promise<DoctorCheck> {
  const name = deep ? 'audit_chain_and_decisions' : 'audit_chain'
  const trail = new TrailCheck(deep ? await releaseFacts(db) : undefined)
  for (let seq = 0; ;) {
    const [page, head] = await db.snapshot([
      sql`SELECT * FROM actions WHERE audit_seq > ${seq} ORDER BY audit_seq LIMIT ${PAGE}`,
      HEAD,
    ])
    for (const row of page!.rows) {
      const problem = await trail.problemOf(row)
      if (problem !== undefined) return fail(name, `audit_seq ${row.audit_seq}: ${problem}`)
      seq = Number(row.audit_seq)
    }
    if (page!.rows.length === PAGE) continue
    const { verified, unhashed, lastHash } = trail
    const end = toHead(head)
    if (end.seq !== seq || end.hash !== lastHash) {
      return fail(name, `the trail ends with audit_seq ${seq}, its head says ${end.seq} or another hash`)
    }
    const before = unhashed === 0 ? '' : `; ${unhashed} before them are older than the chain and have no hash`
    return pass(name, `${verified} rows verified${before}`)
  }
}

async function checkDropped(db: Sql): Promise<DoctorCheck> {
  const dropped = await droppedRunEnds(db)
  return pass(
    'run_ends_dropped',
    dropped === 0
      ? 'none'
      : `${dropped} run_end events were skipped behind a run_start of the same run_id; send run_end only`,
  )
}

/** What was pruned, where something was: roll-ups are then compared with events only where these are all there. */
async function checkRetention(db: Sql): Promise<DoctorCheck[]> {
  const [state, gaps, expired] = await db.snapshot([
    sql`SELECT events_before FROM retention WHERE id = 1`,
    sql`SELECT count(*) AS n FROM event_gaps`,
    sql`SELECT coalesce(sum(value), 0) AS n FROM counters WHERE name = 'run_events_expired'`,
  ])
  const before = Number(state!.rows[0]?.events_before ?? 0)
  const days = Number(gaps!.rows[0]!.n)
  if (before === 0 && days === 0) return []
  return [
    pass(
      'retention',
      `run events before ${isoTime(before).slice(0, 10)} may be gone; ${days} days of releases are not whole; ` +
        `${Number(expired!.rows[0]!.n)} events of that time were sent again and skipped`,
    ),
  ]
}

/** A receiver that is down is no fault of the ledger, so this never fails. */
async function checkOutbox(db: Sql): Promise<DoctorCheck> {
  const { pending, failed, oldestPendingAt } = toBacklog(await rowsOf(db, BACKLOG))
  const waiting = oldestPendingAt === null ? '' : `, the oldest since ${isoTime(oldestPendingAt)}`
  const hint = failed === 0 ? '' : ' (`svc webhook deliveries --failed`)'
  return pass('webhook_outbox', `${pending} deliveries wait${waiting}; ${failed} were given up${hint}`)
}

async function checkRollups(db: Sql): Promise<DoctorCheck> {
  const { problems, lacking } = await rollupFaults(db)
  if (problems.length > 0) {
    return fail('rollups', `${problems.join('; ')}; repair with \`svc rollups rebuild\``)
  }
  const older = `; ${lacking} spans of time lack latencies that an older version stored: \`svc rollups rebuild\` adds them`
  return pass('rollups', `equal to the raw events${lacking === 0 ? '' : older}`)
}

/** Events and roll-ups name scopes and variants by ids: each has to be there, and to be what the event itself says. */
async function checkScopes(db: Sql): Promise<DoctorCheck> {
  const problems = await scopeProblems(db)
  return problems.length === 0
    ? pass('event_ids', 'releases and models of all events are as their texts say')
    : fail('event_ids', problems.join('; '))
}

/** Events of hours that the audit log has a hash of. */
async function checkDigests(db: Sql): Promise<DoctorCheck> {
  const { verified, incomplete, problem } = await digestProblems(db)
  if (problem !== undefined) return fail('event_digests', problem)
  const gone = incomplete === 0 ? '' : `; of ${incomplete} hours some events were pruned or erased`
  return pass('event_digests', `${verified} hours are as they came in${gone}`)
}

async function checkCounters(db: Sql): Promise<DoctorCheck> {
  const results = await db.snapshot(
    Object.entries(COUNTED).map(([counter, query]) => ({
      text: `SELECT (${query}) AS counted,
        (SELECT coalesce(sum(value), 0) FROM counters WHERE name = ?) AS kept`,
      params: [counter],
    })),
  )
  const wrong = Object.keys(COUNTED).filter((_, index) => {
    const { counted, kept } = results[index]!.rows[0]!
    return counted !== kept
  })
  return wrong.length === 0
    ? pass('counters', 'equal to the rows they count')
    : fail('counters', `${wrong.join(', ')} differ from the rows; repair with \`svc rollups rebuild\``)
}

function pass(name: string, detail: string): DoctorCheck {
  return { name, ok: true, detail }
}

function fail(name: string, detail: string): DoctorCheck {
  return { name, ok: false, detail }
}
