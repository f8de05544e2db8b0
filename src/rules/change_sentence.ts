import { grouped } from '../base/text.ts'
import type { DiffStatistics } from '../models/answers/statistics.ts'
import type { MetricStatistics } from './statistics/metric.ts'
import { type CausedMetric, causeText, isBeyondTraffic } from './cause_words.ts'
import type { DiffReport } from '../models/answers/diff.ts'

/** A tenant or task that the candidate serves worse. */
export type SegmentRegression = NonNullable<DiffStatistics['segment_regressions']>['found'][number]

/** What a sentence is about. */
export type Compared = Pick<DiffStatistics, 'cost_per_run_usd' | 'latency_ms' | 'error_rate' | 'compared'> &
  Partial<Pick<DiffStatistics, 'limits' | 'ttft_ms'>>

interface Wording {
  readonly metric: CausedMetric
  readonly noun: string
  /** The key of its limit on a change. */
  readonly limit: string
  readonly of: 'relative_change' | 'difference'
  readonly worse: string
  readonly better: string
  /** Unit and digits, which the size of the change decides for both ends of its interval too. */
  readonly scale: (size: number) => { readonly unit: string; readonly times: number; readonly digits: number }
}

const WORDINGS: readonly Wording[] = [
  {
    metric: 'cost_per_run_usd',
    noun: 'cost',
    limit: 'max_cost_increase_pct',
    of: 'relative_change',
    worse: 'costs more, by',
    better: 'costs less, by',
    scale: size => ({ unit: ' %', times: 100, digits: size < 0.1 ? 1 : 0 }),
  },
  {
    metric: 'latency_ms',
    noun: 'latency',
    limit: 'max_latency_increase_pct',
    of: 'difference',
    worse: 'is slower, by',
    better: 'is faster, by',
    scale: scaleOfTime,
  },
  {
    metric: 'error_rate',
    noun: 'errors',
    limit: 'max_error_rate_increase',
    of: 'difference',
    worse: 'fails more often, by',
    better: 'fails less often, by',
    scale: () => ({ unit: ' points', times: 100, digits: 1 }),
  },
]

function scaleOfTime(size: number): ReturnType<Wording['scale']> {
  return { unit: ' ms', times: 1, digits: size < 10 ? 1 : 0 }
}

/** Said only where it is proven to have changed: most runs don't report it. */
const OF_FIRST_TOKEN = {
  of: 'difference',
  worse: 'takes longer to its first token, by',
  better: 'takes less time to its first token, by',
  scale: scaleOfTime,
} as const

/**
 * What changed between two releases, in one sentence: what is proven worse or better and by how much, what is unchanged,
 * what is proven to rise within its limit, of what nothing is proven, and for whom it is worse; where failures changed, of which runs cost and latency are.
 * `candidate` and `baseline` are versions; `nameOf` says a tenant or task.
 */
export function changeSentence(
  candidate: string,
  baseline: string,
  compared: Compared & Pick<DiffStatistics, 'segment_regressions' | 'of_succeeded'>,
  nameOf: (spot: SegmentRegression) => string = ({ kind, segment }) => `${kind} ${segment}`,
): string {
  const of = (verdict: MetricStatistics['verdict']): Wording[] =>
    WORDINGS.filter(({ metric }) => compared[metric].verdict === verdict)
  const [worse, better] = [of('worse'), of('better')]
  const changed = [
    ...worse.map(wording => `${wording.worse} ${amountOf(wording, compared[wording.metric])}`),
    ...firstToken(compared, 'worse'),
    ...better.map(wording => `${wording.better} ${amountOf(wording, compared[wording.metric])}`),
    ...firstToken(compared, 'better'),
  ]
  const open = of('inconclusive')
  const met = open.filter(({ limit }) => isMet(limit, compared))
  const unknown = open.filter(wording => !met.includes(wording))
  const unchanged = stateOf(of('no_difference'), 'unchanged')
  const doubts = doubtsOf(unknown, compared)
  const spots = worseFor(compared.segment_regressions?.found ?? [], nameOf)
  const parts = partsOf({ candidate, baseline, changed, unchanged, met, doubts, spots })
  const haveFailuresChanged = ['better', 'worse'].includes(compared.error_rate.verdict)
  const text = [...parts, compared.of_succeeded && haveFailuresChanged ? OF_SUCCEEDED : undefined]
    .filter(part => part !== undefined)
    .join('; ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

function firstToken({ ttft_ms }: Compared, verdict: 'worse' | 'better'): string[] {
  return ttft_ms?.change.verdict === verdict
    ? [`${OF_FIRST_TOKEN[verdict]} ${amountOf(OF_FIRST_TOKEN, ttft_ms.change)}`]
    : []
}

function isMet(limit: string, { limits = [] }: Compared): boolean {
  return limits.some(
    ({ policy_key, outcome, decided_by }) =>
      policy_key === limit && outcome === 'pass' && decided_by === 'interval',
  )
}

/** Such as `cost and errors are unchanged`. */
function stateOf(wordings: readonly Wording[], state: string): string | undefined {
  const nouns = nounsOf(wordings)
  if (nouns.length === 0) return undefined
  return `${listed(nouns)} ${nouns.length > 1 || nouns[0] === 'errors' ? 'are' : 'is'} ${state}`
}

const OF_SUCCEEDED = 'cost and latency are per run that succeeded'

interface SentenceParts {
  readonly candidate: string
  readonly baseline: string
  readonly changed: readonly string[]
  readonly unchanged: string | undefined
  readonly met: readonly Wording[]
  readonly doubts: readonly Doubt[]
  readonly spots: string | undefined
}

/** What is worse comes first, of the whole or else of a tenant or task. */
function partsOf(said: SentenceParts): (string | undefined)[] {
  const { candidate, baseline, changed, unchanged, met, doubts, spots } = said
  const doubt = doubts.length === 0 ? undefined : `nothing is proven ${doubts.map(ofText).join(', and ')}`
  const within = stateOf(met, `within the limit on ${met.length > 1 ? 'their' : 'its'} rise`)
  if (changed.length > 0) {
    return [`${candidate} ${listed(changed)}`, unchanged, within, doubt, spots && `it ${spots}`]
  }
  if (spots !== undefined)
    return [`${candidate} ${spots}`, unchanged && `on the whole ${unchanged}`, within, doubt]
  const first = unchanged ?? within
  if (first === undefined) {
    const [{ because }, ...others] = doubts as [Doubt, ...Doubt[]]
    const why = others.length === 0 ? because : `: ${doubts.map(ofText).join(', and ')}`
    return [`nothing is proven about ${candidate} against ${baseline} yet${why}`]
  }
  if (doubt === undefined && within === undefined) return [`${candidate} is like ${baseline}: ${first}`]
  return [`${first} from ${baseline} to ${candidate}`, first === within ? undefined : within, doubt]
}

/** Tenants and tasks that are named. */
const MOST_NAMED = 3

/** Whom it is worse for, and by how much. */
function worseFor(
  spots: readonly SegmentRegression[],
  nameOf: (spot: SegmentRegression) => string,
): string | undefined {
  if (spots.length === 0) return undefined
  const named = spots.slice(0, MOST_NAMED).map(spot => {
    const wording = WORDINGS.find(({ metric }) => metric === spot.metric)!
    return `${wording.worse.replace(',', ` for ${nameOf(spot)},`)} ${amountOf(wording, spot)}`
  })
  const more = spots.length > MOST_NAMED ? [`is worse in ${spots.length - MOST_NAMED} more cases`] : []
  return listed([...named, ...more])
}

function nounsOf(wordings: readonly Wording[]): string[] {
  return wordings.map(({ noun }) => noun)
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

/** From nothing there is no change in percent. */
const DOLLARS = { unit: ' USD', times: 1, digits: 6 } as const

/** About how much, with both ends of the interval, the one nearer to 0 first. */
function amountOf(
  { of, scale }: Pick<Wording, 'of' | 'scale'>,
  metric: Pick<MetricStatistics, 'relative_change' | 'difference'>,
): string {
  const change = metric[of] ?? metric.difference
  if (change === null) return 'more than nothing'
  const size = Math.abs(change.estimate)
  const { unit, times, digits } = of === 'relative_change' && metric[of] === null ? DOLLARS : scale(size)
  const shown = (value: number): string => grouped((Math.abs(value) * times).toFixed(digits))
  const [near, far] = change.estimate >= 0 ? [change.low, change.high] : [change.high, change.low]
  const range =
    near === null
      ? ''
      : far === null
        ? ` (at least ${shown(near)}${unit})`
        : ` (${shown(near)} to ${shown(far)}${unit})`
  return `about ${shown(size)}${unit}${range}`
}

/** Metrics of which nothing is proven for one reason. */
interface Doubt {
  readonly nouns: readonly string[]
  /** Empty, or such as `, because there are too few runs`. */
  readonly because: string
}

function doubtsOf(unknown: readonly Wording[], compared: Compared): Doubt[] {
  const byCause = Map.groupBy(unknown, ({ metric }) => becauseOf(metric, compared))
  return [...byCause].map(([because, wordings]) => ({ nouns: nounsOf(wordings), because }))
}

function ofText({ nouns, because }: Doubt): string {
  return `about ${listed(nouns)}${because}`
}

function becauseOf(metric: CausedMetric, compared: Compared): string {
  const cause = causeText(metric, compared) ?? plainText(compared[metric])
  return cause === undefined ? '' : `, because ${cause}`
}

function plainText({ inconclusive_because, runs_needed, ...runs }: MetricStatistics): string | undefined {
  const { runs_per_side } = runs_needed
  const smaller = Math.min(runs.baseline_runs, runs.candidate_runs)
  return inconclusive_because === 'interval_too_wide' && isBeyondTraffic(runs_per_side ?? 0, smaller)
    ? 'runs differ too much from each other for this traffic'
    : PLAIN[inconclusive_because!]
}

const PLAIN: Readonly<Partial<Record<NonNullable<MetricStatistics['inconclusive_because']>, string>>> = {
  not_comparable: 'the releases share too little to compare',
  no_data: 'one release has no usable runs',
  too_few_runs: 'there are too few runs',
  interval_too_wide: 'the interval is too wide',
}

/** Names of tenants and tasks by their ids; null where a name was erased. */
export type SegmentNames = NonNullable<DiffReport['segments']>

/** How a sentence names a tenant or task; by its id where its name was erased. */
export function namerOf(names: SegmentNames): (spot: SegmentRegression) => string {
  return ({ kind, segment }) => `${kind} ${names.find(({ id }) => id === segment)?.name ?? segment}`
}

/** How texts mention a tenant or task by its id. */
const BY_ID = /\b(tenant|task) (\d+)\b/g

/** Ids of the tenants and tasks that texts mention. */
export function idsInTexts(texts: readonly string[]): number[] {
  return [...new Set(texts.flatMap(text => Array.from(text.matchAll(BY_ID), ([, , id]) => Number(id))))]
}

/** A text with the names of the tenants and tasks that it mentions by their ids, where they are known. */
export function withNames(text: string, names: SegmentNames): string {
  return text.replaceAll(BY_ID, (given, kind: string, id: string) => {
    const name = names.find(each => each.id === Number(id) && each.kind === kind)?.name
    return name == null ? given : `${kind} ${name}`
  })
}

/** Statistics that mention no single tenant, task or case, not even by its id. */
export function withoutSegments({
  segment_regressions: _spots,
  compared,
  suites,
  limits,
  ...statistics
}: DiffStatistics): DiffStatistics {
  const { left_out: _leftOut, ...rest } = compared ?? {}
  return {
    ...statistics,
    ...(suites === undefined
      ? {}
      : { suites: { ...suites, imported: suites.imported.map(suite => ({ ...suite, listed: [] })) } }),
    ...(compared === undefined ? {} : { compared: rest as NonNullable<DiffStatistics['compared']> }),
    limits: limits.map(limit => ({ ...limit, metric: withoutIds(limit.metric) })),
  }
}

/** The text of a limit or reason, without the id of a tenant or task. */
export function withoutIds(text: string): string {
  return text.replaceAll(/ of (tenant|task) \d+/g, ' of a $1')
}
