import { isIncomplete } from './statistics/incomplete.ts'
import type { LeftOut } from '../models/answers/decision.ts'
import type { Policy } from '../models/documents/policy.ts'
import type { Aggregate, PartSums, VariantSums } from './rollup.ts'

export type { LeftOut }

/** Runs of one agent and model that keep a side of a comparison from being decided on. */
export type UnusableRuns = LeftOut['unusable'][number]

/** What unusable runs are found by: a release, its prices, and what its runs used. */
export interface CheckedSide {
  readonly release: { readonly agent_id: string; readonly model: string }
  readonly variants: readonly Pick<VariantSums, 'agent_id' | 'model' | 'runs'>[]
  readonly parts: readonly Pick<PartSums, 'agent_id' | 'model' | 'parts'>[]
  readonly hasPrice: (model: string) => boolean
}

/** A release that a promotion, gate or rollback could not be decided on, because of runs or a missing price table. */
export interface Unusable {
  readonly release_id: string
  readonly agent_id: string
  readonly environment: string
  /** ISO time: the hour of the first such run of the last 7 days; of a release without a price table, its registration. */
  readonly since: string
  /** The end of the hour of the last one, or now; null where the table is missing, whatever runs there are. */
  readonly last: string | null
  readonly because: string
}

/** What a process keeps of them. */
export interface KnownUnusable {
  /** Epoch ms. */
  at?: number
  releases: readonly Unusable[]
}

/** Largest share of a side's runs that may be left out. */
const MOST_LEFT_OUT = 0.05

/** Whoever sends events can make up any number of agents and models. */
const MOST_NAMED = 20

/** What counts as an unusable run. */
export interface UnusableRules {
  readonly unpriced: Policy['unpriced']
  /** Whether runs of several agents may be compared: where the other side has none (specification, POST /v1/diff). */
  readonly mayMix?: boolean
}

/** The runs that keep a side from being decided on, largest first. */
export function unusableRuns(side: CheckedSide, rules: UnusableRules): UnusableRuns[] {
  const whyOf = unusableRule(side, rules)
  const all = [
    ...side.variants.map(({ agent_id, model, runs }) => ({ agent_id, model, runs, parts: 0 })),
    ...side.parts.map(({ agent_id, model, parts }) => ({ agent_id, model, runs: 0, parts })),
  ]
  const groups = Map.groupBy(all, ({ agent_id, model }) => `${agent_id}\0${model}`)
  return Array.from(groups.values())
    .flatMap(group => {
      const { agent_id, model } = group[0]!
      const why = whyOf(group[0]!)
      // The runs of another agent are left out whole, so their parts need no count of their own.
      const parts = why === 'agent' ? 0 : sumOf(group, 'parts')
      return why === undefined ? [] : [{ agent_id, model, why, runs: sumOf(group, 'runs'), parts }]
    })
    .filter(({ runs, parts }) => runs + parts > 0)
    .toSorted((a, b) => b.runs + b.parts - a.runs - a.parts)
}

type UnusableRule = (used: Pick<UnusableRuns, 'agent_id' | 'model'>) => UnusableRuns['why'] | undefined

/**
 * Why a use is an unusable run: it is of another agent, and the side names several (specification, POST /v1/diff), or of a model
 * without a price. A policy may leave the latter out of the cost, but not those of the release's own model, and not where
 * no run has a price.
 */
function unusableRule(
  { release, variants, hasPrice }: CheckedSide,
  { unpriced, mayMix = false }: UnusableRules,
): UnusableRule {
  const isMixed = !mayMix && new Set(variants.map(({ agent_id }) => agent_id)).size > 1
  const hasPricedRuns = variants.some(({ model, runs }) => runs > 0 && hasPrice(model))
  return function whyOf({ agent_id, model }) {
    if (isMixed && agent_id !== release.agent_id) return 'agent'
    if (hasPrice(model) || isIncomplete(model)) return undefined
    return unpriced === 'exclude' && hasPricedRuns && model !== release.model ? undefined : 'price'
  }
}

function sumOf(group: readonly Pick<UnusableRuns, 'runs' | 'parts'>[], name: 'runs' | 'parts'): number {
  return group.reduce((sum, each) => sum + each[name], 0)
}

/** What becomes of unusable runs: `offer` refuses them, and names the way to leave them out. */
export type OnUnusable = 'refuse' | 'offer' | 'exclude'

interface Measurable extends CheckedSide {
  readonly variants: readonly VariantSums[]
  readonly aggregates: readonly Aggregate[]
  readonly parts: readonly PartSums[]
}

/** A side as it is measured. */
interface WithoutUnusable<S> {
  readonly kept: S
  /** Undefined where nothing was left out. */
  readonly leftOut: LeftOut | undefined
  /** What a refusal of the unusable runs adds: why they were not left out, or how they can be. */
  readonly hint: string
}

/** A side without its unusable runs, where these are to be left out and are few enough; otherwise as it is. */
export function withoutUnusable<S extends Measurable>(
  side: S,
  rules: UnusableRules,
  onUnusable: OnUnusable,
): WithoutUnusable<S> {
  const unusable = onUnusable === 'refuse' ? [] : unusableRuns(side, rules)
  if (unusable.length === 0) return { kept: side, leftOut: undefined, hint: '' }
  const leftOut = leftOutOf(
    unusable,
    side.variants.reduce((sum, { runs }) => sum + runs, 0),
  )
  const isFew = leftOut.runs + leftOut.parts <= MOST_LEFT_OUT * leftOut.of_runs
  if (onUnusable === 'offer') return { kept: side, leftOut: undefined, hint: isFew ? offerText(leftOut) : '' }
  if (!isFew) return { kept: side, leftOut: undefined, hint: tooManyText(leftOut) }
  const whyOf = unusableRule(side, rules)
  const isKept = (used: VariantSums): boolean => whyOf(used) === undefined
  const kept = {
    ...side,
    variants: side.variants.filter(isKept),
    aggregates: side.aggregates.filter(isKept),
    parts: side.parts.filter(isKept),
  }
  return { kept, leftOut, hint: '' }
}

function leftOutOf(unusable: readonly UnusableRuns[], of_runs: number): LeftOut {
  return {
    runs: sumOf(unusable, 'runs'),
    of_runs,
    parts: sumOf(unusable, 'parts'),
    unusable: unusable.slice(0, MOST_NAMED),
  }
}

function offerText(leftOut: LeftOut): string {
  return ` Or roll back without them: --exclude-unusable (exclude_unusable: true) leaves out ${shareText(leftOut)}.`
}

function tooManyText(leftOut: LeftOut): string {
  return ` They can't be left out: they are ${shareText(leftOut)}, and at most ${100 * MOST_LEFT_OUT} % of a release's runs may be.`
}

/** How much was left out, and of what: `3 of 500 runs (0.6 %): 2 of agent bot-2, 1 of model m9, which has no price`. */
export function leftOutText(leftOut: LeftOut): string {
  const named = leftOut.unusable.slice(0, MOST_SHOWN).map(unusableText)
  const more = leftOut.unusable.length > MOST_SHOWN ? ['others'] : []
  return `${shareText(leftOut)}: ${[...named, ...more].join(', ')}`
}

/** Unusable runs that a sentence names. */
const MOST_SHOWN = 3

function shareText({ runs, parts, of_runs }: LeftOut): string {
  return `${runs + parts} of ${of_runs} runs (${((100 * (runs + parts)) / Math.max(1, of_runs)).toFixed(1)} %)`
}

/** An unusable run in words: how many runs, and of what. */
export function unusableText({ agent_id, model, why, runs, parts }: UnusableRuns): string {
  return `${runs + parts} of ${why === 'agent' ? `agent ${agent_id}` : `model ${model}, which has no price`}`
}
