import type { DoctorReport } from '../../models/answers/health.ts'
import { isoTime } from '../../base/time.ts'
import type { Migration } from '../../sql/migrate.ts'
import { type Sql, inBackground, rowsOf, sql } from '../../sql/port.ts'
import { HEAD } from '../chain/chain.ts'
import { COUNTED, droppedRunEnds } from '../chain/counters.ts'
import { BACKLOG, toBacklog } from '../webhooks/backlog.ts'
import { checkChain, checkSequence } from './chain_check.ts'
import { checkPointers, checkPolicy, checkPrices } from './derived_check.ts'
import { durabilityCheck } from './durability.ts'
import { checkDigests, checkGaps, checkRollups, checkScopes } from './events_check.ts'
import { checkLog } from './log_check.ts'
import { checkLooks } from './looks_check.ts'
import { checkDeliveries } from './outbox_check.ts'
import { type DoctorCheck, type Progress, fail, pass } from './report.ts'
import { checkHeldRows } from './rows_check.ts'
import { checkMigrations, checkSchema } from './schema_check.ts'
import { watchesCheck } from './watches.ts'

export interface DoctorOptions {
  /** What this program migrates such a database by. */
  readonly migrations: readonly Migration[]
  /**
   * Verifies both chains from their first entry on, replays every decision, and compares all that is derived or held by
   * the audit log with it. Reads everything, in slices.
   */
  readonly deep: boolean
  readonly onProgress?: Progress | undefined
}

/** Read-only checks of a ledger: of its newest entries, in a time that doesn't grow with it, or deep ones of all. */
export async function examine(
  ledger: Sql,
  { migrations, deep, onProgress }: DoctorOptions,
): Promise<DoctorReport> {
  const db = deep ? inBackground(ledger) : ledger
  const schema = [await checkMigrations(db, migrations), await checkSchema(db, migrations)]
  if ((await rowsOf(db, HEAD)).length === 0) {
    return { ok: false, checks: [...schema, fail('audit_head', 'has no row; restore the ledger')] }
  }
  const checks = [
    ...schema,
    ...(await checkPointers(db, deep)),
    await checkPolicy(db, deep),
    await checkSequence(db, deep),
    await checkChain(db, { whole: deep, replays: deep }, onProgress),
    await checkLog(db, deep, onProgress),
    await checkDropped(db),
    ...(await checkRetention(db)),
    await checkOutbox(db),
    ...(await watchesCheck(db)),
    ...(await durabilityCheck(db)),
    ...(deep ? await deepChecks(db, onProgress) : []),
  ]
  return { ok: checks.every(check => check.ok), checks }
}

/** That pointers, policy and both chains hold, from the first entry on; decisions are not replayed. */
export async function trailReport(db: Sql): Promise<DoctorCheck[]> {
  return [
    ...(await checkPointers(db, true)),
    await checkPolicy(db, true),
    await checkSequence(db, true),
    await checkChain(db, { whole: true, replays: false }),
    await checkLog(db, true),
  ]
}

async function deepChecks(db: Sql, onProgress: Progress | undefined): Promise<DoctorCheck[]> {
  return [
    await checkPrices(db),
    await checkHeldRows(db, onProgress),
    await checkLooks(db),
    await checkDeliveries(db),
    await checkRollups(db, onProgress),
    await checkScopes(db, onProgress),
    await checkDigests(db, onProgress),
    await checkGaps(db),
    await checkCounters(db),
  ]
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
