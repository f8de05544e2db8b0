import type { DoctorReport } from '../../models/answers/health.ts'
import type { WorkspaceConfig } from '../../models/documents/workspace.ts'
import { isoTime } from '../../base/time.ts'
import type { Clock } from '../../rules/clock.ts'
import { type LossySetting, lossySettings, sessionProblem } from '../../sql/server.ts'
import { inBackground } from '../../sql/deadline.ts'
import { type Migration, type Sql, LARGE_LOG_BYTES, SqlError, isGone, sql } from '../../sql/port.ts'
import {
  asNumber,
  asText,
  ask,
  columns,
  field,
  firstRow,
  inTurn,
  listed,
  mapped,
  onlyRow,
} from '../../sql/query.ts'
import { type CounterName, COUNTED, droppedRunEnds, BACKLOG } from '../trail/counters.ts'
import { type Features, type Progress, partsOf } from '../world/ledger.ts'
import { type Check, type CheckOptions, type DoctorCheck, fail, pass } from './check.ts'
import { conditionsOf } from '../assess/current_state.ts'
import { checkChain, checkSequence } from './chain.ts'
import { checkPlaces, checkPointers, checkPrices } from './derived.ts'
import { checkGaps, checkRollups, checkScopes, checkParts } from './events.ts'
import { checkStoredRows, checkLog } from './log.ts'
import { checkRescues } from './rescues.ts'
import { checkMigrations, checkSchema } from './schema.ts'
import type { Unusable } from '../../rules/left_out.ts'
import { unusableReleases } from '../registry/unusable.ts'

export interface DoctorOptions extends CheckOptions {
  /** What this program migrates such a database by. */
  readonly migrations: readonly Migration[]
  /**
   * Verifies both chains from their first entry on, replays every decision, and compares all that is derived or covered by
   * the audit log with it. Reads everything, in slices.
   */
  readonly deep: boolean
  /** The settings whose freezes and order of environments are compared with what there is. */
  readonly workspace?: WorkspaceConfig
  /** Reads the database's clock, and compares it with that of whoever asks. */
  readonly clock?: () => Promise<Clock>
}

/** Read-only checks of a ledger: of its newest entries, in a time that doesn't grow with it, or deep ones of all. */
export async function examine(ledger: Sql, options: DoctorOptions): Promise<DoctorReport> {
  const db = options.deep ? inBackground(ledger) : ledger
  const checks: DoctorCheck[] = options.deep ? await checkFile(db, options.onProgress) : []
  // What else is read from a damaged file is not to be believed.
  if (checks.some(({ ok }) => !ok)) return { ok: false, checks }
  const further = (await partsOf(options.features, 'checks')).flat()
  for (const { name, deep = false, run } of [...checksOf(db, options), ...further]) {
    if (!deep || options.deep) checks.push(...(await carriedOut(name, () => run(db, options))))
  }
  return { ok: checks.every(check => check.ok), checks }
}

function checksOf(
  db: Sql,
  { migrations, features, workspace, clock, deep, onProgress }: DoctorOptions,
): Check[] {
  const check = (name: string, run: () => ReturnType<Check['run']>): Check => ({ name, run })
  const deeply = (name: string, run: () => ReturnType<Check['run']>): Check => ({ name, deep: true, run })
  return [
    check('schema_migrations', () => checkMigrations(db, migrations)),
    check('schema', () => checkSchema(db, migrations)),
    check('promoted_pointers', () => checkPointers(db, deep)),
    check('audit_seq', () => checkSequence(db, deep)),
    check('audit_chain', async () =>
      checkChain(db, { whole: deep, replayBy: deep ? await conditionsOf(features) : undefined }, onProgress),
    ),
    check('audit_log', () => checkLog(db, deep, onProgress)),
    check('run_ends_dropped', () => checkDropped(db)),
    check('webhook_outbox', () => checkOutbox(db)),
    check('unusable_releases', () => checkUnusable(db, features)),
    check('durability', () => durabilityCheck(db)),
    check('writes', () => checkWrites(db)),
    check('known_values', () => checkKnownValues(db)),
    check('write_ahead_log', () => checkLogSize(db)),
    ...(clock === undefined ? [] : [check('clock', async () => clockCheck(await clock()))]),
    ...(workspace === undefined
      ? []
      : [
          check('places', () => checkPlaces(db, workspace)),
          check('rescues', () => checkRescues(db, workspace)),
          check('anonymous_diff', () => checkAnonymousDiff(db, workspace)),
        ]),
    deeply('price_tables', () => checkPrices(db)),
    deeply('held_rows', () => checkStoredRows(db, onProgress)),
    deeply('rollups', () => checkRollups(db, features, onProgress)),
    deeply('run_parts_and_scores', () => checkParts(db)),
    deeply('event_ids', () => checkScopes(db, onProgress)),
    deeply('event_gaps', () => checkGaps(db)),
    deeply('counters', () => checkCounters(db)),
  ]
}

/** A clock is no fault of the ledger, so this never fails. */
function clockCheck({ now, warning }: Clock): DoctorCheck {
  const checked = pass('clock', warning ?? `says ${isoTime(now)}`)
  return warning === undefined ? checked : { ...checked, warning: true }
}

/** Warns where named credentials close the service and strangers may still ask for single tenants. */
async function checkAnonymousDiff(
  db: Sql,
  { anonymous_diff, auth }: WorkspaceConfig,
): Promise<DoctorCheck[]> {
  if (anonymous_diff !== undefined || auth === 'named' || auth?.mode === 'named') return []
  const tokens = onlyRow(sql`SELECT count(*) AS n FROM tokens`, columns({ n: asNumber }))
  if ((await ask(db, tokens)).n === 0) return []
  const detail =
    'callers without a credential who know two release ids read the cost and error rate of single tenants and tasks by ' +
    'POST /v1/diff; set `anonymous_diff: totals` or `auth: named` in service.yaml to refuse that, or ' +
    '`anonymous_diff: open` to keep it'
  return [{ ...pass('anonymous_diff', detail), warning: true }]
}

/** What can't even be read fails its check; a database that can't be reached ends them all. */
async function carriedOut(
  name: string,
  check: () => ReturnType<Check['run']>,
): Promise<readonly DoctorCheck[]> {
  try {
    return [await check()].flat()
  } catch (error) {
    if (error instanceof SqlError && error.kind !== 'other') throw error
    return [fail(name, `stored data can't be read: ${(error as Error).message}`)]
  }
}

/** That pointers, policy and both chains hold, from the first entry on; decisions are not replayed. */
export async function trailReport(db: Sql): Promise<DoctorCheck[]> {
  return [
    ...(await checkPointers(db, true)),
    await checkSequence(db, true),
    await checkChain(db, { whole: true }),
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
  const { pending, failed, oldestPendingAt } = await ask(db, BACKLOG)
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
  'runs_dropped',
]

async function checkCounters(db: Sql): Promise<DoctorCheck> {
  const counted = Object.entries(COUNTED).map(([counter, query]) => {
    const statement = {
      text: `SELECT (${query}) AS counted,
        (SELECT coalesce(sum(value), 0) FROM counters WHERE name = ?) AS kept`,
      params: [counter],
    }
    const row = onlyRow(statement, columns({ counted: asNumber, kept: asNumber }))
    return mapped(row, sums => ({ counter, isWrong: sums.counted !== sums.kept }))
  })
  const found = await ask(db, inTurn(counted))
  const names = [...Object.keys(COUNTED), ...UNCOUNTED]
  const others = sql`SELECT name FROM counters WHERE name NOT IN (${listed(names)}) LIMIT 1`
  const unknown = await ask(db, firstRow(others, field('name', asText)))
  if (unknown !== undefined) return fail('counters', `there is no count of ${unknown}`)
  const wrong = found.filter(({ isWrong }) => isWrong).map(({ counter }) => counter)
  return wrong.length === 0
    ? pass('counters', 'equal to the rows they count')
    : fail('counters', `${wrong.join(', ')} differ from the rows; repair with \`svc rollups rebuild\``)
}

/** Most releases that are named. */
const MOST_NAMED = 5

/** Whether what is live, and what may be next, can be decided on at all: an unusable run event bars promotion and rollback alike. */
async function checkUnusable(db: Sql, features: Features): Promise<DoctorCheck[]> {
  const found = await unusableReleases(db, features)
  if (found.length === 0) return []
  const more = found.length > MOST_NAMED ? [`and ${found.length - MOST_NAMED} more`] : []
  const detail = [...found.slice(0, MOST_NAMED).map(textOf), ...more].join('; ')
  return [{ name: 'unusable_releases', ok: true, detail, warning: true }]
}

function textOf({ release_id, agent_id, environment, since, last, because }: Unusable): string {
  const way =
    last === null
      ? 'import it with `svc pricing import PATH`'
      : `a window that begins at ${last} or later has none, and a rollback can leave few out (--exclude-unusable)`
  return `${release_id} (${agent_id} in ${environment}) can't be decided on since ${since}: ${because}; ${way}`
}

/** What each setting of PostgreSQL costs where it is off. */
const LOST: Readonly<Record<LossySetting, string>> = {
  fsync: 'a power cut may destroy the whole database',
  full_page_writes: 'a power cut may leave half-written pages',
  synchronous_commit: 'a crash of the server loses decisions that were answered',
}

/**
 * Whether the server keeps what it has committed. Only PostgreSQL can be set not to: on a SQLite file the ledger sets it
 * itself, and D1 has no such setting.
 */
export async function durabilityCheck(db: Sql): Promise<DoctorReport['checks']> {
  const off = await lossySettings(db)
  if (off === undefined) return []
  if (off.length === 0) return [pass('durability', 'the server keeps what it has committed')]
  const detail = off.map(name => `${name} is off: ${LOST[name]}`).join('; ')
  return [{ ...pass('durability', detail), warning: true }]
}

/** Warns where all can be read and nothing written, as on a full disk: the other checks pass then. */
async function checkWrites(db: Sql): Promise<DoctorCheck[]> {
  try {
    await db.check(sql`SELECT id FROM audit_head`, 'write')
    return []
  } catch (error) {
    if (!(error instanceof SqlError) || isGone(error)) throw error
    const detail = `no decision and no run can be recorded: ${error.reason ?? error.message}`
    return [{ ...pass('writes', detail), warning: true }]
  }
}

/** One of our own sessions is refused when it is opened. */
export async function checkKnownValues(db: Sql): Promise<DoctorCheck[]> {
  const problem = await sessionProblem(db)
  return problem === undefined ? [] : [fail('known_values', problem)]
}

/** Warns of a log that is larger than its database, and than what SQLite lets it grow to: a reader keeps it. */
export async function checkLogSize(db: Sql): Promise<DoctorCheck[]> {
  const { bytes = 0 } = (await db.extras?.usage?.())?.log ?? {}
  if (bytes < LARGE_LOG_BYTES) return []
  const size = sql`SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size`
  const ledgerBytes = await ask(db, onlyRow(size, field('bytes', asNumber)))
  if (bytes <= ledgerBytes) return []
  const [log, ledger] = [bytes, ledgerBytes].map(each => `${Math.ceil(each / 1e6)} MB`)
  const detail = `the -wal file has ${log}, the ledger itself ${ledger}: end the process that has a long read open, such as a shell within a transaction`
  return [{ ...pass('write_ahead_log', detail), warning: true }]
}

/** Whether every page of the database's file is whole. PostgreSQL and D1 see to their own. */
export async function checkFile(db: Sql, onProgress?: Progress): Promise<DoctorCheck[]> {
  const readDamage = db.extras?.damage
  if (readDamage === undefined) return []
  const damage: string[] = []
  for (let [part, parts] = [0, 1]; part < parts; part++) {
    const said = await readDamage(part)
    parts = said.parts
    damage.push(...said.found)
    onProgress?.('file', part + 1, parts)
  }
  if (damage.length === 0) return [pass('database_file', 'every page is whole')]
  const said = damage.slice(0, MOST_SHOWN).join('; ').replaceAll(/\s+/g, ' ')
  return [fail('database_file', `is damaged: ${said}; restore a backup`)]
}

const MOST_SHOWN = 20
