import type { MeasuredSide } from '../../rules/diff_statistics.ts'
import {
  type Aggregate,
  type FailedSums,
  NO_FAILED,
  NO_SUMS,
  type PartSums,
  type Sums,
} from '../../rules/rollup.ts'
import type { ValueAggregate } from './rules_readings.ts'
import { type Row, type Statement, raw, sql } from '../../sql/port.ts'
import { type Query, allRows, asRow, mapped, together } from '../../sql/query.ts'
import { SUM_COLUMNS } from '../../ledger/events/block_sums.ts'
import { PART_COLUMNS } from '../../ledger/events/parts.ts'
import type { SumColumns } from '../../ledger/events/rollups.ts'

/** Sides as rows number them. On neither count runs that carry no unit, and those that are dated ahead of the clock. */
export const SIDES = { baseline: 0, candidate: 1, none: 2, ahead: 3 } as const
type Side = keyof typeof SIDES

/** What was counted, by step and side. */
export interface RolloutSums {
  readonly models: ReadonlySet<string>
  /** `strays` are runs of another release than that of their side. */
  readonly counts: (what: 'runs' | 'strays' | 'units', step: number) => Readonly<Record<Side, number>>
  /**
   * Blocks of aggregates and parts are buckets. Squares and products are those of all buckets together, in aggregates without runs:
   * nobody needs them by bucket.
   */
  readonly aggregates: (step: number, side: Side) => Pick<MeasuredSide, 'aggregates' | 'parts'>
}

/** `rollout` is its number, or what selects that. */
export function sumsQuery(rollout: number | Statement): Query<RolloutSums> {
  const found = together({
    aggregates: allRows(
      variantsOf('rollout_sums', RUNS, rollout, 'sum(runs) AS runs, sum(strays) AS strays, '),
      asRow,
    ),
    parts: allRows(variantsOf('rollout_parts', PARTS, rollout), asRow),
    units: allRows(
      sql`SELECT step, side, sum(units) AS units FROM rollout_counts WHERE rollout = ${rollout} GROUP BY step, side`,
      asRow,
    ),
  })
  return mapped(found, ({ aggregates, parts, units }) => {
    const own = (rows: readonly Row[], step: number, side: Side): Row[] =>
      rows.filter(row => row.step === step && row.side === SIDES[side])
    return {
      models: new Set([...aggregates, ...parts].map(({ model }) => String(model))),
      counts: (what, step) => {
        const of = (side: Side): number =>
          own(what === 'units' ? units : aggregates, step, side).reduce(
            (sum, row) => sum + Number(row[what]),
            0,
          )
        return {
          baseline: of('baseline'),
          candidate: of('candidate'),
          none: of('none'),
          ahead: of('ahead'),
        }
      },
      aggregates: (step, side) => ({
        aggregates: own(aggregates, step, side).flatMap(row => toSums(row, RUNS)),
        parts: own(parts, step, side).flatMap(row => toSums(row, PARTS)),
      }),
    }
  })
}

/** Columns that add up by bucket, with their names, and those of squares and products. */
interface Summed {
  readonly linear: readonly (readonly [column: string, name: keyof Sums | keyof FailedSums | 'parts'])[]
  readonly products: readonly string[]
}

const [RUNS, PARTS] = [SUM_COLUMNS, PART_COLUMNS].map((columns: SumColumns): Summed => {
  const isLinear = ([column]: SumColumns[number]): boolean =>
    /^(?:runs|errors|parts)$|_(?:sum|count)$/.test(column)
  return {
    linear: columns.filter(isLinear) as unknown as Summed['linear'],
    products: columns.filter(column => !isLinear(column)).map(([column]) => column),
  }
}) as [Summed, Summed]

/**
 * A row per step, side and variant: what is linear by bucket, as the inside of one JSON array, because a driver takes
 * longer for each value than SQL does; products summed over the buckets. Doubles of whole numbers are summed in two parts,
 * so that in any order no digit is lost up to 2^98.
 */
function variantsOf(
  table: 'rollout_sums' | 'rollout_parts',
  { linear, products }: Summed,
  rollout: number | Statement,
  counts = '',
): Statement {
  const listed = linear.map(([column]) => `CAST(${column} AS BIGINT)`).join(', ')
  const halves = products.map(column => {
    const high = `round(${column} / ${HIGH}.0)`
    const low = `CASE WHEN ${column} < ${HIGH}.0 THEN ${column} ELSE ${column} - ${high} * ${HIGH}.0 END`
    return `sum(${high}) FILTER (WHERE ${column} >= ${HIGH}.0) AS ${column}_high, sum(${low}) AS ${column}_low`
  })
  return sql`SELECT s.*, v.agent_id, v.provider, v.model
    FROM (
      SELECT step, side, variant, ${raw(counts)} string_agg(concat_ws(',', bucket, ${raw(listed)}), ',') AS buckets,
        ${raw(halves.join(', '))}
      FROM ${raw(table)} WHERE rollout = ${rollout} GROUP BY step, side, variant
    ) AS s JOIN variants v ON v.id = s.variant
    ORDER BY s.step, s.side, v.agent_id, v.provider, v.model`
}

const HIGH = 2 ** 45

function toSums(row: Row, { linear, products }: Summed): (Aggregate & FailedSums & PartSums)[] {
  const { agent_id, provider, model } = row
  const values = JSON.parse(`[${row.buckets}]`) as number[]
  const empty = {
    ...NO_SUMS,
    ...NO_FAILED,
    agent_id: String(agent_id),
    provider: String(provider),
    model: String(model),
    block: values[0]!,
    parts: 0,
    latency_sum_ms2: 0,
    token_products: [],
  }
  const aggregates: (Aggregate & FailedSums & PartSums)[] = []
  for (let at = 0; at < values.length; at += 1 + linear.length) {
    const aggregate = { ...empty, block: values[at]! }
    for (const [index, [, name]] of linear.entries()) aggregate[name] = values[at + 1 + index]!
    aggregates.push(aggregate)
  }
  // Both parts of each sum of products: added up without loss they are the sum.
  for (const [half, unit] of [
    ['high', HIGH],
    ['low', 1],
  ] as const) {
    const sumOf = (column: string): number => unit * Number(row[`${column}_${half}`] ?? 0)
    const tokens = products.filter(column => !column.endsWith(LATENCY_SQ))
    aggregates.push({
      ...empty,
      latency_sum_ms2: sumOf(LATENCY_SQ),
      failed_latency_sum_ms2: sumOf(`failed_${LATENCY_SQ}`),
      token_products: tokens.map(sumOf),
    })
  }
  return aggregates
}

const LATENCY_SQ = 'latency_sq'

/** What limits of the policy are decided by besides sums, of one step. */
export function valuesQuery(rollout: number, step: number): Query<ValueAggregate[]> {
  return allRows(
    sql`SELECT side, bucket, name, runs, value_sum, value_sq FROM rollout_values
      WHERE rollout = ${rollout} AND step = ${step} AND side < ${SIDES.none} ORDER BY side, bucket, name`,
    (row): ValueAggregate => ({
      side: Number(row.side) === SIDES.baseline ? 'baseline' : 'candidate',
      bucket: Number(row.bucket),
      name: String(row.name),
      runs: Number(row.runs),
      sum: Number(row.value_sum),
      sum_of_squares: Number(row.value_sq),
    }),
  )
}
