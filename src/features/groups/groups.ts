import { isoTime } from '../../base/time.ts'
import type { SumsOfName } from '../../ledger/events/event_sums.ts'
import type { Side } from '../../ledger/assess/sides.ts'
import { textParts } from '../../ledger/events/event_texts.ts'
import { manyEvents, matchingEvents } from '../../ledger/events/matching.ts'
import { aroundHours } from '../../ledger/events/matching_runs.ts'
import type { DiffGroups } from './models.ts'
import type { Rates } from '../../rules/cost.ts'
import { pricesOf } from '../../rules/price_names.ts'
import { type GroupMoments, drillDown } from './rules_drilldown.ts'
import { type Moments, NO_MOMENTS, momentsOfDoubles } from '../../rules/statistics/samples.ts'
import { either, jsonFields, jsonRows } from '../../sql/dialect.ts'
import { keepingPlans } from '../../sql/deadline.ts'
import { type Row, type Statement, join, raw, rowsOf, sql } from '../../sql/port.ts'
import { type Query, allRows, ask, ofSides } from '../../sql/query.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { windowWarnings } from '../../ledger/events/gaps.ts'
import { type DiffInput, comparedSides, refuseKept } from '../../ledger/assess/diff.ts'
import type { SideQuery, Sides } from '../../ledger/assess/sides.ts'
import { IN_SCOPE, hoursOf, isFiltered, scopeCte } from '../../ledger/events/rollups.ts'
import { sumsOf } from '../../ledger/events/rebuild.ts'
import { type Range, hoursWithin } from '../../rules/window.ts'

interface GroupsInput extends Omit<
  DiffInput,
  'cluster_by' | 'compare_by' | 'tails' | 'tools' | 'sequential'
> {
  readonly by: GroupBy
  readonly metric: GroupedMetric
}

/** Most groups that are compared: those with the most runs. */
const MOST_GROUPS = 1000

/** Splits the difference of two releases into what tenants, tasks, models or errors contribute. Writes nothing. */
export async function diffGroups(given: Ledger, input: GroupsInput): Promise<DiffGroups> {
  const ledger = { ...given, sql: keepingPlans(given.sql) }
  const { by, metric } = input
  const { requested, window_used, query, filters, sides, more, fed } = await comparedSides(
    ledger,
    input,
    of =>
      by === 'model'
        ? NO_VARIANTS
        : ofSides(side => allRows(writtenVariantsStatement(of[`${side}Id`], of), toVariant)),
  )
  refuseKept(fed, `A difference by ${by}`)
  const rates = { baseline: ratesUsed(sides.baseline), candidate: ratesUsed(sides.candidate) }
  const { groups: found, total } =
    by === 'model'
      ? ofModels(sides, metric, rates)
      : await readGroups(ledger, query, { by, metric, most: MOST_GROUPS }, rates, more)
  // A type of error counts from its first run on.
  const leastRuns = by === 'error' ? 1 : undefined
  const split = drillDown(found, metric === 'error_rate' ? 'rate' : 'mean', undefined, leastRuns)
  const groups = (split?.groups ?? []).map(group => ({
    ...group,
    share: shareOf(group.rate + group.mix, split!.difference),
  }))
  return {
    window: input.window,
    since: isoTime(requested.since),
    until: isoTime(requested.until),
    ...(window_used === undefined ? {} : { window_used }),
    filters,
    by,
    metric,
    difference: split?.difference ?? null,
    rate: split?.rate ?? null,
    mix: split?.mix ?? null,
    mix_outweighs_rate: split?.mix_outweighs_rate ?? false,
    groups,
    main: mainOf(groups),
    groups_total: total,
    merged_groups: (split?.merged_groups ?? 0) + Math.max(0, total - MOST_GROUPS),
    warnings: [
      ...windowWarnings(window_used, requested),
      ...warningsOf(split, by, total),
      ...partWarnings(sides, metric),
    ],
  }
}

/** Least share of a difference that is named. */
const LEAST_SHARE = 0.0005

function shareOf(contribution: number, difference: number): number | null {
  const share = contribution / difference
  return Number.isFinite(share) && Math.abs(share) >= LEAST_SHARE ? share : null
}

/** The group, among several, that most of the difference comes from. */
function mainOf(groups: DiffGroups['groups']): DiffGroups['main'] {
  const [first] = groups
    .flatMap(({ key, share }) => (key === null || share === null ? [] : [{ key, share }]))
    .toSorted((a, b) => b.share - a.share)
  return groups.length > 1 && first !== undefined && first.share >= 0.5 ? first : null
}

type VariantsOfSides = Record<keyof Sides, PricedSide['variants']>

/** Groups of models are made without a statement. */
const NO_VARIANTS: Query<VariantsOfSides> = { statements: [], read: () => ({ baseline: [], candidate: [] }) }

interface FoundGroups {
  readonly groups: GroupMoments[]
  /** How many groups there are, those among them that were not listed. */
  readonly total: number
}

type RatesOfSides = Record<keyof Sides, ReadonlyMap<string, Rates>>

/** The groups of models, which the sums of both sides hold: no run is read again. */
function ofModels(sides: Sides, metric: GroupedMetric, rates: RatesOfSides): FoundGroups {
  const of = (side: keyof Sides) =>
    groupsOf(
      sides[side].aggregates.map(own => ({ ...own, name: own.model })),
      metric,
      rates[side],
    ).map(([group_key, n, s, q]) => ({ side, group_key, n, s, q }))
  const groups = toGroups([...of('baseline'), ...of('candidate')])
  return { groups, total: groups.length }
}

async function readGroups(
  ledger: Ledger,
  query: SideQuery,
  grouping: Grouping,
  rates: RatesOfSides,
  variants: VariantsOfSides,
): Promise<FoundGroups> {
  const summed = await summedHours(ledger, query, grouping, rates)
  const of = (side: keyof Sides): PricedSide => ({
    rates: rates[side],
    variants: variants[side],
    summed: summed[side],
  })
  const sides = { baseline: of('baseline'), candidate: of('candidate') }
  const found = await rowsOf(ledger.sql, groupsStatement(query, sides, grouping))
  return { groups: toGroups(found), total: Number(found[0]?.groups_total ?? 0) }
}

/** Of each side the whole hours of the window that are summed by name, as groups. */
async function summedHours(
  { sql: db, memo, features }: Ledger,
  query: SideQuery,
  { by, metric }: Pick<Grouping, 'by' | 'metric'>,
  rates: RatesOfSides,
): Promise<Partial<Record<keyof Sides, PricedSide['summed']>>> {
  const { environment, window } = query
  const [sums] = (await sumsOf(features)).flatMap(each => each.byName(by) ?? [])
  if (sums === undefined || isFiltered(query.filters)) return {}
  const hours = hoursWithin({ ...window, since: Math.max(window.since, window.until - sums.longestMs) })
  if (hours.from >= hours.to) return {}
  const found = await ask(
    db,
    ofSides(side => sums.query({ memo }, { releaseId: query[`${side}Id`], environment, hours })),
  )
  const of = (side: keyof Sides): PricedSide['summed'] =>
    found[side] && { hours, groups: groupsOf(found[side], metric, rates[side]) }
  return { baseline: of('baseline'), candidate: of('candidate') }
}

/** Runs that carry the metric, the sum of its values and of their squares, by name. */
function groupsOf(
  sums: readonly SumsOfName[],
  metric: GroupedMetric,
  rates: ReadonlyMap<string, Rates>,
): SummedGroup[] {
  const groups = new Map<string, SummedGroup>()
  for (const own of sums) {
    const moments = MOMENTS[metric](own, rates.get(own.model))
    if (moments === undefined) continue
    const before = groups.get(own.name)
    const [n, s, q] = moments
    groups.set(
      own.name,
      before ? [own.name, before[1] + n, before[2] + s, before[3] + q] : [own.name, n, s, q],
    )
  }
  return [...groups.values()].filter(([, n]) => n > 0)
}

const MOMENTS: Readonly<
  Record<
    GroupedMetric,
    (own: SumsOfName, rate: Rates | undefined) => [n: number, s: number, q: number] | undefined
  >
> = {
  latency_ms: own => [own.latency_count, own.latency_sum_ms, own.latency_sum_ms2],
  error_rate: own => [own.runs, own.errors, own.errors],
  cost_per_run_usd: (own, rate) => {
    if (rate === undefined) return undefined
    const [input, output, cached] = usdPer1kTokens(rate).map(usd => usd / 1000) as [number, number, number]
    const [ii, io, ic, oo, oc, cc] = own.token_products as [number, number, number, number, number, number]
    return [
      own.runs,
      own.input_tokens * input + own.output_tokens * output + own.cached_input_tokens * cached,
      ii * input * input +
        oo * output * output +
        cc * cached * cached +
        2 * (io * input * output + ic * input * cached + oc * output * cached),
    ]
  },
}

function toVariant(row: Row): { id: number; model: string } {
  return { id: Number(row.id), model: String(row.model) }
}

/** Groups know of the tokens of a run's own model alone. */
function partWarnings({ baseline, candidate }: Sides, metric: GroupedMetric): string[] {
  return metric === 'cost_per_run_usd' && baseline.parts.length + candidate.parts.length > 0
    ? ['costs here leave out other models of a run and cache writes, which the diff counts']
    : []
}

function warningsOf(found: ReturnType<typeof drillDown>, by: GroupBy, total: number): string[] {
  return [
    ...(found === undefined
      ? ['one release has no runs with this metric, so there is no difference to split']
      : []),
    // Which runs fail, and how, is no mix that anybody chose.
    ...(found?.mix_outweighs_rate === true && by !== 'error'
      ? [
          `most of the difference comes from which ${by}s sent runs, not from what changed for them: compare the groups' own differences (Simpson's paradox)`,
        ]
      : []),
    ...(total > MOST_GROUPS
      ? [`of ${total} groups the ${MOST_GROUPS} with the most runs are listed, the others are combined`]
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

type GroupBy = 'tenant' | 'task' | 'model' | 'error'
type GroupedMetric = 'cost_per_run_usd' | 'latency_ms' | 'error_rate'

/** What runs are grouped by, what is summed of them, and how many groups there may be. */
interface Grouping {
  readonly by: Exclude<GroupBy, 'model'>
  readonly metric: GroupedMetric
  readonly most: number
}

function ratesUsed({ rates, variants }: Pick<Side, 'rates' | 'variants'>): ReadonlyMap<string, Rates> {
  return pricesOf(
    rates,
    variants.map(({ model }) => model),
  )
}

/** How a side is priced, and some of the variants that its runs are of. */
interface PricedSide {
  readonly rates: ReadonlyMap<string, Rates>
  readonly variants: readonly { readonly id: number; readonly model: string }[]
  /** Hours whose sums by tenant or task are taken instead of rows; none where it is undefined. */
  readonly summed?: { readonly hours: Range; readonly groups: readonly SummedGroup[] } | undefined
}

/** A name, how many runs carry the metric, the sum of its values, and of their squares. */
type SummedGroup = readonly [name: string, n: number, s: number, q: number]

/**
 * A row per side and group: runs that carry the metric, the sum of its values and of their squares. Groups beyond those
 * with the most runs are one, whose key is null.
 */
function groupsStatement(
  query: SideQuery,
  sides: { readonly baseline: PricedSide; readonly candidate: PricedSide },
  grouping: Grouping,
): Statement {
  const part = (which: keyof typeof sides, releaseId: string): Statement => {
    const { [which]: side } = sides
    return sql`SELECT ${raw(`'${which}'`)} AS side, group_key, n, s, q FROM (
      WITH ${scopeCte(releaseId, query.environment)}, ${pricedCte(side.rates)}
      ${join(sideSums(query, side, grouping), ' UNION ALL ')}) AS ${raw(which)}`
  }
  return sql`WITH grouped AS (
      ${part('baseline', query.baselineId)} UNION ALL ${part('candidate', query.candidateId)}),
    largest AS (
      SELECT group_key FROM grouped GROUP BY group_key ORDER BY sum(n) DESC, group_key LIMIT ${grouping.most})
    SELECT g.side, l.group_key, sum(g.n) AS n, sum(g.s) AS s, sum(g.q) AS q,
      (SELECT count(DISTINCT group_key) FROM grouped) AS groups_total
    FROM grouped g LEFT JOIN largest l ON l.group_key = g.group_key
    GROUP BY g.side, l.group_key ORDER BY l.group_key, g.side`
}

/** Most variants whose prices are in the text of a statement; those of further ones are looked up. */
const MOST_WRITTEN = 16

/** Some variants of a release's runs in a window, for {@link groupsStatement}. */
function writtenVariantsStatement(releaseId: string, { environment, window }: SideQuery): Statement {
  return sql`WITH ${scopeCte(releaseId, environment)}
    SELECT id, model FROM variants
    WHERE id IN (SELECT variant FROM rollup_hours WHERE ${IN_SCOPE} AND ${hoursOf(window)})
    ORDER BY id LIMIT ${MOST_WRITTEN}`
}

/** The sums of a side, in one SELECT or several. */
function sideSums(query: SideQuery, side: PricedSide, { by, metric }: Grouping): Statement[] {
  const values = (key: Statement, condition = '', of = query): Statement =>
    valuesOf(of, side, metric, { key, condition })
  const grouped = (key: Statement, condition?: string, of = query): Statement =>
    groupedOf(values(key, condition, of))
  if (by === 'tenant' || by === 'task') {
    const key = raw(`e.${by}_id`)
    if (side.summed === undefined) return [grouped(key)]
    const { hours, groups } = side.summed
    const around = aroundHours(query.window, hours)
    return [summedGroups(groups), ...around.map(window => grouped(key, '', { ...query, window }))]
  }
  const type = sql`coalesce(${textParts('e').errorType}, '(error without a type)')`
  // PostgreSQL would read the rows twice; an index of SQLite holds all that runs without an error need.
  return [
    either(
      sql`SELECT * FROM (SELECT ${NO_ERROR} AS group_key, count(x) AS n, sum(x) AS s, sum(x * x) AS q
        FROM ${values(NO_ERROR, 'AND e.success = 1')}) AS succeeded WHERE n > 0
        UNION ALL ${grouped(type, 'AND e.success = 0')}`,
      () => grouped(sql`CASE WHEN e.success = 1 THEN ${NO_ERROR} ELSE ${type} END`),
    ),
  ]
}

function groupedOf(values: Statement): Statement {
  return sql`SELECT group_key, count(*) AS n, sum(x) AS s, sum(x * x) AS q FROM ${values}
    WHERE x IS NOT NULL GROUP BY group_key`
}

/** Groups as rows. */
function summedGroups(groups: readonly SummedGroup[]): Statement {
  const number = (index: number, name: string): string =>
    `CAST(g.value ->> ${index} AS DOUBLE PRECISION) AS ${name}`
  return sql`SELECT g.value ->> 0 AS group_key, CAST(g.value ->> 1 AS BIGINT) AS n, ${raw(number(2, 's'))}, ${raw(number(3, 'q'))}
    FROM ${jsonRows(groups)}`
}

const NO_ERROR = raw("'(no error)'")

/** The group and the value of each event of a side that meets the condition: a part of a FROM clause. */
function valuesOf(
  { window, filters }: SideQuery,
  side: PricedSide,
  metric: GroupedMetric,
  { key, condition }: { readonly key: Statement; readonly condition: string },
): Statement {
  const select = (x: string, joined = raw(''), limit = ''): Statement => {
    const events = isFiltered(filters) ? matchingEvents(window, filters, joined) : manyEvents(window, joined)
    return sql`(SELECT ${key} AS group_key, ${raw(x)} AS x FROM ${events} ${raw(`${condition} ${limit}`)}) AS valued`
  }
  if (metric !== 'cost_per_run_usd') return select(VALUES[metric])
  return either(
    // SQLite merges a subquery that has no limit into the one around it, and would price each event again for every sum.
    select(costCase(side), raw(''), 'LIMIT -1'),
    () => select(PRICED, raw('JOIN priced v ON v.id = e.variant')),
  )
}

const VALUES = {
  latency_ms: 'CAST(e.latency_ms AS DOUBLE PRECISION)',
  error_rate: 'CAST(1 - e.success AS DOUBLE PRECISION)',
} as const

const PRICED =
  'e.input_tokens * v.input_usd + e.output_tokens * v.output_usd + e.cached_input_tokens * v.cached_usd'

/** With the prices of some variants in the text, which SQLite is done with sooner than with a join. */
function costCase({ rates, variants }: PricedSide): string {
  const cases = variants.map(({ id, model }) => {
    const rate = rates.get(model)
    // With an exponent a number is a double, whose sums can't overflow.
    const term = (usd: number, index: number): string =>
      `e.${TOKENS[index]} * ${(usd / 1000).toExponential()}`
    return `WHEN ${id} THEN ${rate === undefined ? 'NULL' : usdPer1kTokens(rate).map(term).join(' + ')}`
  })
  const priced = `(SELECT ${PRICED} FROM priced v WHERE v.id = e.variant)`
  return cases.length === 0 ? priced : `CASE e.variant ${cases.join(' ')} ELSE ${priced} END`
}

const TOKENS = ['input_tokens', 'output_tokens', 'cached_input_tokens'] as const

/** Variants with USD per token, made once: a join with JSON would parse it again for every event. */
function pricedCte(rates: ReadonlyMap<string, Rates>): Statement {
  return sql`priced AS MATERIALIZED (
    SELECT v.id, v.model, r.input_usd, r.output_usd, r.cached_usd
    FROM variants v JOIN (${ratesSelect(rates)}) AS r ON r.model = v.model)`
}

/** USD per token by model. */
function ratesSelect(rates: ReadonlyMap<string, Rates>): Statement {
  const usdOf = Object.fromEntries(Array.from(rates, ([model, rate]) => [model, usdPer1kTokens(rate)]))
  const usd = (index: number, name: string): string =>
    `CAST(value ->> ${index} AS DOUBLE PRECISION) / 1000 AS ${name}`
  const columns = raw(
    `key AS model, ${usd(0, 'input_usd')}, ${usd(1, 'output_usd')}, ${usd(2, 'cached_usd')}`,
  )
  return sql`SELECT ${columns} FROM ${jsonFields(usdOf)}`
}

/** Of input, output and cached tokens. */
function usdPer1kTokens(rate: Rates): [input: number, output: number, cached: number] {
  const { input_usd_per_1k_tokens: input, output_usd_per_1k_tokens: output } = rate
  return [input, output, rate.cached_input_usd_per_1k_tokens ?? 0]
}
