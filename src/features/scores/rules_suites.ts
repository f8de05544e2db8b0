import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { SuiteStatistics } from '../../models/answers/suites.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { CaseState } from '../../models/names.ts'
import { firstFew, similarNames } from '../../base/text.ts'
import { round12 } from '../../base/numbers.ts'
import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import { roundEstimate } from '../../rules/statistics/intervals.ts'
import { type CaseTable, PASS_RATE, partnersOf } from './rules_cases.ts'
import { kappaEstimate } from './rules_paired.ts'
import type { IntegerAggregate } from '../../rules/statistics/samples.ts'

/** The sums of one score in one block of time, or of the cases of an import, in millionths. */
export interface ScoreAggregate extends IntegerAggregate {
  readonly name: string
}

/** Who judged. */
interface Judge {
  readonly model: string | null
  readonly prompt_sha256: string | null
  readonly rubric_version: string | null
}

/** What an import says with its scores, as it is stored. */
export interface ImportFacts {
  /** Null where cases have no identity. */
  readonly case_ids: 'given' | 'hashed' | 'mixed' | null
  readonly results: number
  /** Of the texts of its parts. */
  readonly cases_sha256: string | null
  readonly judge: Judge | null
  readonly bundle_checksum: string | null
  /** Epoch ms. */
  readonly evaluated_at: number | null
  readonly human_labels: number
  readonly duration_ms: number | null
  readonly tokens: number | null
  readonly cost_usd: number | null
  /** Keys of cases that the suite no longer has. */
  readonly removed?: readonly string[]
}

/** The newest import of a suite for one release. */
export interface SuiteImport {
  readonly suite: string
  readonly import_id: string
  readonly aggregates: readonly ScoreAggregate[]
  readonly cases: number
  /** Epoch ms. */
  readonly created_at: number
  readonly parts: number
  readonly facts: ImportFacts | undefined
  /** Undefined where cases have no identity, or no longer. */
  readonly table: CaseTable | undefined
}

/** The imports of one suite for both releases. */
export interface SuitePair {
  readonly baseline: SuiteImport | undefined
  readonly candidate: SuiteImport | undefined
}

/** Share of each side's cases that both must have for a comparison case by case. */
export const LEAST_SHARED_CASES = 0.8

/** Most cases that statistics list. */
const MOST_LISTED = 20

/** The order in which cases are listed. */
const STATES: readonly CaseState[] = [
  'newly_failing',
  'failing',
  'flaky',
  'still_failing',
  'newly_passing',
  'only_candidate',
  'only_baseline',
  'passing',
]

export function areOtherJudges({ baseline, candidate }: SuitePair): boolean {
  if (baseline === undefined || candidate === undefined) return false
  return JSON.stringify(baseline.facts?.judge ?? null) !== JSON.stringify(candidate.facts?.judge ?? null)
}

/** What became of one case. `before` and `after` are the share of its tries that passed; undefined where it was not tried. */
function stateOf(before: number | undefined, after: number): CaseState {
  if (before !== undefined && before > HALF && after <= HALF) return 'newly_failing'
  if (after > 0 && after < 1) return 'flaky'
  if (before === undefined) return 'only_candidate'
  if (before > HALF) return 'passing'
  return after === 1 ? 'newly_passing' : 'still_failing'
}

/** The state of a case that there is nothing to compare with. */
function stateAlone(after: number): CaseState {
  if (after === 1) return 'passing'
  return after === 0 ? 'failing' : 'flaky'
}

/** A case passes where more than half of its tries do. */
const HALF = 0.5

/** The share of tries of a case that passed; a try without an outcome did not. */
function passedShare(table: CaseTable, number: number): number {
  return table.scores.get(PASS_RATE)!.full[number]! / table.epochs[number]!
}

/** Cases by what became of them; of new ones those that fail come first. */
export type CasesByState = ReadonlyMap<CaseState, readonly string[]>

/** Every case of two imports with what became of it, those first that are worth looking at; undefined without outcomes. */
export function caseStates(
  baseline: CaseTable | undefined,
  candidate: CaseTable | undefined,
): CasesByState | undefined {
  if ([baseline, candidate].some(table => table?.scores.has(PASS_RATE) === false)) return undefined
  const byState = new Map<CaseState, string[]>(STATES.map(state => [state, []]))
  const partners = baseline && candidate && partnersOf(candidate, baseline).numbers
  for (const [number, key] of (candidate?.keys ?? []).entries()) {
    const after = passedShare(candidate!, number)
    const other = partners?.[number] ?? -1
    const before = other < 0 ? undefined : passedShare(baseline!, other)
    byState.get(partners === undefined ? stateAlone(after) : stateOf(before, after))!.push(key)
  }
  for (const key of baseline?.keys ?? []) {
    if (candidate?.numbers.has(key) !== true) byState.get('only_baseline')!.push(key)
  }
  const share = (key: string): number => passedShare(candidate!, candidate!.numbers.get(key)!)
  byState.get('only_candidate')!.sort((a, b) => share(a) - share(b))
  return byState
}

/** Why cases of two imports are not compared one by one; null where they can be. */
function whyNotCompared(pair: SuitePair): SuiteStatistics['not_compared_because'] {
  const { baseline, candidate } = pair
  if (baseline === undefined || candidate === undefined) return 'no_import'
  if (areOtherJudges(pair)) return 'judges'
  const [b, c] = [baseline.table, candidate.table]
  if (b === undefined || c === undefined) return 'no_cases'
  if (!b.scores.has(PASS_RATE) || !c.scores.has(PASS_RATE)) return 'no_outcomes'
  const { shared } = partnersOf(c, b)
  const least = LEAST_SHARED_CASES * Math.max(b.keys.length, c.keys.length)
  return shared < least ? 'few_shared' : null
}

/** What the newest imports of a suite say of its cases. `now` is the database's clock, epoch ms. */
export function suiteStatistics(
  suite: string,
  pair: SuitePair,
  { now, checksum }: { readonly now: number; readonly checksum: string },
): SuiteStatistics {
  const { baseline, candidate } = pair
  const [b, c] = [baseline?.table, candidate?.table]
  const not_compared_because = whyNotCompared(pair)
  const states = c === undefined ? undefined : caseStates(not_compared_because === null ? b : undefined, c)
  const count = (state: CaseState): number => states?.get(state)?.length ?? 0
  return {
    suite,
    baseline_import_id: baseline?.import_id ?? null,
    candidate_import_id: candidate?.import_id ?? null,
    age_hours: candidate === undefined ? null : ageHours(candidate, now),
    bundle: bundleOf(candidate, checksum),
    cases: c?.keys.length ?? null,
    failing: c?.scores.has(PASS_RATE) === true ? failingCases(c) : null,
    missing: missingCases(pair),
    changes:
      not_compared_because === null
        ? {
            newly_failing: count('newly_failing'),
            newly_passing: count('newly_passing'),
            still_failing: count('still_failing'),
            flaky: count('flaky'),
          }
        : null,
    not_compared_because,
    agreement: agreementOf(candidate),
    listed: states === undefined ? [] : worthListing(states, c!),
  }
}

/** Cases that don't pass; those that only the candidate has may. */
function worthListing(states: CasesByState, candidate: CaseTable): SuiteStatistics['listed'] {
  const worth = STATES.filter(state => state !== 'passing' && state !== 'newly_passing').flatMap(state =>
    states
      .get(state)!
      .slice(0, MOST_LISTED)
      .map(key => ({ case: key, state })),
  )
  const passes = ({ case: key, state }: { case: string; state: CaseState }): boolean =>
    state === 'only_candidate' && passedShare(candidate, candidate.numbers.get(key)!) === 1
  return worth.filter(each => !passes(each)).slice(0, MOST_LISTED)
}

/** The age of the import, or of what it was made from. Null where the clock can't be right. */
function ageHours({ created_at, facts }: SuiteImport, now: number): number | null {
  const at = Math.min(created_at, facts?.evaluated_at ?? created_at)
  return created_at > now + HOUR_MS ? null : round12(Math.max(0, now - at) / HOUR_MS)
}

function bundleOf(candidate: SuiteImport | undefined, checksum: string): SuiteStatistics['bundle'] {
  const named = candidate?.facts?.bundle_checksum ?? null
  if (named === null) return 'unknown'
  return named === checksum ? 'same' : 'other'
}

/** Cases with a try that did not pass, or of which it isn't known. */
function failingCases({ scores, epochs }: CaseTable): number {
  const { full } = scores.get(PASS_RATE)!
  return full.reduce((failing, passed, number) => failing + Number(passed < epochs[number]!), 0)
}

/** Cases that the candidate's import lacks and does not name as removed; where one side's have no identity, as many as their numbers differ by. */
function missingCases({ baseline, candidate }: SuitePair): number | null {
  if (baseline === undefined || candidate === undefined) return null
  const [b, c] = [baseline.table, candidate.table]
  if (b === undefined || c === undefined) return Math.max(0, baseline.cases - candidate.cases)
  const removed = new Set(candidate.facts?.removed)
  return b.keys.filter(key => !c.numbers.has(key) && !removed.has(key)).length
}

function agreementOf(candidate: SuiteImport | undefined): SuiteStatistics['agreement'] {
  const labels = candidate?.facts?.human_labels ?? 0
  if (labels === 0 || candidate?.table === undefined) return null
  return { labels, kappa: roundEstimate(kappaEstimate(candidate.table.agreed)) }
}

/** An import of this age is warned of where the policy says nothing. */
const OLD_MS = 30 * DAY_MS

/** What to know of a suite before its figures are believed. */
export function suiteWarnings(
  { suite, age_hours, bundle, not_compared_because }: SuiteStatistics,
  { baseline, candidate }: SuitePair,
  policy: Pick<Policy, 'suites' | 'min_scores' | 'max_score_drop'>,
): string[] {
  const rules = policy.suites?.[suite]
  const isLimited =
    rules !== undefined ||
    [policy.min_scores, policy.max_score_drop].some(limits =>
      Object.keys(limits ?? {}).some(name => name.startsWith(`${suite}/`)),
    )
  const texts = [
    ...(isLimited && rules?.max_age === undefined && age_hours !== null && age_hours * HOUR_MS > OLD_MS
      ? [`its newest import is ${Math.floor((age_hours * HOUR_MS) / DAY_MS)} days old`]
      : []),
    ...(bundle === 'other' && rules?.same_bundle !== true
      ? ["its newest import ran against another bundle than the release's"]
      : []),
    ...(not_compared_because === 'judges'
      ? [
          `its imports were judged by different judges (${judgeText(baseline)}; ${judgeText(candidate)}), so its scores are not compared`,
        ]
      : []),
    ...unpairedTexts(baseline, candidate, not_compared_because),
    ...unevenTexts(candidate?.table),
  ]
  return texts.map(text => `suite ${suite}: ${text}`)
}

/** Suites that a policy names and neither release has, where the name of another one is near. */
export function unknownWarnings(named: readonly string[], known: readonly string[]): string[] {
  return named.flatMap(suite => {
    const [meant] = known.includes(suite) ? [] : similarNames(suite, known, 1)
    return meant === undefined ? [] : [`suite ${suite}: neither release has it; did you mean ${meant}?`]
  })
}

function judgeText(suite: SuiteImport | undefined): string {
  const judge = suite?.facts?.judge
  if (judge == null) return 'nobody is named'
  const { model, prompt_sha256, rubric_version } = judge
  return firstFew([
    ...(model === null ? [] : [model]),
    ...(prompt_sha256 === null ? [] : [`prompt ${prompt_sha256.slice(0, 8)}`]),
    ...(rubric_version === null ? [] : [`rubric ${rubric_version}`]),
  ])
}

/** Where neither import tells its cases apart, nothing is to be expected. */
function unpairedTexts(
  baseline: SuiteImport | undefined,
  candidate: SuiteImport | undefined,
  why: SuiteStatistics['not_compared_because'],
): string[] {
  const [b, c] = [baseline?.table, candidate?.table]
  if (why === 'judges' || baseline === undefined || candidate === undefined) return []
  if (b === undefined && c === undefined) return []
  if (b === undefined || c === undefined) {
    const side = b === undefined ? "baseline's" : "candidate's"
    return [`the ${side} import does not tell its cases apart, so scores are compared without pairs`]
  }
  const { shared } = partnersOf(c, b)
  const share = (table: CaseTable): string => `${Math.floor((100 * shared) / table.keys.length)} %`
  if (shared >= LEAST_SHARED_CASES * Math.max(b.keys.length, c.keys.length)) return []
  return [
    `${shared} cases are in both imports, ${share(b)} of the baseline's and ${share(c)} of the candidate's, so scores are compared without pairs`,
  ]
}

function unevenTexts(table: CaseTable | undefined): string[] {
  if (table === undefined) return []
  const most = table.epochs.reduce((a, b) => Math.max(a, b), 0)
  const fewer = table.epochs.reduce((n, epochs) => n + Number(epochs < most), 0)
  return fewer === 0 ? [] : [`${fewer} of ${table.keys.length} cases have fewer than ${most} epochs`]
}

/** The statistics of suites, where one tells its cases apart or the policy asks for one. */
export function suitesOf(
  pairs: ReadonlyMap<string, SuitePair>,
  limited: Readonly<Record<string, unknown>>,
  of: { readonly now: number; readonly checksum: string },
): NonNullable<DiffStatistics['suites']>['imported'] {
  const shown = [...pairs].filter(([suite, { baseline, candidate }]) => {
    return baseline?.facts !== undefined || candidate?.facts !== undefined || Object.hasOwn(limited, suite)
  })
  return shown.map(([suite, pair]) => suiteStatistics(suite, pair, of))
}
