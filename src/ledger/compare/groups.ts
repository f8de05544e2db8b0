import { isoTime } from '../../base/time.ts'
import type { DiffGroups } from '../../models/answers/groups.ts'
import type { Rates } from '../../rules/cost.ts'
import { type GroupMoments, drillDown } from '../../rules/statistics/drilldown.ts'
import { type Moments, NO_MOMENTS, momentsOfDoubles } from '../../rules/statistics/moments.ts'
import { type Row, type Sql, type Statement, raw, rowsOf, sql } from '../../sql/port.ts'
import { textParts } from '../events/event_texts.ts'
import { isFiltered, manyEvents, matchingEvents, scopeCte } from '../events/rollups.ts'
import type { Ledger } from '../ledger.ts'
import { type DiffInput, comparedSides } from './diff.ts'
import type { SideQuery, Sides } from './sides.ts'

type GroupBy = 'tenant' | 'task' | 'model' | 'error'
type GroupedMetric = 'cost_per_run_usd' | 'latency_ms' | 'error_rate'

export interface GroupsInput extends Omit<DiffInput, 'cluster_by' | 'tails' | 'tools' | 'sequential'> {
  readonly by: GroupBy
  readonly metric: GroupedMetric
}

/** Most groups that are told apart: those with the most runs. */
const MOST_GROUPS = 1000

/** Splits the difference of two releases into what tenants, tasks, models or errors contribute. Writes nothing. */
export async function diffGroups(ledger: Ledger, input: GroupsInput): Promise<DiffGroups> {
  const { by, metric } = input
  const { query, filters, sides } = await comparedSides(ledger, input)
  const rows = await rowsOf(ledger.sql, groupsStatement(ledger.sql.dialect, query, sides, by, metric))
  const groups = toGroups(rows)
  const total = Number(rows[0]?.groups_total ?? 0)
  const found = drillDown(groups, metric === 'error_rate' ? 'rate' : 'mean')
  return {
    window: input.window,
    since: isoTime(query.window.since),
    until: isoTime(query.window.until),
    filters,
    by,
    metric,
    difference: found?.difference ?? null,
    rate: found?.rate ?? null,
    mix: found?.mix ?? null,
    mix_outweighs_rate: found?.mix_outweighs_rate ?? false,
    groups: [...(found?.groups ?? [])],
    groups_total: total,
    merged_groups: (found?.merged_groups ?? 0) + Math.max(0, total - MOST_GROUPS),
    warnings: [...warningsOf(found, by, total), ...partWarnings(sides, metric)],
  }
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

/** A row per side and group: runs that carry the metric, the sum of its values and of their squares. */
function groupsStatement(
  dialect: Sql['dialect'],
  query: SideQuery,
  sides: Sides,
  by: GroupBy,
  metric: GroupedMetric,
): Statement {
  const part = (which: keyof Sides, releaseId: string): Statement => {
    const needsVariant = metric === 'cost_per_run_usd' || by === 'model'
    const joined = raw(needsVariant ? 'JOIN priced v ON v.id = e.variant' : '')
    const events = isFiltered(query.filters)
      ? matchingEvents(query.window, query.filters, joined)
      : manyEvents(query.window, joined)
    return sql`SELECT * FROM (WITH ${scopeCte(releaseId, query.environment)}, ${pricedCte(dialect, sides[which].rates)}
      SELECT ${raw(`'${which}'`)} AS side, group_key, count(*) AS n, sum(x) AS s, sum(x * x) AS q
      FROM (SELECT ${raw(keyOf(dialect, by))} AS group_key, ${raw(VALUE_OF[metric])} AS x FROM ${events}) AS valued
      WHERE x IS NOT NULL GROUP BY group_key) AS ${raw(which)}`
  }
  return sql`WITH grouped AS (
      ${part('baseline', query.baselineId)} UNION ALL ${part('candidate', query.candidateId)}),
    largest AS (
      SELECT group_key FROM grouped GROUP BY group_key ORDER BY sum(n) DESC, group_key LIMIT ${MOST_GROUPS})
    SELECT g.side, l.group_key, sum(g.n) AS n, sum(g.s) AS s, sum(g.q) AS q,
      (SELECT count(DISTINCT group_key) FROM grouped) AS groups_total
    FROM grouped g LEFT JOIN largest l ON l.group_key = g.group_key
    GROUP BY g.side, l.group_key ORDER BY l.group_key, g.side`
}

const VALUE_OF: Readonly<Record<GroupedMetric, string>> = {
  cost_per_run_usd:
    'e.input_tokens * v.input_usd + e.output_tokens * v.output_usd + e.cached_input_tokens * v.cached_usd',
  latency_ms: 'CAST(e.latency_ms AS DOUBLE PRECISION)',
  error_rate: 'CAST(1 - e.success AS DOUBLE PRECISION)',
}

function keyOf(dialect: Sql['dialect'], by: GroupBy): string {
  if (by === 'tenant') return 'e.tenant_id'
  if (by === 'task') return 'e.task_id'
  if (by === 'model') return 'v.model'
  const type = `coalesce(${textParts(dialect, 'e').errorType}, '(error without a type)')`
  return `CASE WHEN e.success = 1 THEN '(no error)' ELSE ${type} END`
}

/** Variants with USD per token, made once: a join with JSON would take it apart anew for every event. */
function pricedCte(dialect: Sql['dialect'], rates: ReadonlyMap<string, Rates>): Statement {
  return sql`priced AS MATERIALIZED (
    SELECT v.id, v.model, r.input_usd, r.output_usd, r.cached_usd
    FROM variants v JOIN (${ratesSelect(dialect, rates)}) AS r ON r.model = v.model)`
}

/** USD per token by model. */
function ratesSelect(dialect: Sql['dialect'], rates: ReadonlyMap<string, Rates>): Statement {
  const json = JSON.stringify(
    Object.fromEntries(
      Array.from(rates, ([model, rate]) => [
        model,
        [
          rate.input_usd_per_1k_tokens,
          rate.output_usd_per_1k_tokens,
          rate.cached_input_usd_per_1k_tokens ?? 0,
        ],
      ]),
    ),
  )
  const usd = (index: number, name: string): string =>
    `CAST(value ->> ${index} AS DOUBLE PRECISION) / 1000 AS ${name}`
  const columns = raw(
    `key AS model, ${usd(0, 'input_usd')}, ${usd(1, 'output_usd')}, ${usd(2, 'cached_usd')}`,
  )
  return dialect === 'postgres'
    ? sql`SELECT ${columns} FROM jsonb_each(CAST(CAST(${json} AS TEXT) AS JSONB))`
    : sql`SELECT ${columns} FROM json_each(${json})`
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
