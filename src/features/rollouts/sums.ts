import type { CellSums, PartSums } from '../../rules/rollup.ts'
import type { ValueCell } from './rules_readings.ts'
import type { SeenUnits } from './rules_units.ts'
import { type Row, type Statement, raw, sql } from '../../sql/port.ts'
import { type Query, allRows, together } from '../../sql/query.ts'
import { CELL_COLUMNS, toCellSums } from '../../ledger/events/cells.ts'
import { PART_COLUMNS, toPartSums } from '../../ledger/events/parts.ts'
import type { SumColumns } from '../../ledger/events/rollups.ts'

/** Sides as rows number them. On neither count runs that carry no unit, and those that are dated ahead of the clock. */
export const SIDES = { baseline: 0, candidate: 1, none: 2, ahead: 3 } as const
type Side = keyof typeof SIDES

interface Counted {
  readonly step: number
  readonly side: number
}

/** What was counted of a rollout. Blocks of cells and parts are buckets. */
export interface RolloutSums {
  readonly cells: readonly (CellSums & Counted & { readonly strays: number })[]
  readonly parts: readonly (PartSums & Counted)[]
  readonly units: readonly (Counted & { readonly units: number })[]
}

/** `rollout` is its number, or what selects that. */
export function sumsQuery(rollout: number | Statement): Query<RolloutSums> {
  const of = (table: string, columns: SumColumns, more = ''): Statement => {
    const sums = columns.map(([column, name]) => `s.${column} AS ${name}`).join(', ')
    return sql`SELECT s.step, s.side, s.bucket AS block, ${raw(`${more}${sums}`)}, v.agent_id, v.provider, v.model
      FROM ${raw(table)} s JOIN variants v ON v.id = s.variant WHERE s.rollout = ${rollout}
      ORDER BY s.step, s.side, s.bucket, v.agent_id, v.provider, v.model`
  }
  const counted = (row: Row): Counted => ({ step: Number(row.step), side: Number(row.side) })
  return together({
    cells: allRows(of('rollout_sums', CELL_COLUMNS, 's.strays, '), row => ({
      ...toCellSums(row),
      ...counted(row),
      strays: Number(row.strays),
    })),
    parts: allRows(of('rollout_parts', PART_COLUMNS), row => ({ ...toPartSums(row), ...counted(row) })),
    units: allRows(
      sql`SELECT step, side, sum(units) AS units FROM rollout_counts WHERE rollout = ${rollout} GROUP BY step, side`,
      row => ({ ...counted(row), units: Number(row.units) }),
    ),
  })
}

/** What was counted of a step beside the sums of its runs. */
export interface StepCounts {
  readonly runs: { readonly baseline: number; readonly candidate: number }
  /** Runs of both sides that another release did than that of their side. */
  readonly wrong_runs: number
  readonly missing_runs: number
  readonly ahead_runs: number
  readonly units: SeenUnits
}

export function countsOf({ cells, units }: RolloutSums, step: number): StepCounts {
  const own = cells.filter(cell => cell.step === step)
  const runs = (side: Side): number =>
    own.reduce((sum, cell) => (cell.side === SIDES[side] ? sum + cell.runs : sum), 0)
  const seen = (side: Side): number =>
    units.find(count => count.step === step && count.side === SIDES[side])?.units ?? 0
  return {
    runs: { baseline: runs('baseline'), candidate: runs('candidate') },
    wrong_runs: own.reduce((sum, { strays }) => sum + strays, 0),
    missing_runs: runs('none'),
    ahead_runs: runs('ahead'),
    units: { baseline: seen('baseline'), candidate: seen('candidate') },
  }
}

/** What limits of the policy are decided by beside sums, of one step. */
export function valuesQuery(rollout: number, step: number): Query<ValueCell[]> {
  return allRows(
    sql`SELECT side, bucket, name, runs, value_sum, value_sq FROM rollout_values
      WHERE rollout = ${rollout} AND step = ${step} AND side < ${SIDES.none} ORDER BY side, bucket, name`,
    (row): ValueCell => ({
      side: Number(row.side) === SIDES.baseline ? 'baseline' : 'candidate',
      bucket: Number(row.bucket),
      name: String(row.name),
      runs: Number(row.runs),
      sum: Number(row.value_sum),
      sum_of_squares: Number(row.value_sq),
    }),
  )
}
