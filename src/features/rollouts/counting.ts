import { type Assignment, assignmentBytes, isCandidate, toAssignment } from '../../base/assignment.ts'
import { digestAll } from '../../base/bytes.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import type { RolloutUnit } from '../../models/names.ts'
import { eventNumbers, toMillionths } from '../../rules/rollup.ts'
import { binOf } from '../../rules/statistics/bins.ts'
import { LATENCY, SCORE, TOOLS } from './rules_readings.ts'
import { SETTLE_MS } from './rules_steps.ts'
import { MOST_UNITS } from './rules_units.ts'
import { type Row, type Sql, type Statement, join, raw, sql } from '../../sql/port.ts'
import { eitherText, jsonRows } from '../../sql/dialect.ts'
import type { IngestPart, IngestRows } from '../../ledger/events/ingest_part.ts'
import { PART_ROLLUP, type PartRow, PART_TOKENS } from '../../ledger/events/parts.ts'
import { RUN_SUMS } from '../../ledger/events/rollup_sql.ts'
import { remembering } from '../../ledger/world/memo.ts'
import { COLUMNS, parsedOf, splits } from './rows.ts'
import { SIDES } from './sums.ts'

/** A rollout as events are assigned by it. Times are epoch ms. */
export interface Assigning {
  readonly seq: number
  readonly rollout_id: string
  readonly agent_id: string
  readonly environment: string
  readonly by: RolloutUnit
  readonly releases: readonly [baseline: string, candidate: string]
  /** What is counted besides sums. */
  readonly values: ReadonlySet<string>
  readonly steps: readonly AssigningStep[]
}

interface AssigningStep {
  readonly index: number
  /** By which units are split: at 0 % that of the last step. */
  readonly share: number
  /** Whether all run the baseline. */
  readonly isBefore: boolean
  readonly from: number
  readonly to: number
  /** See {@link StoredStep}. */
  readonly after_event: number
}

const rolloutsOf = remembering((): { known?: CachedRollouts } => ({}))

/**
 * Works out again which side each run was assigned to, and counts it there, whatever release it ran on. A run counts in
 * the step in which it began and ended: one that began under an earlier split counts nowhere.
 */
export const counting: IngestPart = async (ledger, events, parts) => {
  const memory = rolloutsOf(ledger.memo)
  const { mark, rollouts } = (memory.known ??= await readAssigning(ledger.sql))
  const base: IngestRows = {
    holds: sql`(SELECT changed_by FROM rollout_mark WHERE id = 1) = ${mark}`,
    forget: () => delete memory.known,
  }
  const until = ledger.now() + SETTLE_MS
  const assigned = rollouts.length === 0 ? [] : await assignedRuns(events, rollouts, until)
  if (assigned.length === 0) return base
  const times = new Map(assigned.map(({ row: [run_id, ts] }) => [run_id, ts]))
  const runs = {
    rows: assigned.map(({ row }) => row),
    values: assigned.flatMap(({ values }) => values),
    parts: parts.filter(([run_id, , , , , , ts]) => times.get(run_id) === ts),
  }
  return { ...base, statements: () => statementsOf(runs), clauses: () => clausesOf(runs) }
}

interface CachedRollouts {
  /** The mark that it was read under. */
  readonly mark: string
  readonly rollouts: readonly Assigning[]
}

async function readAssigning(db: Sql): Promise<CachedRollouts> {
  const [mark, found] = await db.snapshot([
    sql`SELECT changed_by FROM rollout_mark WHERE id = 1`,
    sql`SELECT ${COLUMNS} FROM rollouts WHERE ${splits(db.clock)}`,
  ])
  return { mark: String(mark!.rows[0]!.changed_by), rollouts: found!.rows.map(toAssigning) }
}

export function toAssigning(row: Row): Assigning {
  const { steps, frozen, hold } = parsedOf(row)
  const last = steps.at(-1)!
  const begun = steps.flatMap(({ share, started_at, ended_at, after_event }, index): AssigningStep[] => {
    if (started_at === null) return []
    const isBefore = share === 0
    return [
      {
        index,
        share: isBefore ? last.share : share,
        isBefore,
        from: Date.parse(started_at) + SETTLE_MS,
        to: ended_at === null ? Infinity : Date.parse(ended_at),
        after_event: after_event ?? 0,
      },
    ]
  })
  const onHold: AssigningStep[] =
    row.state !== 'completed' || hold === null
      ? []
      : [
          {
            index: steps.length,
            share: 1 - hold.share,
            isBefore: false,
            from: Number(row.ended_at) + SETTLE_MS,
            to: Number(row.hold_until),
            after_event: 0,
          },
        ]
  return {
    seq: Number(row.seq),
    rollout_id: String(row.rollout_id),
    agent_id: String(row.agent_id),
    environment: String(row.environment),
    by: String(row.unit) as RolloutUnit,
    releases: [String(row.baseline_release_id), String(row.candidate_release_id)],
    values: new Set(frozen.values),
    steps: [...begun, ...onHold],
  }
}

/** `[run_id, ts, rollout, step, side, bucket, unit, is_wrong]`; without a unit it counts on no side. */
type RunRow = readonly [string, number, number, number, number, number, number, 0 | 1]
/** `[run_id, name, value]` */
type ValueRow = readonly [string, string, number]

export interface AssignedRun {
  readonly row: RunRow
  readonly values: readonly ValueRow[]
}

/**
 * The runs that count, each on the side and in the step that it is of. What is dated `until` or later may be of a step that
 * has not begun: it counts on no side.
 */
export async function assignedRuns(
  events: readonly StoredEvent[],
  rollouts: readonly Assigning[],
  until: number,
): Promise<AssignedRun[]> {
  // Of several with one run_id the first is stored, if any is.
  const first = new Map(events.toReversed().map(event => [event.run_id, event]))
  const found = [...first.values()].flatMap(event => {
    const rollout = rollouts.find(
      ({ agent_id, environment }) => agent_id === event.agent_id && environment === event.environment,
    )
    const { ts, latency_ms } = eventNumbers(event)
    const start = ts - (latency_ms ?? 0)
    const step = rollout?.steps.find(({ from, to }) => start >= from && ts < to)
    return rollout === undefined || step === undefined ? [] : [{ event, rollout, step, ts, latency_ms }]
  })
  const units = new Map<string, Assignment>()
  const bytes = new Map<string, Uint8Array<ArrayBuffer>>()
  for (const { event, rollout } of found) {
    const unit = unitOf(event, rollout.by)
    if (unit !== '') bytes.set(`${rollout.rollout_id}\0${unit}`, assignmentBytes(rollout.rollout_id, unit))
  }
  const digests = await digestAll([...bytes.values()])
  for (const [index, key] of [...bytes.keys()].entries()) units.set(key, toAssignment(digests[index]!))
  return found.map(({ event, rollout, step, ts, latency_ms }) => {
    const { run_id, release_id } = event
    const assignment = units.get(`${rollout.rollout_id}\0${unitOf(event, rollout.by)}`)
    if (assignment === undefined || ts >= until) {
      const side = ts >= until ? SIDES.ahead : SIDES.none
      return { row: [run_id, ts, rollout.seq, step.index, side, 0, 0, 0], values: [] }
    }
    const side = isCandidate(assignment, step.share) ? SIDES.candidate : SIDES.baseline
    const ownRelease = rollout.releases[step.isBefore ? SIDES.baseline : side]
    const isWrong = release_id === ownRelease ? 0 : 1
    const { number, bucket } = assignment
    return {
      row: [run_id, ts, rollout.seq, step.index, side, bucket, number, isWrong],
      values: valuesOf(event, latency_ms, rollout.values).map(([name, value]): ValueRow => [
        run_id,
        name,
        value,
      ]),
    }
  })
}

/** The unit of an event; empty where it has none. */
function unitOf({ request, tenant_id, assignment }: StoredEvent, by: RolloutUnit): string {
  if (by === 'session') return request?.session_id ?? ''
  return by === 'tenant' ? tenant_id : (assignment?.unit ?? '')
}

function valuesOf(
  { type, metrics, usage, scores = {} }: StoredEvent,
  latencyMs: number | null,
  counted: ReadonlySet<string>,
): [name: string, value: number][] {
  if (counted.size === 0) return []
  const isEnd = type === 'run_end'
  const calls = isEnd ? usage.tools.reduce((sum, { invocations }) => sum + invocations, 0) : 0
  const values = Object.entries(isEnd ? scores : {})
    .map(([name, score]): [string, number] => [`${SCORE}${name}`, toMillionths(score)])
    .filter(([name]) => counted.has(name))
  if (counted.has(TOOLS)) values.unshift([TOOLS, calls])
  // Failed runs may be quick: percentiles are of those that succeeded, as the mean is.
  if (counted.has(LATENCY) && latencyMs !== null && metrics.success)
    values.unshift([`${LATENCY}:${binOf(latencyMs)}`, 0])
  return values
}

interface Runs {
  readonly rows: readonly RunRow[]
  readonly values: readonly ValueRow[]
  readonly parts: readonly PartRow[]
}

const KEY = 'rollout, step, side, bucket'

/** A table of sums by rollout, step, side, bucket and one more column. */
interface SumTable {
  readonly table: string
  readonly last: string
  readonly sums: readonly (readonly [column: string, expression: string])[]
}

const RUNS: SumTable = {
  table: 'rollout_sums',
  last: 'variant',
  sums: [['strays', 'sum(stray)'], ...RUN_SUMS],
}
const PARTS: SumTable = { table: 'rollout_parts', last: 'variant', sums: PART_ROLLUP }
const VALUES: SumTable = {
  table: 'rollout_values',
  last: 'name',
  sums: [
    ['runs', 'count(*)'],
    ['value_sum', 'sum(CAST(value AS DOUBLE PRECISION))'],
    ['value_sq', 'sum(CAST(value AS DOUBLE PRECISION) * value)'],
  ],
}

export const SUM_TABLES: readonly SumTable[] = [RUNS, PARTS, VALUES]

/** A field of a row of JSON. On SQLite it has the type that it has in JSON. */
function field(row: string, index: number, type?: 'TEXT'): Statement {
  const value = `${row}.value ->> ${index}`
  return type === 'TEXT' ? raw(value) : eitherText(value, `CAST(${value} AS BIGINT)`)
}

/** The new events of a batch as they were assigned; `from` joins them as `e`. */
function assignedSelect(rows: readonly RunRow[], from: Statement): Statement {
  const given = ['rollout', 'step', 'side', 'bucket', 'unit', 'stray'].map(
    (name, index) => sql`${field('given', index + 2)} AS ${raw(name)}`,
  )
  return sql`SELECT ${join(given, ', ')}, e.run_id, e.variant, e.success, e.latency_ms, e.input_tokens, e.output_tokens,
      e.cached_input_tokens
    FROM ${jsonRows(rows, 'given')} ${from}
      ON e.run_id = ${field('given', 0, 'TEXT')} AND e.ts = ${field('given', 1)}`
}

/** A table, and the rows that are summed in it. */
interface Summing extends SumTable {
  readonly rows: Statement
}

/** Sums of rows, in the order of their keys. */
function sumsSelect({ last, sums, rows }: Summing): Statement {
  const key = raw(`${KEY}, ${last}`)
  return sql`SELECT ${key}, ${raw(sums.map(([column, expression]) => `${expression} AS ${column}`).join(', '))}
    FROM ${rows} AS own WHERE true GROUP BY ${key} ORDER BY ${key}`
}

function addSums(summing: Summing): Statement {
  const { table, last, sums } = summing
  const [key, columns] = [`${KEY}, ${last}`, sums.map(([column]) => column)]
  return sql`INSERT INTO ${raw(`${table} (${key}, ${columns.join(', ')})`)} ${sumsSelect(summing)}
    ON CONFLICT (${raw(key)}) DO UPDATE SET ${raw(columns.map(sum => `${sum} = ${table}.${sum} + excluded.${sum}`).join(', '))}`
}

/** What is summed of runs, of what is called `assigned`. */
function summings({ values, parts }: Omit<Runs, 'rows'>): Summing[] {
  const of = (json: readonly unknown[], columns: readonly (readonly [string, number, 'TEXT'?])[]) =>
    sql`(SELECT a.rollout, a.step, a.side, a.bucket,
        ${join(
          columns.map(([name, index, type]) => sql`${field('listed', index, type)} AS ${raw(name)}`),
          ', ',
        )}
      FROM ${jsonRows(json, 'listed')} JOIN assigned AS a ON a.run_id = ${field('listed', 0, 'TEXT')})`
  const tokens = PART_TOKENS.map((name, index) => [name, index + 2] as const)
  const ofParts = of(parts, [['variant', 1], ...tokens])
  const ofValues = of(values, [
    ['name', 1, 'TEXT'],
    ['value', 2],
  ])
  return [
    { ...RUNS, rows: raw('assigned') },
    ...(parts.length === 0 ? [] : [{ ...PARTS, rows: ofParts }]),
    ...(values.length === 0 ? [] : [{ ...VALUES, rows: ofValues }]),
  ]
}

const HAS_SIDE = raw(`side < ${SIDES.none}`)

/** Whether a step tells further units apart. */
const HAS_ROOM = raw(`(SELECT coalesce(sum(c.units), 0) FROM rollout_counts c
  WHERE c.rollout = a.rollout AND c.step = a.step) < ${MOST_UNITS}`)

function addUnits(columns: Statement, from: Statement): Statement {
  return sql`INSERT INTO rollout_counts (rollout, step, side, slot, units)
    SELECT ${columns}, count(*) FROM ${from} WHERE true GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3
    ON CONFLICT (rollout, step, side, slot) DO UPDATE SET units = rollout_counts.units + excluded.units`
}

function statementsOf(runs: Runs): Statement[] {
  const isNew = raw('AND e.seq > (SELECT seq FROM rollup_mark)')
  const assigned = sql`${assignedSelect(runs.rows, raw('CROSS JOIN run_events AS e'))} ${isNew}`
  const fresh = sql`(SELECT DISTINCT a.rollout, a.step, a.side, a.unit FROM assigned AS a
    WHERE ${HAS_SIDE} AND ${HAS_ROOM} AND NOT EXISTS (
      SELECT 1 FROM rollout_units u WHERE u.rollout = a.rollout AND u.step = a.step AND u.unit = a.unit)) AS fresh`
  const statements = [
    ...summings(runs).map(addSums),
    // Counted before they are there.
    addUnits(raw('rollout, step, side, 0'), fresh),
    sql`INSERT INTO rollout_units (rollout, step, unit) SELECT rollout, step, unit FROM ${fresh} WHERE true
      ON CONFLICT DO NOTHING`,
  ]
  // Materialized, because it would be computed again for each row that it is joined with.
  return statements.map(statement => sql`WITH assigned AS MATERIALIZED (${assigned}) ${statement}`)
}

/** Several writers see a unit at once, so those count that were inserted, in slots that writers don't share. */
function clausesOf(runs: Runs): Statement[] {
  const clauses = summings(runs).map(
    (summing, index) => sql`, ${raw(`summed_${index}`)} AS (${addSums(summing)})`,
  )
  return [
    sql`, assigned AS (${assignedSelect(runs.rows, raw('JOIN added AS e'))})`,
    ...clauses,
    sql`, fresh_units AS (
      INSERT INTO rollout_units (rollout, step, unit)
      SELECT DISTINCT a.rollout, a.step, a.unit FROM assigned AS a WHERE ${HAS_SIDE} AND ${HAS_ROOM} ORDER BY 1, 2, 3
      ON CONFLICT DO NOTHING RETURNING rollout, step, unit)`,
    sql`, counted_units AS (${addUnits(
      raw('rollout, step, side, pg_backend_pid() % 16'),
      raw(`fresh_units JOIN (SELECT DISTINCT rollout, step, side, unit FROM assigned) AS seen
        USING (rollout, step, unit)`),
    )})`,
  ]
}

/** The same sums of stored events: what the rows of those tables have to add up to. */
export function recountStatements(
  runs: readonly AssignedRun[],
  parts: readonly PartRow[],
): (SumTable & { readonly statement: Statement })[] {
  const joined = eitherText('CROSS JOIN run_events AS e', 'JOIN run_events AS e')
  const assigned = assignedSelect(
    runs.map(({ row }) => row),
    joined,
  )
  const values = runs.flatMap(run => run.values)
  return summings({ values, parts }).map(summing => ({
    ...summing,
    statement: sql`WITH assigned AS MATERIALIZED (${assigned}) ${sumsSelect(summing)}`,
  }))
}
