import type { DigestAll } from '../../base/bytes.ts'
import type { DoctorReport } from '../../models/answers/health.ts'
import type { WorkspaceConfig } from '../../models/documents/workspace.ts'
import { isoTime } from '../../base/time.ts'
import type { Clock } from '../../rules/clock.ts'
import { type Migration, type Sql, SqlError, inBackground, join, rowsOf, sql } from '../../sql/port.ts'
import { COUNTED, type CounterName, droppedRunEnds } from '../chain/counters.ts'
import { BACKLOG, toBacklog } from '../webhooks/backlog.ts'
import type { Progress } from '../ledger.ts'
import { checkChain, checkSequence } from './chain.ts'
import { checkPlaces, checkPointers, checkPolicy, checkPrices } from './derived.ts'
import { checkParts } from './parts.ts'
import { durabilityCheck } from './durability.ts'
import { checkDigests, checkGaps, checkRollups, checkScopes } from './events.ts'
import { checkFile } from './file.ts'
import { checkLog } from './log.ts'
import { checkKeptAnswers } from './kept_answers.ts'
import { checkLooks } from './looks.ts'
import { checkDeliveries } from './outbox.ts'
import { type DoctorCheck, fail, pass } from './report.ts'
import { checkErased, checkJobs, checkRetention } from './retention.ts'
import { checkHeldRows } from './rows.ts'
import { checkMigrations, checkSchema } from './schema.ts'
import { checkUndecidable } from './undecidable.ts'
import { checkKeptSpans, checkSpans } from './spans.ts'
import { watchesCheck } from './watches.ts'

export interface DoctorOptions {
  /** What this program migrates such a database by. */
  readonly migrations: readonly Migration[]
  /**
   * Verifies both chains from their first entry on, replays every decision, and compares all that is derived or held by
   * the audit log with it. Reads everything, in slices.
   */
  readonly deep: boolean
  /** The settings whose freezes and order of environments are compared with what there is. */
  readonly workspace?: WorkspaceConfig
  /** Reads the database's clock, and compares it with that of whoever asks. */
  readonly clock?: () => Promise<Clock>
  /** Hashes many at once, where the runtime can do better than by WebCrypto. */
  readonly digestAll?: DigestAll | undefined
  readonly onProgress?: Progress | undefined
}

/** Read-only checks of a ledger: of its newest entries, in a time that doesn't grow with it, or deep ones of all. */
export async function examine(ledger: Sql, options: DoctorOptions): Promise<DoctorReport> {
  const db = options.deep ? inBackground(ledger) : ledger
  const checks: DoctorCheck[] = options.deep ? await checkFile(db, options.onProgress) : []
  // What else is read from a damaged file is not to be believed.
  if (checks.some(({ ok }) => !ok)) return { ok: false, checks }
  for (const [name, check] of checksOf(db, options)) checks.push(...(await carriedOut(name, check)))
  return { ok: checks.every(check => check.ok), checks }
}

type Check = readonly [name: string, check: () => Promise<DoctorCheck | DoctorCheck[]>]

function checksOf(
  db: Sql,
  { migrations, workspace, clock, deep, digestAll, onProgress }: DoctorOptions,
): Check[] {
  return [
    ['schema_migrations', () => checkMigrations(db, migrations)],
    ['schema', () => checkSchema(db, migrations)],
    ['promoted_pointers', () => checkPointers(db, deep)],
    ['policy', () => checkPolicy(db, deep)],
    ['audit_seq', () => checkSequence(db, deep)],
    ['audit_chain', () => checkChain(db, { whole: deep, replays: deep }, onProgress)],
    ['audit_log', () => checkLog(db, deep, onProgress)],
    ['run_ends_dropped', () => checkDropped(db)],
    ['retention', () => checkRetention(db)],
    ['trace_spans', () => checkSpans(db)],
    ['webhook_outbox', () => checkOutbox(db)],
    ['watches', () => watchesCheck(db)],
    ['undecidable_releases', () => checkUndecidable(db)],
    ['durability', () => durabilityCheck(db)],
    ...(clock === undefined ? [] : [['clock', async () => clockCheck(await clock())] as const]),
    ...(workspace === undefined ? [] : [['places', () => checkPlaces(db, workspace)] as const]),
    ...(deep ? deepChecks(db, digestAll, onProgress) : []),
  ]
}

function deepChecks(db: Sql, digestAll: DigestAll | undefined, onProgress: Progress | undefined): Check[] {
  return [
    ['price_tables', () => checkPrices(db)],
    ['held_rows', () => checkHeldRows(db, onProgress)],
    ['watch_looks', () => checkLooks(db)],
    ['webhook_deliveries', () => checkDeliveries(db)],
    ['idempotency_keys', () => checkKeptAnswers(db)],
    ['rollups', () => checkRollups(db, onProgress)],
    ['run_parts_and_scores', () => checkParts(db)],
    ['event_ids', () => checkScopes(db, onProgress)],
    ['event_digests', () => checkDigests(db, onProgress)],
    ['event_gaps', () => checkGaps(db)],
    ['retention_jobs', () => checkJobs(db)],
    ['erased_runs', () => checkErased(db, digestAll, onProgress)],
    ['kept_spans', () => checkKeptSpans(db)],
    ['counters', () => checkCounters(db)],
  ]
}

/** A clock is no fault of the ledger, so this never fails. */
function clockCheck({ now, warning }: Clock): DoctorCheck {
  const checked = pass('clock', warning ?? `says ${isoTime(now)}`)
  return warning === undefined ? checked : { ...checked, warning: true }
}

/** What can't even be read fails its check; a database that can't be reached ends them all. */
async function carriedOut(name: string, check: Check[1]): Promise<readonly DoctorCheck[]> {
  try {
    return [await check()].flat()
  } catch (error) {
    if (error instanceof SqlError && error.kind !== 'other') throw error
    return [fail(name, `what is stored can't be read: ${(error as Error).message}`)]
  }
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

/** Counters of what is kept nowhere. */
const UNCOUNTED: readonly CounterName[] = [
  'run_ends_dropped',
  'run_events_expired',
  'run_spans_late',
  'run_spans_forgotten',
]

async function checkCounters(db: Sql): Promise<DoctorCheck> {
  const results = await db.snapshot(
    Object.entries(COUNTED).map(([counter, query]) => ({
      text: `SELECT (${query}) AS counted,
        (SELECT coalesce(sum(value), 0) FROM counters WHERE name = ?) AS kept`,
      params: [counter],
    })),
  )
  const names = [...Object.keys(COUNTED), ...UNCOUNTED]
  const unknown = await rowsOf(
    db,
    sql`SELECT name FROM counters WHERE name NOT IN (${join(
      names.map(name => sql`${name}`),
      ', ',
    )}) LIMIT 1`,
  )
  if (unknown.length > 0) return fail('counters', `nothing is counted as ${unknown[0]!.name}`)
  const wrong = Object.keys(COUNTED).filter((_, index) => {
    const { counted, kept } = results[index]!.rows[0]!
    return counted !== kept
  })
  return wrong.length === 0
    ? pass('counters', 'equal to the rows they count')
    : fail('counters', `${wrong.join(', ')} differ from the rows; repair with \`svc rollups rebuild\``)
}
