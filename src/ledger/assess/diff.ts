import { badRequest } from '../../base/errors.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { DiffReport } from '../../models/answers/diff.ts'
import { STALE_AFTER_DAYS, bundledAgeDays, isStale } from '../../rules/cost.ts'
import { firstFew, similarNames } from '../../base/text.ts'
import { isoTime } from '../../base/time.ts'
import { roundOrNull } from '../../rules/statistics/intervals.ts'
import { changeSentence, withNames, withoutIds } from '../../rules/change_sentence.ts'
import { type PolicyLimit, policyLimits, withoutSegmentLimits } from '../../rules/limits.ts'
import type { OfSides } from '../../rules/missing_evidence.ts'
import { gateState, limitRows } from '../../rules/place.ts'
import { DEFAULT_POLICY, type StoredPolicy } from '../../rules/scope.ts'
import type { Window } from '../../rules/window.ts'
import { keepingPlans } from '../../sql/deadline.ts'
import { type Statement, sql } from '../../sql/port.ts'
import { type Query, ask, ofSides, rowsOfSides, together } from '../../sql/query.ts'
import { type ReadQuery, readWindowQuery } from '../world/query.ts'
import { type Gap, gapQuery, gapWarning, keptText, windowWarnings } from '../events/gaps.ts'
import { isFiltered } from '../events/rollups.ts'
import { type ClusterBy, unitOf } from './clusters.ts'
import {
  type Reading,
  freeReadWarnings,
  judgeReading,
  pricedReading,
  withMissingEvidence,
} from './evaluation.ts'
import {
  type CompareBy,
  type FedSides,
  NOTHING_YET,
  NO_MEASURES,
  type ReadComparison,
  comparesShared,
  comparisonReader,
  keptOf,
  measuresOf,
  readComparison,
} from './comparison.ts'
import { expectedPolicy, isSamePolicy, noteState } from './expected.ts'
import { runRatesOf, sinceFirstRun, spansQuery, usedOf } from './pair.ts'
import { conditionAnswers } from './current_state.ts'
import { countComparison } from '../world/memo.ts'
import type { CatalogState, Ledger } from '../world/ledger.ts'
import { ACTIVE_POLICY, policyIn } from '../registry/policies.ts'
import { VERSIONS_ORDER, toVersion, versionsStatement } from '../registry/pricing.ts'
import { type ReleaseFacts, releaseQuery, unknownRelease } from '../registry/release_facts.ts'
import { namedFor } from './naming.ts'
import { type RawSides, type Side, type SideQuery, type Sides, catalogReport, ratesOf } from './sides.ts'

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
  /** The limits with what was measured, and the verdict in a sentence. */
  readonly judged?: boolean | undefined
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
  const where = readWindowQuery(ledger, input)
  const found = await compared(ledger, where, await readDiff(ledger, input, queryFor(input, where)))
  const { now, requested: window, window_used, query, filters, sides, effective, more } = found
  const rates = runRatesOf(more.spans, query, sides)
  // A limit on any tenant or task asks nothing of one alone.
  const isPart = filters.tenant_id !== null || filters.task_id !== null
  const judging = isPart ? withoutSegmentLimits(effective) : effective
  const question = {
    now,
    compare_by: input.compare_by,
    ...(input.sequential === undefined ? {} : { sequential: input.sequential }),
    comparisons: countComparison(ledger.memo.comparisons, [
      query.baselineId,
      query.candidateId,
      input.window,
      ...Object.values(filters),
    ]),
  }
  const evaluation = judgeReading(ledger.workspace, judging, found, question)
  const verdict = withMissingEvidence(evaluation, found, rates)
  const { statistics, names, cases, nameOf } = await namedFor(ledger, evaluation.statistics, isReader)
  const named = (text: string): string => (isReader ? withNames(text, names) : withoutIds(text))
  const policy = { ...verdict, reasons: verdict.reasons.map(named) }
  const { version } = sides.candidate.release
  const summary = changeSentence(version, sides.baseline.release.version, statistics, nameOf)
  const { metrics } = evaluation
  return {
    window: input.window,
    since: isoTime(window.since),
    until: isoTime(window.until),
    ...(window_used === undefined ? {} : { window_used }),
    ...warningsOf([
      ...windowWarnings(window_used, window),
      ...(more.gaps === undefined ? [] : gapWarnings(more.gaps)),
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
    summary,
    metrics,
    statistics,
    ...(isReader ? await more.answers() : {}),
    ...(names.length === 0 ? {} : { segments: [...names] }),
    ...(cases.length === 0 ? {} : { cases: [...cases] }),
    policy,
    ...(input.judged === true
      ? {
          judged: {
            ...gateState({ ...policy, summary }, version),
            rows: limitRows(
              {
                limits: limitsOn(judging, statistics, isPart),
                metrics,
                statistics: evaluation.statistics,
              },
              effective.scope?.rules ?? [],
            ).map(row => ({ ...row, metric: named(row.metric) })),
          },
        }
      : {}),
    ...(effective.scope === undefined
      ? {}
      : { policy_scope: { ...effective.scope, policy: effective.policy } }),
  }
}

/** The limits that apply to the compared runs. Limits on evaluations don't apply to one tenant or task. */
function limitsOn(
  { policy }: StoredPolicy,
  { limits }: DiffReport['statistics'],
  isPart: boolean,
): PolicyLimit[] {
  const applies = ({ policy_key: key }: PolicyLimit): boolean =>
    !key.includes('.') || limits.some(({ policy_key }) => policy_key === key)
  return isPart ? policyLimits(policy).filter(applies) : policyLimits(policy)
}

/** Reads a diff by the policy that is expected for the candidate, and again where another one is in force. */
async function readDiff(ledger: Ledger, input: DiffInput, query: SideQuery) {
  const { sql: db, memo } = ledger
  const { environment, baselineId, candidateId, window: wanted } = query
  const place = { environment, release_id: candidateId }
  const answers = await conditionAnswers(ledger, environment, {
    release: sql`${candidateId}`,
    baseline: sql`${baselineId}`,
    window: wanted,
  })
  const more = (of: SideQuery) =>
    withPolicy(
      together({
        spans: spansQuery(of),
        tables: versionsQuery(of),
        gaps: isFiltered(of.filters)
          ? ofSides(side => gapQuery(of[`${side}Id`], environment, of.window))
          : undefined,
        answers,
      }),
    )
  const requested = [
    ...(input.tails === true ? ['tails', 'ttft_tails'] : []),
    ...(input.tools === true ? ['tools'] : []),
  ]
  const isSequential = (policy: Policy): boolean => input.sequential ?? policy.sequential ?? false
  const readerBy = async (inForce: Policy) => {
    const { compare_by = inForce.compare_by, cluster_by = inForce.cluster_by } = input
    const policy = { ...inForce, ...(compare_by === undefined ? {} : { compare_by }) }
    return comparisonReader(ledger, {
      query: isSequential(policy) ? { ...query, window: await sinceFirstRun(ledger, query) } : query,
      measures: await measuresOf(ledger, { policy, isDiff: true, isRollback: false }, requested),
      sharesTime: comparesShared(policy),
      by: unitOf({ cluster_by }),
      more,
    })
  }
  const inForce = async (document: Policy, candidate: ReleaseFacts | undefined): Promise<Policy> => {
    if (candidate === undefined) return document
    noteState(memo, place, { policy: document, target: candidate })
    return (await policyIn(document, { agent_id: candidate.agent_id, environment })).policy
  }
  for (let policy = expectedPolicy(memo, place) ?? DEFAULT_POLICY; ;) {
    let reader = await readerBy(policy)
    const before = reader.isWhole
      ? undefined
      : together({ policy: ACTIVE_POLICY, candidate: releaseQuery(candidateId) })
    const read = await ask(db, together({ first: reader.first, before }))
    let { first } = read
    if (read.before !== undefined) {
      const now = await inForce(read.before.policy, read.before.candidate)
      if (!isSamePolicy(now, policy)) reader = await readerBy(now)
      // Of another window.
      if (isSequential(now) !== isSequential(policy)) first = NOTHING_YET
      policy = now
    }
    const found = await reader.rest(first)
    const now = await inForce(found.more.policy, found.sides.candidate.release)
    if (isSamePolicy(now, policy)) return found
    // Another policy was set meanwhile.
    policy = now
  }
}

/** The policy in force with what else a comparison reads. */
function withPolicy<M>(own: Query<M> | undefined) {
  return together({ policy: ACTIVE_POLICY, own: own as Query<M> })
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
interface Compared<M> extends Reading<M> {
  readonly now: number
  /** The window as it was given; that of the query is the one that was read. */
  readonly requested: Window
  readonly filters: DiffReport['filters']
  /** As it holds for the agent in the environment. */
  readonly effective: StoredPolicy
}

type ComparedInput = Pick<
  DiffInput,
  'baseline_release_id' | 'candidate_release_id' | 'window' | keyof DiffReport['filters']
>

function queryFor(input: ComparedInput, { environment, window, now }: ReadQuery): SideQuery {
  return {
    baselineId: input.baseline_release_id,
    candidateId: input.candidate_release_id,
    environment,
    window,
    now,
    filters: { tenant_id: input.tenant_id ?? null, task_id: input.task_id ?? null },
  }
}

/** Reads both sides, and throws 400 where they can't be compared. */
export async function comparedSides<M = undefined>(
  ledger: Ledger,
  input: ComparedInput,
  more?: (query: SideQuery) => Query<M>,
): Promise<Compared<M>> {
  const where = readWindowQuery(ledger, input)
  const found = await readComparison(ledger, {
    query: queryFor(input, where),
    measures: NO_MEASURES,
    sharesTime: false,
    more: query => withPolicy(more?.(query)),
  })
  return compared(ledger, where, found)
}

async function compared<M>(
  ledger: Ledger,
  { now, environment, window: requested, refuseWindow }: ReadQuery,
  { more, ...found }: ReadComparison<{ readonly policy: Policy; readonly own: M }>,
): Promise<Compared<M>> {
  const { query } = found
  refuseIncomparable(found.sides, query)
  refuseWindow()
  if (isFiltered(query.filters)) refuseKept(found.fed, 'A comparison of one tenant or task')
  const { agent_id } = found.sides.candidate.release!
  const effective = await policyIn(more.policy, { agent_id, environment })
  return {
    ...(await pricedReading(ledger, { ...found, more: more.own }, DIFF_LABELS, effective.policy)),
    now,
    requested,
    ...usedOf(query.window, requested, found.window_used),
    filters: { environment, ...query.filters },
    effective,
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

/** Versions of the tables of the providers by which both sides are priced. */
function versionsQuery(query: SideQuery): Query<OfSides<string[]>> {
  const provider = (side: keyof OfSides): Statement =>
    sql`(SELECT pricing_provider FROM releases WHERE release_id = ${query[`${side}Id`]})`
  return rowsOfSides(side => versionsStatement(provider(side)), VERSIONS_ORDER, toVersion)
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
