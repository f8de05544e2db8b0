import { badRequest } from '../../base/errors.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { DiffReport } from '../../models/answers/diff.ts'
import type { UsedWindow } from '../../models/answers/window_used.ts'
import { STALE_AFTER_DAYS, bundledAgeDays, isStale } from '../../rules/cost.ts'
import { firstFew, similarNames } from '../../base/text.ts'
import { isoTime } from '../../base/time.ts'
import { roundOrNull } from '../../rules/statistics/intervals.ts'
import { changeSentence, withNames, withoutIds } from '../../rules/change_sentence.ts'
import { withoutSegmentLimits } from '../../rules/limits.ts'
import type { TimePlan } from '../../rules/common_time.ts'
import type { OfSides } from '../../rules/missing_evidence.ts'
import type { StoredPolicy } from '../../rules/scope.ts'
import type { Window } from '../../rules/window.ts'
import { type Statement, keepingPlans, sql } from '../../sql/port.ts'
import { type Query, ask, ofSides, together } from '../../sql/query.ts'
import { readWindowQuery } from '../world/query.ts'
import { type Gap, gapQuery, gapWarning, keptText, readWindow, windowWarnings } from '../events/gaps.ts'
import { isFiltered } from '../events/rollups.ts'
import { type ClusterBy, clustersFor, clustersQuery, unitOf } from './clusters.ts'
import { countsQuery } from './counts.ts'
import { evaluate, freeReadWarnings } from './evaluation.ts'
import {
  type CompareBy,
  type FedSides,
  type Measures,
  NO_MEASURES,
  comparesShared,
  comparisonQuery,
  coveredTo,
  endsFirst,
  fedOf,
  keptOf,
  measuresOf,
  readExtras,
  runRatesOf,
  spansQuery,
  sinceFirstRun,
  timePlanOf,
  usedOf,
  withMissingEvidence,
} from './pair.ts'
import { conditionAnswers } from './current_state.ts'
import { countComparison } from '../world/memo.ts'
import type { CatalogState, Ledger } from '../world/ledger.ts'
import { ACTIVE_POLICY, policyIn } from '../registry/policies.ts'
import { providerVersions } from '../registry/pricing.ts'
import { releaseQuery, unknownRelease } from '../registry/release_facts.ts'
import { namedFor } from './naming.ts'
import {
  type RawSides,
  type Side,
  type SideQuery,
  type Sides,
  catalogReport,
  pricedSides,
  ratesOf,
} from './sides.ts'

export interface DiffInput {
  readonly baseline_release_id: string
  readonly candidate_release_id: string
  readonly window: string
  readonly until?: string | null | undefined
  readonly environment?: string | null | undefined
  readonly tenant_id?: string | null | undefined
  readonly task_id?: string | null | undefined
  /** What runs resemble each other within; as the policy says unless given. */
  readonly cluster_by?: ClusterBy | undefined
  /** What is compared; as the policy says unless given. */
  readonly compare_by?: CompareBy | undefined
  /** Percentiles of the latency, also where the policy limits none. */
  readonly tails?: boolean | undefined
  /** What the newest runs did with tools, also where the policy doesn't limit it. */
  readonly tools?: boolean | undefined
  /** Intervals that hold however often they are read; as the policy says unless given. */
  readonly sequential?: boolean | undefined
}

/** Compares two releases of one agent over the window that ends now. Writes nothing. Callers without read access see no tenant or task names. */
export async function diffReleases(given: Ledger, input: DiffInput, isReader = true): Promise<DiffReport> {
  const ledger = { ...given, sql: keepingPlans(given.sql) }
  const { dialect } = ledger.sql
  const here = queryHere(ledger, input)
  const answers = await conditionAnswers(ledger, here.environment, {
    release: sql`${here.candidateId}`,
    baseline: sql`${here.baselineId}`,
    window: here.window,
  })
  const read = ({ measures, plan, by }: Reading) =>
    comparedSides(
      ledger,
      input,
      query =>
        together({
          spans: spansQuery(dialect, query),
          tables: ofSides(side => providerVersions(providerOf(query[`${side}Id`]))),
          gaps: ofSides(side => gapQuery(query[`${side}Id`], query.environment, query.window)),
          clusters: by && clustersQuery(dialect, query, by),
          answers,
        }),
      measures,
      plan,
      longer,
    )
  const requested = [
    ...(input.tails === true ? ['tails', 'ttft_tails'] : []),
    ...(input.tools === true ? ['tools'] : []),
  ]
  const { policy, plan, longer } = await policyHere(ledger, input)
  const readingFor = async (policyNow: Policy): Promise<Reading> => {
    const effective = {
      ...policyNow,
      ...(input.compare_by === undefined ? {} : { compare_by: input.compare_by }),
    }
    return {
      by: unitOf({ cluster_by: input.cluster_by ?? effective.cluster_by }),
      measures: await measuresOf(ledger, { policy: effective, isDiff: true, isRollback: false }, requested),
      plan: comparesShared(effective) ? plan : undefined,
    }
  }
  let reading = await readingFor(policy)
  let found = await read(reading)
  if (JSON.stringify(found.effective.policy) !== JSON.stringify(policy)) {
    // Another policy was set meanwhile.
    reading = await readingFor(found.effective.policy)
    found = await read(reading)
  }
  const { measures } = reading
  const { now, requested: window, window_used, query, filters, sides, effective, more } = found
  const rates = runRatesOf(more.spans, query, sides)
  // A limit on any tenant or task asks nothing of one alone.
  const isPart = filters.tenant_id !== null || filters.task_id !== null
  const judging = isPart ? withoutSegmentLimits(effective) : effective
  const evaluation = evaluate(ledger, judging, sides, now, {
    window: query.window,
    plan: reading.plan,
    compare_by: input.compare_by,
    ...(input.sequential === undefined ? {} : { sequential: input.sequential }),
    ...(await readExtras(ledger, query, sides, measures, found.extras)),
    ...clustersFor(reading.by, more.clusters, keptOf(found.fed)),
    comparisons: countComparison(ledger.memo.comparisons, [
      query.baselineId,
      query.candidateId,
      input.window,
      ...Object.values(filters),
    ]),
  })
  const { statistics, names, cases, nameOf } = await namedFor(ledger, evaluation.statistics, isReader)
  const policy_verdict = await withMissingEvidence(evaluation, query, sides, () => Promise.resolve(rates))
  return {
    window: input.window,
    since: isoTime(window.since),
    until: isoTime(window.until),
    ...(window_used === undefined ? {} : { window_used }),
    ...warningsOf([
      ...windowWarnings(window_used, window),
      ...(filters.tenant_id === null && filters.task_id === null ? [] : gapWarnings(more.gaps)),
    ]),
    filters,
    pricing: pricingReport(sides, { now, catalog: await ledger.catalog(), tables: more.tables }),
    samples: {
      baseline_runs: sides.baseline.metrics.runs,
      candidate_runs: sides.candidate.metrics.runs,
      ...evaluation.label,
      ...costRuns(sides),
    },
    traffic: {
      baseline_runs_per_hour: roundOrNull(rates.baseline),
      candidate_runs_per_hour: roundOrNull(rates.candidate),
    },
    summary: changeSentence(
      sides.candidate.release.version,
      sides.baseline.release.version,
      statistics,
      nameOf,
    ),
    metrics: evaluation.metrics,
    statistics,
    ...(isReader ? await more.answers() : {}),
    ...(names.length === 0 ? {} : { segments: [...names] }),
    ...(cases.length === 0 ? {} : { cases: [...cases] }),
    policy: {
      ...policy_verdict,
      reasons: policy_verdict.reasons.map(text => (isReader ? withNames(text, names) : withoutIds(text))),
    },
    ...(effective.scope === undefined
      ? {}
      : { policy_scope: { ...effective.scope, policy: effective.policy } }),
  }
}

/** What is read of both sides, and how they are cut. */
interface Reading {
  readonly by: ReturnType<typeof unitOf>
  readonly measures: Measures
  readonly plan: TimePlan | undefined
}

/** The policy of the candidate's agent, and what both sides share of time: read first, so that both are summed once. */
async function policyHere(
  ledger: Ledger,
  input: DiffInput,
): Promise<{ readonly policy: Policy; readonly plan: TimePlan | undefined; readonly longer?: Window }> {
  const query = queryHere(ledger, input)
  const { policy, candidate, counts } = await ask(
    ledger.sql,
    together({
      policy: ACTIVE_POLICY,
      candidate: releaseQuery(input.candidate_release_id),
      counts: input.compare_by === 'window' ? undefined : countsQuery(ledger, query),
    }),
  )
  const effective =
    candidate === undefined
      ? policy
      : (await policyIn(policy, { agent_id: candidate.agent_id, environment: query.environment })).policy
  const isSequential = input.sequential ?? effective.sequential ?? false
  const window = isSequential ? await sinceFirstRun(ledger, query) : query.window
  const isLonger = window.since < query.window.since
  const longer = isLonger ? { longer: window } : {}
  if (counts === undefined) return { policy: effective, plan: undefined, ...longer }
  const within = { ...query, window }
  const all = isLonger ? await ask(ledger.sql, countsQuery(ledger, within)) : counts
  return { policy: effective, plan: await timePlanOf(ledger, within, all), ...longer }
}

function queryHere(ledger: Ledger, input: DiffInput): SideQuery {
  return queryFor(input, readWindowQuery(ledger, input))
}

/** Of what is summed from raw events alone, because a filter is on. */
function gapWarnings(gaps: { readonly [side in keyof Sides]: Gap | undefined }): string[] {
  return (['baseline', 'candidate'] as const).flatMap(side => {
    const gap = gaps[side]
    return gap === undefined
      ? []
      : [`${DIFF_LABELS[side]}: ${gapWarning(gap, 'this comparison by tenant or task lacks them')}`]
  })
}

function warningsOf(warnings: string[]): Pick<DiffReport, 'warnings'> {
  return warnings.length === 0 ? {} : { warnings }
}

/** Two releases as one snapshot saw them, that can be compared, and the policy in force. */
export interface Compared<M> {
  readonly now: number
  /** The window as it was given; that of the query is the one that was read. */
  readonly requested: Window
  readonly window_used?: UsedWindow
  readonly query: SideQuery
  readonly filters: DiffReport['filters']
  readonly sides: Sides
  /** As it holds for the agent in the environment. */
  readonly effective: StoredPolicy
  /** What the measures have read, by their names. */
  readonly extras: Readonly<Record<string, unknown>>
  readonly fed: FedSides
  /** What else was read in the snapshot. */
  readonly more: M
}

type ComparedInput = Pick<
  DiffInput,
  'baseline_release_id' | 'candidate_release_id' | 'window' | keyof DiffReport['filters']
>

function queryFor(input: ComparedInput, { environment, window, now }: Where): SideQuery {
  return {
    baselineId: input.baseline_release_id,
    candidateId: input.candidate_release_id,
    environment,
    window,
    now,
    filters: { tenant_id: input.tenant_id ?? null, task_id: input.task_id ?? null },
  }
}

type Where = Pick<SideQuery, 'environment' | 'window' | 'now'>

/** Reads both sides, and throws 400 where they can't be compared. */
export async function comparedSides<M = undefined>(
  ledger: Ledger,
  input: ComparedInput,
  more?: (query: SideQuery) => Query<M>,
  measures: Measures = NO_MEASURES,
  plan?: TimePlan,
  longer?: Window,
): Promise<Compared<M>> {
  const { now, environment, window: requested, refuseWindow } = readWindowQuery(ledger, input)
  const wanted = { ...requested, since: Math.min(requested.since, longer?.since ?? requested.since) }
  const queryOf = (window: Window): SideQuery => ({
    ...queryFor(input, { environment, window, now }),
    cut: plan?.cut,
    hours: plan?.hours,
  })
  const fed = await fedOf(ledger)
  const { window, found, window_used } = await readWindow(
    wanted,
    async part => {
      const query = queryOf(part)
      const compared = comparisonQuery(ledger.sql, query, measures, fed)
      const { compared: all, ...read } = await ask(
        ledger.sql,
        together({ compared, policy: ACTIVE_POLICY, more: more?.(query) }),
      )
      return { ...all, ...read, coveredTo: coveredTo(all.fed) }
    },
    endsFirst(ledger, queryOf(wanted), measures, fed),
  )
  const query = queryOf(window)
  refuseIncomparable(found.sides, query)
  refuseWindow()
  if (isFiltered(query.filters)) refuseKept(found.fed, 'A comparison of one tenant or task')
  const { agent_id } = found.sides.candidate.release!
  const effective = await policyIn(found.policy, { agent_id, environment })
  return {
    now,
    requested,
    ...usedOf(window, requested, window_used),
    query,
    filters: { environment, ...query.filters },
    sides: await pricedSides(ledger, query, found.sides, DIFF_LABELS, effective.policy),
    effective,
    extras: found.extras,
    fed: found.fed,
    more: found.more as M,
  }
}

/** Throws 400 for what takes single runs, where these are kept as sums. */
export function refuseKept(fed: FedSides, what: string): void {
  const [first] = keptOf(fed)
  if (first !== undefined) throw badRequest(`${what} takes single runs: ${keptText(first)}.`)
}

const DIFF_LABELS = { baseline: 'baseline', candidate: 'candidate' } as const

function refuseIncomparable({ baseline, candidate }: RawSides, query: SideQuery): void {
  if (baseline.release === undefined) throw badRequest(unknownRelease(query.baselineId, 'baseline'))
  if (candidate.release === undefined) throw badRequest(unknownRelease(query.candidateId, 'candidate'))
  const agents = [baseline.release.agent_id, candidate.release.agent_id]
  if (agents[0] !== agents[1]) {
    throw badRequest(
      `Cross-agent diff is not allowed: ${query.baselineId} is a release of ${agents[0]}, ` +
        `${query.candidateId} of ${agents[1]}.`,
    )
  }
  ratesOf(baseline, DIFF_LABELS.baseline)
  ratesOf(candidate, DIFF_LABELS.candidate)
}

function pricingReport(
  sides: { baseline: Side; candidate: Side },
  { now, catalog, tables }: Priced,
): DiffReport['pricing'] {
  const [baseline, candidate] = [sides.baseline.release, sides.candidate.release]
  const warnings = [
    ...sideWarnings(sides.baseline, 'baseline', now),
    ...sideWarnings(sides.candidate, 'candidate', now),
  ]
  return {
    baseline_provider: baseline.provider,
    baseline_version: baseline.pricing_version,
    baseline_model: baseline.model,
    candidate_provider: candidate.provider,
    candidate_version: candidate.pricing_version,
    candidate_model: candidate.model,
    pricing_or_model_changed:
      baseline.provider !== candidate.provider ||
      baseline.pricing_version !== candidate.pricing_version ||
      baseline.model !== candidate.model,
    prices: { ...pricesOf(sides.baseline, 'baseline'), ...pricesOf(sides.candidate, 'candidate') },
    warnings: [...new Set(warnings)],
    hints: hintsFor(tables, sides),
    catalog: catalogReport(catalog, sides),
  }
}

/** What a report says of prices next to those of the sides. */
interface Priced {
  /** Epoch ms. */
  readonly now: number
  readonly catalog: CatalogState
  /** Versions of the price tables of each side's provider, newest first. */
  readonly tables: OfSides<string[]>
}

/** The provider by whose table a release is priced, as an expression. */
function providerOf(releaseId: string): Statement {
  return sql`(SELECT pricing_provider FROM releases WHERE release_id = ${releaseId})`
}

/** How many runs the cost counts, where it leaves any out for their usage. */
function costRuns({ baseline, candidate }: Sides): CostRuns {
  const of = ({ metrics: { runs, incomplete_runs = 0 } }: Side): number => runs - incomplete_runs
  const isWhole = [baseline, candidate].every(({ metrics }) => metrics.incomplete_runs === undefined)
  return isWhole ? {} : { baseline_cost_runs: of(baseline), candidate_cost_runs: of(candidate) }
}

type CostRuns = Pick<DiffReport['samples'], 'baseline_cost_runs' | 'candidate_cost_runs'>

type Prices<L extends string> = Record<
  `${L}_${'input' | 'output' | 'cached_input' | 'cache_write_input'}_usd_per_1k_tokens`,
  number | null
>

function pricesOf<L extends 'baseline' | 'candidate'>({ release, rates }: Side, label: L): Prices<L> {
  const entry = rates.get(release.model)
  return {
    [`${label}_input_usd_per_1k_tokens`]: entry?.input_usd_per_1k_tokens ?? null,
    [`${label}_output_usd_per_1k_tokens`]: entry?.output_usd_per_1k_tokens ?? null,
    [`${label}_cached_input_usd_per_1k_tokens`]: entry?.cached_input_usd_per_1k_tokens ?? null,
    [`${label}_cache_write_input_usd_per_1k_tokens`]: entry?.cache_write_input_usd_per_1k_tokens ?? null,
  } as Prices<L>
}

function sideWarnings(side: Side, label: string, now: number): string[] {
  const { release, rates, variants } = side
  const { provider, pricing_version, model } = release
  const table = `${provider}/${pricing_version}`
  const warnings: string[] = []
  if (!rates.has(model)) {
    warnings.push(`${label}: the release's model ${model} has no entry in price table ${table}`)
  }
  const age = bundledAgeDays(pricing_version, now)
  if (age !== undefined && isStale(age, STALE_AFTER_DAYS)) {
    const days = age === null ? 'of unknown age' : `${age} days old (stale after ${STALE_AFTER_DAYS})`
    warnings.push(`bundled price table ${table} is ${days}; its rates are illustrative, import your own`)
  }
  const foreign = [...new Set(variants.map(variant => variant.provider))].filter(name => name !== provider)
  if (foreign.length > 0) {
    warnings.push(
      `${label}: events name the provider ${firstFew(foreign)}, but are priced by model from ${table}`,
    )
  }
  return [...warnings, ...freeReadWarnings(side, label)]
}

/** Other versions of a provider's table, and model names that look like the missing one. */
function hintsFor(tables: Priced['tables'], sides: { baseline: Side; candidate: Side }): string[] {
  const hints: string[] = []
  for (const [side, { release, rates }] of Object.entries(sides) as [keyof Sides, Side][]) {
    const others = tables[side].filter(version => version !== release.pricing_version)
    if (others.length > 0) hints.push(`other imported versions of ${release.provider}: ${firstFew(others)}`)
    if (rates.has(release.model)) continue
    const similar = similarNames(release.model, rates.keys())
    if (similar.length > 0) {
      hints.push(`models named like ${release.model} in the table: ${similar.join(', ')}`)
    }
  }
  return [...new Set(hints)]
}
