import { HOUR_MS, isoTime } from '../../base/time.ts'
import type { DiffGroups } from '../../models/answers/groups.ts'
import { type GroupMoments, drillDown } from './rules_drilldown.ts'
import { type Moments, NO_MOMENTS, momentsOfDoubles } from '../../rules/statistics/samples.ts'
import { type Row, rowsOf } from '../../sql/port.ts'
import { allRows, asNumber, ask, field, ofSides } from '../../sql/query.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { windowWarnings } from '../../ledger/events/gaps.ts'
import { type DiffInput, comparedSides, refuseKept } from '../../ledger/assess/diff.ts'
import {
  type GroupBy,
  type GroupedMetric,
  type PricedSide,
  groupsStatement,
  writtenVariantsStatement,
} from './groups_statement.ts'
import type { SideQuery, Sides } from '../../ledger/assess/sides.ts'
import { isFiltered } from '../../ledger/events/rollups.ts'
import { sumsOf } from '../../ledger/events/rebuild.ts'
import type { Range } from '../../rules/window.ts'

export interface GroupsInput extends Omit<
  DiffInput,
  'cluster_by' | 'compare_by' | 'tails' | 'tools' | 'sequential'
> {
  readonly by: GroupBy
  readonly metric: GroupedMetric
}

/** Most groups that are compared: those with the most runs. */
const MOST_GROUPS = 1000

/** Splits the difference of two releases into what tenants, tasks, models or errors contribute. Writes nothing. */
export async function diffGroups(ledger: Ledger, input: GroupsInput): Promise<DiffGroups> {
  const { by, metric } = input
  const { asked, window_used, query, filters, sides, more, fed } = await comparedSides(ledger, input, of =>
    ofSides(side => allRows(writtenVariantsStatement(of[`${side}Id`], of), toVariant)),
  )
  refuseKept(fed, `A difference by ${by}`)
  const summed = await summedHours(ledger, query, by)
  const statement = groupsStatement(
    ledger.sql.dialect,
    query,
    {
      baseline: { rates: sides.baseline.rates, variants: more.baseline, summed: summed.baseline },
      candidate: { rates: sides.candidate.rates, variants: more.candidate, summed: summed.candidate },
    },
    { by, metric, most: MOST_GROUPS },
  )
  const found = await rowsOf(ledger.sql, statement)
  const total = Number(found[0]?.groups_total ?? 0)
  // A type of error counts from its first run on.
  const leastRuns = by === 'error' ? 1 : undefined
  const split = drillDown(toGroups(found), metric === 'error_rate' ? 'rate' : 'mean', undefined, leastRuns)
  return {
    window: input.window,
    since: isoTime(asked.since),
    until: isoTime(asked.until),
    ...(window_used === undefined ? {} : { window_used }),
    filters,
    by,
    metric,
    difference: split?.difference ?? null,
    rate: split?.rate ?? null,
    mix: split?.mix ?? null,
    mix_outweighs_rate: split?.mix_outweighs_rate ?? false,
    groups: [...(split?.groups ?? [])],
    groups_total: total,
    merged_groups: (split?.merged_groups ?? 0) + Math.max(0, total - MOST_GROUPS),
    warnings: [
      ...windowWarnings(window_used),
      ...warningsOf(split, by, total),
      ...partWarnings(sides, metric),
    ],
  }
}

/** Of each side the longest time of whole hours whose sums by name are there, and these sums. */
async function summedHours(
  { sql: db, features }: Ledger,
  query: SideQuery,
  by: GroupBy,
): Promise<Partial<Record<keyof Sides, PricedSide['summed']>>> {
  const { since, until } = query.window
  const hours = { from: Math.ceil(Math.max(0, since) / HOUR_MS), to: Math.floor(until / HOUR_MS) }
  const [sums] = (await sumsOf(features)).flatMap(each => each.byName(by) ?? [])
  if (sums === undefined || isFiltered(query.filters) || hours.from >= hours.to) return {}
  const lacking = await ask(
    db,
    ofSides(side =>
      allRows(sums.lackingHours(query[`${side}Id`], query.environment, hours), field('bucket', asNumber)),
    ),
  )
  const of = (side: keyof Sides): PricedSide['summed'] => {
    const longest = longestWithout(lacking[side], hours)
    return longest && { hours: longest, sums }
  }
  return { baseline: of('baseline'), candidate: of('candidate') }
}

/** The longest part of a range that holds none of some numbers, which are in order. */
function longestWithout(numbers: readonly number[], { from, to }: Range): Range | undefined {
  const edges = [from - 1, ...numbers, to]
  const parts = edges.slice(1).map((end, index) => ({ from: edges[index]! + 1, to: end }))
  const longest = parts.reduce((a, b) => (b.to - b.from > a.to - a.from ? b : a))
  return longest.from < longest.to ? longest : undefined
}

function toVariant(row: Row): { id: number; model: string } {
  return { id: Number(row.id), model: String(row.model) }
}

/** Groups know of the tokens of a run's own model alone. */
function partWarnings({ baseline, candidate }: Sides, metric: GroupedMetric): string[] {
  return metric === 'cost_per_run_usd' && baseline.parts.length + candidate.parts.length > 0
    ? ['costs here leave out other models of a run and what writing to a cache costs, which the diff counts']
    : []
}

function warningsOf(found: ReturnType<typeof drillDown>, by: GroupBy, total: number): string[] {
  return [
    ...(found === undefined
      ? ['a side has no runs that carry the metric: there is no difference to split']
      : []),
    ...(found?.mix_outweighs_rate === true
      ? [
          `more of the difference comes from which ${by}s sent runs than from what changed for them: look at the ` +
            "groups' own differences (Simpson's paradox)",
        ]
      : []),
    ...(total > MOST_GROUPS
      ? [`of ${total} groups the ${MOST_GROUPS} with the most runs are told apart, the rest are one`]
      : []),
  ]
}

function toGroups(rows: readonly Row[]): GroupMoments[] {
  const groups = Map.groupBy(rows, row => row.group_key)
  return Array.from(groups, ([key, sides]) => {
    const side = (which: keyof Sides): Moments => {
      const row = sides.find(({ side: name }) => name === which)
      return row === undefined ? NO_MOMENTS : momentsOfDoubles(Number(row.n), Number(row.s), Number(row.q))
    }
    return {
      key: key === null || key === undefined ? null : String(key),
      baseline: side('baseline'),
      candidate: side('candidate'),
    }
  })
}
