import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { eventNumbers, mayHaveParts, partsOf } from '../../rules/rollup.ts'
import { type Statement, raw, sql } from '../../sql/port.ts'

/** A part of a run: what `run_parts` has of it beside what it takes from the event. */
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

export const PART_TOKENS = ['input_tokens', 'output_tokens', 'cached_input_tokens', 'cache_write_input_tokens'] as const
const NAMES = ['input', 'output', 'cached', 'write'] as const
const COLUMNS = raw(`event, variant, scope, ts, tenant_id, task_id, ${PART_TOKENS.join(', ')}`)

/** What roll-ups keep of parts: their number, sums, and the ten second moments of their tokens. */
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
export const PART_PRODUCTS: readonly {
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

function rollUpParts(table: string, widthMs: number, source: Statement, order = ''): Statement {
  const added = PART_SUMS.map(column => `${column} = ${table}.${column} + excluded.${column}`).join(', ')
  return sql`INSERT INTO ${raw(`${table} (scope, bucket, variant, ${PART_SUMS.join(', ')})`)}
    ${partRollupSelect(widthMs, source)} ${raw(order)}
    ON CONFLICT (scope, bucket, variant) DO UPDATE SET ${raw(added)}`
}

/** Whether events come in, or back from an archive: roll-ups count those already. */
export type Coming = 'in' | 'back'

/** Stores the parts of events that are newer than the mark, and adds those that come in to their roll-ups. */
export function partStatements(parts: readonly PartRow[], coming: Coming): Statement[] {
  if (parts.length === 0) return []
  const picks = raw(PART_TOKENS.map((_, index) => `given.value ->> ${index + 2}`).join(', '))
  return [
    sql`INSERT INTO run_parts (${COLUMNS})
      SELECT e.seq, given.value ->> 1, e.scope, e.ts, e.tenant_id, e.task_id, ${picks}
      FROM json_each(${JSON.stringify(parts)}) AS given CROSS JOIN run_events e
      WHERE e.run_id = given.value ->> 0 AND e.ts = given.value ->> 6 AND e.seq > (SELECT seq FROM rollup_mark)`,
    ...(coming === 'back' ? [] : PART_WIDTHS).map(([table, width]) =>
      rollUpParts(table, width, sql`run_parts WHERE event > (SELECT seq FROM rollup_mark)`),
    ),
  ]
}

/** The same on PostgreSQL: more of a WITH clause in which `added` are the new events. */
export function partClauses(parts: readonly PartRow[], coming: Coming): Statement {
  if (parts.length === 0) return sql``
  const picks = raw(PART_TOKENS.map((_, index) => `CAST(given ->> ${index + 2} AS BIGINT)`).join(', '))
  const [minutes, hours] = PART_WIDTHS.map(([table, width]) =>
    rollUpParts(table, width, raw('parts'), 'ORDER BY 1, 2, 3'),
  )
  return sql`, parts AS (
      INSERT INTO run_parts (${COLUMNS})
      SELECT a.seq, CAST(given ->> 1 AS BIGINT), a.scope, a.ts, a.tenant_id, a.task_id, ${picks}
      FROM jsonb_array_elements(CAST(CAST(${JSON.stringify(parts)} AS TEXT) AS JSONB)) AS given
      JOIN added a ON a.run_id = given ->> 0 AND a.ts = CAST(given ->> 6 AS BIGINT)
      RETURNING scope, ts, variant, ${raw(PART_TOKENS.join(', '))}
    )${coming === 'in' ? sql`, part_minutes AS (${minutes!}), part_hours AS (${hours!})` : raw('')}`
}
