import type { DoctorReport } from '../models/operations.ts'
import { isoTime } from '../rules/time.ts'
import { type Row, type Sql, rowsOf, sql } from '../sql/port.ts'
import { type AuditRecord, HEAD, chainProblem, toHead } from './audit.ts'
import { COUNTED, droppedRunEnds } from './counters.ts'
import { BACKLOG, toBacklog } from './backlog.ts'
import { type Evidence, replayReasons } from './evidence.ts'
import { rollupProblems } from './rollup_repair.ts'

type DoctorCheck = DoctorReport['checks'][number]

export interface DoctorOptions {
  /** Versions that this program's migrations have. */
  readonly versions: readonly number[]
  /** Also compares roll-ups and counters with the raw rows, and replays every decision. Reads everything. */
  readonly deep: boolean
}

/** Read-only checks of a ledger. */
export async function examine(db: Sql, { versions, deep }: DoctorOptions): Promise<DoctorReport> {
  const checks = [
    await checkMigrations(db, versions),
    ...(await checkPointers(db)),
    await checkSequence(db),
    await checkChain(db, deep),
    await checkDropped(db),
    await checkOutbox(db),
    ...(deep ? [await checkRollups(db), await checkCounters(db)] : []),
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

/** Each pointer's release exists, and is the one that the last passed decision chose. */
async function checkPointers(db: Sql): Promise<DoctorCheck[]> {
  const rows = await rowsOf(
    db,
    sql`SELECT p.agent_id, p.environment, p.release_id, r.release_id AS found, (
        SELECT a.release_id FROM actions a
        WHERE a.agent_id = p.agent_id AND a.environment = p.environment AND a.policy_passed = 1
        ORDER BY a.audit_seq DESC LIMIT 1
      ) AS decided
      FROM promoted_pointers p LEFT JOIN releases r ON r.release_id = p.release_id
      ORDER BY p.agent_id, p.environment`,
  )
  return rows.map(row => {
    const name = `promoted_pointer:${row.agent_id}:${row.environment}`
    if (row.found === null) return fail(name, `points to ${row.release_id}, which is not registered`)
    return row.decided === row.release_id
      ? pass(name, `${row.release_id} is registered`)
      : fail(name, `points to ${row.release_id}, but the last passed decision chose ${row.decided ?? 'none'}`)
  })
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

/** Recomputes every hash; deep, every decision as well. Names the first row that doesn't hold. */
async function checkChain(db: Sql, deep: boolean): Promise<DoctorCheck> {
  const name = deep ? 'audit_chain_and_decisions' : 'audit_chain'
  const [start] = await rowsOf(db, sql`SELECT first_seq FROM audit_head WHERE id = 1`)
  const first = Number(start!.first_seq)
  let [seq, previous] = [first, '']
  for (;;) {
    const [page, head] = await db.snapshot([
      sql`SELECT * FROM actions WHERE audit_seq > ${seq} ORDER BY audit_seq LIMIT ${PAGE}`,
      HEAD,
    ])
    for (const row of page!.rows) {
      const problem = (await chainProblem(row, previous)) ?? (deep ? decisionProblem(row) : undefined)
      if (problem !== undefined) return fail(name, `audit_seq ${row.audit_seq}: ${problem}`)
      previous = String(row.hash)
      seq = Number(row.audit_seq)
    }
    if (page!.rows.length === PAGE) continue
    const end = toHead(head)
    return end.seq === seq && end.hash === previous
      ? pass(name, `${seq - first} rows verified`)
      : fail(name, `the trail ends with audit_seq ${seq}, its head says ${end.seq} or another hash`)
  }
}

function decisionProblem(row: Row): string | undefined {
  const record = JSON.parse(String(row.record_json)) as AuditRecord
  const replayed = replayReasons(record.evidence as Evidence)
  return JSON.stringify(replayed) === JSON.stringify(record.policy_reasons)
    ? undefined
    : `its evidence gives another verdict: ${JSON.stringify(replayed)}`
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

/** A receiver that is down is no fault of the ledger, so this never fails. */
async function checkOutbox(db: Sql): Promise<DoctorCheck> {
  const { pending, failed, oldestPendingAt } = toBacklog(await rowsOf(db, BACKLOG))
  const waiting = oldestPendingAt === null ? '' : `, the oldest since ${isoTime(oldestPendingAt)}`
  const hint = failed === 0 ? '' : ' (`svc webhook deliveries --failed`)'
  return pass('webhook_outbox', `${pending} deliveries wait${waiting}; ${failed} were given up${hint}`)
}

async function checkRollups(db: Sql): Promise<DoctorCheck> {
  const problems = await rollupProblems(db)
  return problems.length === 0
    ? pass('rollups', 'equal to the raw events')
    : fail('rollups', `${problems.join('; ')}; repair with \`svc rollups rebuild\``)
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
