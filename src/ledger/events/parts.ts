import { HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import { type PartSums, NO_SUMS, eventNumbers, mayHaveParts, partsOf } from '../../rules/rollup.ts'
import type { Range, Window } from '../../rules/window.ts'
import { type Row, type Statement, raw, sql } from '../../sql/port.ts'
import { asNumber, asText, columns, orNull } from '../../sql/query.ts'
import {
  type Blocks,
  type Filters,
  IN_SCOPE,
  blockOf,
  addedRanges,
  isFiltered,
  named,
  scopeCte,
  summed,
  unionAll,
  wholeHours,
} from './rollups.ts'
import { matchingEvents } from './matching.ts'
import { matchingRuns } from './matching_runs.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { MOVED, eventsUnderWay, movedAt } from './under_way.ts'

/** A part of a run: what `run_parts` has of it besides what it takes from the event. */
export type PartRow = readonly [
  run_id: string,
  variant: number,
  input_tokens: number,
  output_tokens: number,
  cached_input_tokens: number,
  cache_write_input_tokens: number,
  ts: number,
]

interface Timed {
  readonly event: StoredEvent
  readonly ts: number
}

/** Events with their times: of several with one run_id and time the first is the one that is stored, if any is. */
export function firstOfEach(events: readonly StoredEvent[]): Timed[] {
  const first = new Map<string, Timed>()
  for (const event of events) {
    const { ts } = eventNumbers(event)
    const key = `${event.run_id} ${ts}`
    if (!first.has(key)) first.set(key, { event, ts })
  }
  return [...first.values()]
}

/** The parts of those of these events that may be stored. */
export function partRows(
  events: readonly StoredEvent[],
  variantOf: (event: StoredEvent, used: { readonly provider: string; readonly model: string }) => number,
): PartRow[] {
  if (!events.some(mayHaveParts)) return []
  const rows: PartRow[] = []
  for (const { event, ts } of firstOfEach(events)) {
    for (const part of partsOf(event)) {
      const { input_tokens, output_tokens, cached_input_tokens, cache_write_input_tokens } = part
      rows.push([
        event.run_id,
        variantOf(event, part),
        input_tokens,
        output_tokens,
        cached_input_tokens,
        cache_write_input_tokens,
        ts,
      ])
    }
  }
  return rows
}

export const PART_TOKENS = [
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'cache_write_input_tokens',
] as const
const NAMES = ['input', 'output', 'cached', 'write'] as const
const COLUMNS = raw(`event, variant, scope, ts, tenant_id, task_id, ${PART_TOKENS.join(', ')}`)

/** What rollups keep of parts: their number, sums, and the ten second moments of their tokens. */
export const PART_ROLLUP: readonly (readonly [column: string, expression: string])[] = [
  ['parts', 'count(*)'],
  ...NAMES.map((name, index) => [`${name}_sum`, `sum(${asDouble(index)})`] as const),
  ...NAMES.map((name, index) => [`${name}_sq`, `sum(${asDouble(index)} * ${PART_TOKENS[index]})`] as const),
  ...NAMES.flatMap((name, index) =>
    NAMES.slice(index + 1).map(
      (other, offset) =>
        [`${name}_${other}`, `sum(${asDouble(index)} * ${PART_TOKENS[index + 1 + offset]})`] as const,
    ),
  ),
]

export const PART_SUMS: readonly string[] = PART_ROLLUP.map(([column]) => column)

/** The second moments in the order of pairs of kinds: (0,0), (0,1) … (0,3), (1,1) … (3,3). */
const PART_PRODUCTS: readonly {
  readonly column: string
  readonly factors: readonly [string, string]
}[] = NAMES.flatMap((name, index) =>
  NAMES.slice(index).map((other, offset) => ({
    column: offset === 0 ? `${name}_sq` : `${name}_${other}`,
    factors: [PART_TOKENS[index]!, PART_TOKENS[index + offset]!] as const,
  })),
)

function asDouble(index: number): string {
  return `CAST(${PART_TOKENS[index]} AS DOUBLE PRECISION)`
}

/** `scope, bucket, variant` and the sums of the parts that `source` (a FROM clause's rest) names. */
export function partRollupSelect(widthMs: number, source: Statement): Statement {
  return sql`SELECT scope, ts / ${raw(String(widthMs))} AS bucket, variant,
      ${raw(PART_ROLLUP.map(([column, expression]) => `${expression} AS ${column}`).join(', '))}
    FROM ${source} GROUP BY scope, ts / ${raw(String(widthMs))}, variant`
}

export const PART_WIDTHS = [
  ['rollup_part_minutes', 60_000],
  ['rollup_part_hours', 3_600_000],
] as const

function rollupParts(table: string, widthMs: number, source: Statement, order = ''): Statement {
  const added = PART_SUMS.map(column => `${column} = ${table}.${column} + excluded.${column}`).join(', ')
  return sql`INSERT INTO ${raw(`${table} (scope, bucket, variant, ${PART_SUMS.join(', ')})`)}
    ${partRollupSelect(widthMs, source)} ${raw(order)}
    ON CONFLICT (scope, bucket, variant) DO UPDATE SET ${raw(added)}`
}

/** Whether events come in, or back from an archive: rollups count those already. */
export type Coming = 'in' | 'back'

/** Stores the parts of events that are newer than the mark, and adds those that come in to their rollups. */
export function partStatements(parts: readonly PartRow[], coming: Coming): Statement[] {
  if (parts.length === 0) return []
  const picks = raw(PART_TOKENS.map((_, index) => `given.value ->> ${index + 2}`).join(', '))
  return [
    sql`INSERT INTO run_parts (${COLUMNS})
      SELECT e.seq, given.value ->> 1, e.scope, e.ts, e.tenant_id, e.task_id, ${picks}
      FROM json_each(${JSON.stringify(parts)}) AS given CROSS JOIN run_events e
      WHERE e.run_id = given.value ->> 0 AND e.ts = given.value ->> 6 AND e.seq > (SELECT seq FROM rollup_mark)`,
    ...(coming === 'back' ? [] : PART_WIDTHS).map(([table, width]) =>
      rollupParts(table, width, sql`run_parts WHERE event > (SELECT seq FROM rollup_mark)`),
    ),
  ]
}

/** The same on PostgreSQL: more of a WITH clause in which `added` are the new events. */
export function partClauses(parts: readonly PartRow[], coming: Coming): Statement {
  if (parts.length === 0) return sql``
  const picks = raw(PART_TOKENS.map((_, index) => `CAST(given ->> ${index + 2} AS BIGINT)`).join(', '))
  const [minutes, hours] = PART_WIDTHS.map(([table, width]) =>
    rollupParts(table, width, raw('parts'), 'ORDER BY 1, 2, 3'),
  )
  return sql`, parts AS (
      INSERT INTO run_parts (${COLUMNS})
      SELECT a.seq, CAST(given ->> 1 AS BIGINT), a.scope, a.ts, a.tenant_id, a.task_id, ${picks}
      FROM jsonb_array_elements(CAST(CAST(${JSON.stringify(parts)} AS TEXT) AS JSONB)) AS given
      JOIN added a ON a.run_id = given ->> 0 AND a.ts = CAST(given ->> 6 AS BIGINT)
      RETURNING scope, ts, variant, ${raw(PART_TOKENS.join(', '))}
    )${coming === 'in' ? sql`, part_minutes AS (${minutes!}), part_hours AS (${hours!})` : raw('')}`
}

/** The sums of the parts of a release's runs, a row per variant: from rollups, and raw at the ragged ends. */
export function partsStatement(
  releaseId: string,
  environment: string,
  blocks: Blocks,
  filters: Filters,
): Statement {
  const matching = isFiltered(filters)
    ? matchingRuns({ releaseId, environment }, filters, blocks.window, wholeHours(blocks))
    : undefined
  const ofHours = (rows: Statement): Statement => summedParts(HOUR_MS, rows)
  const rows = [
    ...(matching?.parts('parts', ofHours, partsOfEvents, PARTS_OF_EVENT) ?? allParts(blocks)),
    ...movedParts(blocks, filters),
  ]
  return sql`WITH ${matching?.ctes ?? scopeCte(releaseId, environment)}
    SELECT ${NAMED}, v.agent_id, v.provider, v.model
    FROM (
      SELECT p.variant, ${blockOf(blocks, 'p.at_ms')} AS block, ${SUMMED}
      FROM (${unionAll(rows)}) AS p GROUP BY p.variant, 2 HAVING sum(p.parts) > 0
    ) AS s JOIN variants v ON v.id = s.variant
    ORDER BY v.agent_id, v.provider, v.model, s.block`
}

export const PART_COLUMNS = [
  ['parts', 'parts'],
  ['input_sum', 'input_tokens'],
  ['output_sum', 'output_tokens'],
  ['cached_sum', 'cached_input_tokens'],
  ['write_sum', 'cache_write_input_tokens'],
  ...PART_PRODUCTS.map(({ column }) => [column, column] as const),
] as const
const SUMMED = summed(PART_COLUMNS)
const NAMED = named(['block'], PART_COLUMNS)

const readPart = columns({
  agent_id: asText,
  provider: asText,
  model: asText,
  block: orNull(asNumber),
  parts: asNumber,
  input_tokens: asNumber,
  output_tokens: asNumber,
  cached_input_tokens: asNumber,
  cache_write_input_tokens: asNumber,
})
const readProducts = columns(
  Object.fromEntries(PART_PRODUCTS.map(({ column }) => [column, orNull(asNumber)])),
)

/** Sums of a series have neither blocks nor products. */
export function toPartSums(row: Row): PartSums {
  const { block, ...part } = readPart(row)
  const products = Object.values(readProducts(row))
  return { ...NO_SUMS, ...part, block: block ?? 0, token_products: products.map(product => product ?? 0) }
}

function allParts(blocks: Blocks): Statement[] {
  const { hours, minutes, rows } = addedRanges(blocks)
  return [
    ...hours.map(range => rolledUp('rollup_part_hours', HOUR_MS, range)),
    ...minutes.map(range => rolledUp('rollup_part_minutes', MINUTE_MS, range)),
    ...rows.map(({ from, to }) => rawParts(sql`ts >= ${from} AND ts < ${to}`)),
  ]
}

/** Parts of runs that were under way at the moments of the cut, moved out of its blocks. */
function movedParts({ window, cut }: Blocks, filters: Filters): Statement[] {
  if (cut?.moments === undefined) return []
  const joined = sql`JOIN run_parts p ON p.event = e.seq ${MOVED}`
  return [
    sql`SELECT ${movedAt('p.ts')} AS at_ms, p.variant, moved.sign AS parts, ${ofOnePart('moved.sign * ')}
      FROM ${eventsUnderWay(cut.moments, window, filters, joined)}`,
  ]
}

function rolledUp(table: string, widthMs: number, { from, to }: Range): Statement {
  return summedParts(
    widthMs,
    sql`${raw(table)} t WHERE t.${IN_SCOPE} AND t.bucket >= ${from} AND t.bucket < ${to}`,
  )
}

/** Rows `t` of a rollup, the rest of a FROM clause. */
function summedParts(widthMs: number, from: Statement): Statement {
  const sums = PART_COLUMNS.map(([column]) => `t.${column}`).join(', ')
  return sql`SELECT t.bucket * ${raw(String(widthMs))} AS at_ms, t.variant, ${raw(sums)} FROM ${from}`
}

/** What a part `p` adds to the sums, times a sign. */
function ofOnePart(sign = ''): Statement {
  const sums = PART_TOKENS.map(
    (name, index) => `${sign}CAST(p.${name} AS DOUBLE PRECISION) AS ${NAMES[index]!}_sum`,
  )
  const products = PART_PRODUCTS.map(
    ({ column, factors: [one, other] }) =>
      `${sign}CAST(p.${one} AS DOUBLE PRECISION) * p.${other} AS ${column}`,
  )
  return raw([...sums, ...products].join(', '))
}

function rawParts(where: Statement): Statement {
  return sql`SELECT ts AS at_ms, variant, 1 AS parts, ${ofOnePart()}
    FROM run_parts p WHERE ${IN_SCOPE} AND ${where}`
}

const PARTS_OF_EVENT = raw('JOIN run_parts p ON p.event = e.seq')

function partsOfEvents(events: Statement): Statement {
  return sql`SELECT p.ts AS at_ms, p.variant, 1 AS parts, ${ofOnePart()} FROM ${events}
    AND EXISTS (SELECT 1 FROM run_parts WHERE ${IN_SCOPE})`
}

/** Slots of time, each of so many rows of a rollup. */
export interface Slots {
  readonly hourly: boolean
  readonly perSlot: number
  /** The rows. */
  readonly range: Range
}

/** Sums of parts by slot and variant: for a course over time. */
export function partSeriesStatement(
  releaseId: string,
  environment: string,
  { hourly, perSlot, range }: Slots,
): Statement {
  // A bound parameter would make the division one of doubles.
  const slot = raw(`s.bucket / ${perSlot}`)
  return sql`WITH ${scopeCte(releaseId, environment)}
    SELECT ${slot} AS slot, v.agent_id, v.provider, v.model, sum(s.parts) AS parts,
      sum(s.input_sum) AS input_tokens, sum(s.output_sum) AS output_tokens,
      sum(s.cached_sum) AS cached_input_tokens, sum(s.write_sum) AS cache_write_input_tokens
    FROM ${raw(hourly ? 'rollup_part_hours' : 'rollup_part_minutes')} s JOIN variants v ON v.id = s.variant
    WHERE s.scope = (SELECT id FROM scope) AND s.bucket >= ${range.from} AND s.bucket < ${range.to}
    GROUP BY ${slot}, v.agent_id, v.provider, v.model
    ORDER BY slot, v.agent_id, v.provider, v.model`
}

/** The same of the runs that match a filter, by slots of so many milliseconds. */
export function matchingPartSeries(
  releaseId: string,
  environment: string,
  window: Window,
  widthMs: number,
  filters: Filters,
): Statement {
  const slot = raw(`s.ts / ${widthMs}`)
  return sql`WITH ${scopeCte(releaseId, environment)}
    SELECT ${slot} AS slot, v.agent_id, v.provider, v.model, count(*) AS parts,
      sum(s.input_tokens) AS input_tokens, sum(s.output_tokens) AS output_tokens,
      sum(s.cached_input_tokens) AS cached_input_tokens, sum(s.cache_write_input_tokens) AS cache_write_input_tokens
    FROM (SELECT p.* FROM ${matchingEvents(window, filters, PARTS_OF_EVENT)}) AS s
    JOIN variants v ON v.id = s.variant
    GROUP BY ${slot}, v.agent_id, v.provider, v.model
    ORDER BY slot, v.agent_id, v.provider, v.model`
}

/** One run_id that used a model besides its own one. */
export function onePartStatement(
  releaseId: string,
  environment: string,
  { since, until }: Window,
  model: string,
): Statement {
  return sql`WITH ${scopeCte(releaseId, environment)}
    SELECT e.run_id FROM run_parts p JOIN run_events e ON e.seq = p.event
    WHERE p.scope = (SELECT id FROM scope) AND p.ts >= ${since} AND p.ts < ${until}
      AND p.variant IN (SELECT id FROM variants WHERE model = ${model}) LIMIT 1`
}
