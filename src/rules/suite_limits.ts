import { UNPROVEN } from './result.ts'
import { firstFew, hoursText } from '../base/text.ts'
import { HOUR_MS, durationMs } from '../base/time.ts'
import type { DiffStatistics, LimitResult } from '../models/answers/statistics.ts'
import type { SuiteStatistics } from '../models/answers/suites.ts'
import type { Policy } from '../models/documents/policy.ts'
import { type LimitDecision, type OnInconclusive, decideFloor } from './statistics/decide.ts'

type SuiteRules = NonNullable<Policy['suites']>[string]

/** Labels of people below which agreement with them is not known. */
const LEAST_LABELS = 20

/** What a policy limits of a suite, by the key that does. */
export function suiteMetrics(
  suite: string,
  rules: SuiteRules,
): { readonly policy_key: string; readonly metric: string; readonly limit: number }[] {
  const { must_pass, min_pass_rate, max_regressions, max_age, require_judge_agreement } = rules
  const { max_missing_cases } = rules
  const limits: readonly (readonly [string, string, number | undefined])[] = [
    ['', `suite ${suite}`, 1],
    ['.max_age', `age in hours of suite ${suite}`, max_age === undefined ? undefined : hoursOf(max_age)],
    ['.same_bundle', `bundle of suite ${suite}`, rules.same_bundle === true ? 1 : undefined],
    ['.must_pass', `failing cases of suite ${suite}`, must_pass === true ? 0 : undefined],
    ['.min_pass_rate', `score ${suite}/pass_rate`, min_pass_rate],
    ['.max_regressions', `newly failing cases of suite ${suite}`, max_regressions],
    ['.max_missing_cases', `missing cases of suite ${suite}`, max_missing_cases],
    ['.require_judge_agreement', `agreement of the judge of suite ${suite}`, require_judge_agreement],
  ]
  return limits.flatMap(([key, metric, limit]) =>
    limit === undefined ? [] : [{ policy_key: `suites.${suite}${key}`, metric, limit }],
  )
}

function hoursOf(age: string): number {
  return durationMs(age)! / HOUR_MS
}

/** Whether a limit of a suite is on what may not be lower. */
export function isSuiteFloor(policyKey: string): boolean {
  return policyKey.startsWith('suites.') && /\.(?:min_pass_rate|require_judge_agreement)$/.test(policyKey)
}

/**
 * Decides what a policy asks of suites, in the order of its keys. Without evidence, because a suite was never imported, is
 * too old or of another bundle, it blocks whatever `on_inconclusive` says.
 */
export function suiteLimits(
  { suites }: Pick<Policy, 'suites'>,
  measured: Pick<DiffStatistics, 'suites' | 'scores'>,
  onInconclusive: OnInconclusive,
): LimitResult[] {
  return Object.entries(suites ?? {}).flatMap(([suite, rules]) => {
    if (measured.suites?.of_rollback === true && rules.on_rollback !== true) return []
    const found = measured.suites?.imported.find(one => one.suite === suite)
    return new SuiteDecision(suite, rules, found, measured.scores, onInconclusive).results()
  })
}

export type ScoreStatistics = NonNullable<DiffStatistics['scores']>[number]

/** Share of cases that may lack a score where the policy doesn't say. */
const MAX_MISSING = 0.02

/** A limit on a score of a suite: it fails where more cases of the candidate lack the score than may. */
export function unlessMissing(
  result: LimitResult,
  { name, missing }: Pick<ScoreStatistics, 'name' | 'missing'>,
  suites: Policy['suites'],
): LimitResult {
  const [suite, score] = name.split('/') as [string, string]
  const most = suites?.[suite]?.max_missing_cases ?? MAX_MISSING
  if (missing === undefined || missing.share <= most || result.outcome === 'fail') return result
  const allowed = `suites.${suite}.max_missing_cases allows ${percent(most)}`
  return {
    ...result,
    passed: false,
    outcome: 'fail',
    inconclusive_because: null,
    decided_by: 'policy',
    reason: `suite ${suite}: ${missingText(score, missing)}; ${allowed} (${result.policy_key})`,
  }
}

/** Says how many cases lack a score. */
function missingText(score: string, { cases, of, share }: NonNullable<ScoreStatistics['missing']>): string {
  const lack = cases === 1 ? 'has' : 'have'
  return `${cases} of ${counted(of)} ${lack} no score ${score} in the candidate's import (${percent(share)})`
}

/** Says of each suite how many of its cases lack a score. */
export function missingWarnings(scores: readonly Pick<ScoreStatistics, 'name' | 'missing'>[]): string[] {
  const lacking = scores.flatMap(({ name, missing }) => {
    const [suite, score] = name.split('/') as [string, string]
    return missing === undefined ? [] : [{ suite, text: missingText(score, missing) }]
  })
  return Array.from(
    Map.groupBy(lacking, ({ suite }) => suite),
    ([suite, of]) => `suite ${suite}: ${firstFew(of.map(({ text }) => text))}`,
  )
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`
}

class SuiteDecision {
  readonly #suite: string
  readonly #rules: SuiteRules
  readonly #found: SuiteStatistics | undefined
  readonly #passRate: ScoreStatistics | undefined
  readonly #onInconclusive: OnInconclusive

  constructor(
    suite: string,
    rules: SuiteRules,
    found: SuiteStatistics | undefined,
    scores: DiffStatistics['scores'],
    onInconclusive: OnInconclusive,
  ) {
    this.#suite = suite
    this.#rules = rules
    this.#found = found
    this.#passRate = scores?.find(({ name }) => name === `${suite}/pass_rate`)
    this.#onInconclusive = onInconclusive
  }

  results(): LimitResult[] {
    const found = this.#found
    if (found?.candidate_import_id == null) {
      return [this.#lacking('', 'it was never imported for this release; `svc scores import` does that')]
    }
    const invalid = [...this.#age(found), ...this.#bundle(found)]
    // What is no evidence proves nothing else.
    if (invalid.some(({ passed }) => !passed)) return invalid
    return [
      ...invalid,
      ...this.#mustPass(found),
      ...this.#passRateFloor(),
      ...this.#regressions(found),
      ...this.#agreement(found),
    ]
  }

  #age({ age_hours }: SuiteStatistics): LimitResult[] {
    const { max_age } = this.#rules
    if (max_age === undefined) return []
    if (age_hours === null) {
      const when =
        'its newest import is of a time that has not come yet; import it again once the clock is right'
      return [this.#lacking('.max_age', when)]
    }
    if (age_hours <= hoursOf(max_age)) return [this.#decided('.max_age', age_hours, true)]
    const why = `its newest import is ${hoursText(age_hours)} old, and ${max_age} is allowed; evaluate the release again`
    return [{ ...this.#lacking('.max_age', why), ...exactly(age_hours) }]
  }

  #bundle({ bundle }: SuiteStatistics): LimitResult[] {
    if (this.#rules.same_bundle !== true) return []
    if (bundle === 'same') return [this.#decided('.same_bundle', 1, true)]
    const why =
      bundle === 'other'
        ? "its newest import ran against another bundle than the release's"
        : 'its newest import does not say which bundle it ran against; name that with --bundle'
    return [this.#lacking('.same_bundle', why)]
  }

  #mustPass({ cases, failing, missing }: SuiteStatistics): LimitResult[] {
    if (this.#rules.must_pass !== true) return []
    if (failing === null || cases === null) {
      const why =
        cases === null
          ? 'its newest import does not tell cases apart; give each an id'
          : 'its newest import does not say which cases pass'
      return [this.#lacking('.must_pass', why)]
    }
    const lost = missing ?? 0
    const parts = [
      ...(failing === 0 ? [] : [`${failing} of ${counted(cases)} ${failing === 1 ? 'fails' : 'fail'}`]),
      ...(lost === 0
        ? []
        : [`${counted(lost)} of the baseline's newest import ${lost === 1 ? 'is' : 'are'} missing`]),
    ]
    const passed = parts.length === 0
    const reason = `suite ${this.#suite}: ${parts.join(', ')}`
    return [this.#decided('.must_pass', failing + lost, passed, reason)]
  }

  #passRateFloor(): LimitResult[] {
    const limit = this.#rules.min_pass_rate
    if (limit === undefined) return []
    const { candidate = null, change } = this.#passRate ?? {}
    const isEnough = change !== undefined && change.candidate_runs >= change.min_runs
    const decision = decideFloor(candidate, { limit, isEnough }, this.#onInconclusive)
    return [this.#unlessMissing(this.#floor('.min_pass_rate', decision))]
  }

  #regressions({ changes, not_compared_because: why, baseline_import_id }: SuiteStatistics): LimitResult[] {
    const limit = this.#rules.max_regressions
    if (limit === undefined) return []
    if (changes === null) {
      const result = this.#lacking(
        '.max_regressions',
        `cases can't be compared one by one: ${NOT_COMPARED[why ?? 'no_cases']}`,
      )
      // What can't be compared is decided as other doubts are; without a baseline there is nothing to go by.
      const isDoubt = why === 'judges' || why === 'few_shared'
      const passed = isDoubt && baseline_import_id !== null && this.#onInconclusive === 'pass'
      const doubted: LimitResult = {
        ...result,
        passed,
        inconclusive_because: isDoubt ? 'not_comparable' : 'no_data',
      }
      return [passed ? this.#unlessMissing(doubted) : doubted]
    }
    const { newly_failing: broken } = changes
    const reason = `suite ${this.#suite}: ${counted(broken)} that passed ${broken === 1 ? 'fails' : 'fail'} now`
    return [this.#unlessMissing(this.#decided('.max_regressions', broken, broken <= limit, reason))]
  }

  #unlessMissing(result: LimitResult): LimitResult {
    return this.#passRate === undefined
      ? result
      : unlessMissing(result, this.#passRate, { [this.#suite]: this.#rules })
  }

  #agreement({ agreement }: SuiteStatistics): LimitResult[] {
    const limit = this.#rules.require_judge_agreement
    if (limit === undefined) return []
    const { labels = 0, kappa = null } = agreement ?? {}
    const isEnough = labels >= LEAST_LABELS
    const decision = decideFloor(kappa, { limit, isEnough }, this.#onInconclusive)
    const result = this.#floor('.require_judge_agreement', decision)
    if (kappa !== null) return [{ ...result, baseline_runs: 0, candidate_runs: labels }]
    const why =
      labels === 0
        ? 'no case has a label of a human'
        : 'all labels, or all verdicts of the judge, are the same'
    return [this.#lacking('.require_judge_agreement', why)]
  }

  #floor(key: string, decision: LimitDecision): LimitResult {
    const { policy_key, metric } = this.#named(key)
    return { policy_key, metric, ...decision, ...this.#runs() }
  }

  #decided(key: string, value: number, passed: boolean, reason?: string): LimitResult {
    const { policy_key, metric, limit } = this.#named(key)
    return {
      policy_key,
      metric,
      passed,
      outcome: passed ? 'pass' : 'fail',
      inconclusive_because: null,
      decided_by: 'interval',
      limit,
      ...exactly(value),
      ...this.#runs(),
      ...(passed || reason === undefined
        ? {}
        : { reason: `${reason}; ${policy_key} allows ${limit || 'none'}` }),
    }
  }

  #lacking(key: string, why: string): LimitResult {
    const { policy_key, metric, limit } = this.#named(key)
    return {
      policy_key,
      metric,
      passed: false,
      outcome: 'inconclusive',
      inconclusive_because: 'no_data',
      decided_by: 'policy',
      limit,
      estimate: null,
      low: null,
      high: null,
      ...this.#runs(),
      reason: `${UNPROVEN}suite ${this.#suite}: ${why} (${policy_key})`,
    }
  }

  #named(key: string) {
    const policyKey = `suites.${this.#suite}${key}`
    return suiteMetrics(this.#suite, this.#rules).find(({ policy_key }) => policy_key === policyKey)!
  }

  #runs(): Pick<LimitResult, 'baseline_runs' | 'candidate_runs'> {
    const { baseline_runs = 0, candidate_runs = this.#found?.cases ?? 0 } = this.#passRate?.change ?? {}
    return { baseline_runs, candidate_runs }
  }
}

const NOT_COMPARED = {
  no_import: 'the baseline has no import of it',
  no_cases: 'an import does not tell its cases apart',
  no_outcomes: 'an import does not say which cases pass',
  few_shared: 'under 80 % of the cases of an import are in both',
  judges: 'the imports were judged by different judges',
} as const satisfies Readonly<Record<NonNullable<SuiteStatistics['not_compared_because']>, string>>

function exactly(value: number): Pick<LimitResult, 'estimate' | 'low' | 'high'> {
  return { estimate: value, low: value, high: value }
}

function counted(cases: number): string {
  return `${cases} ${cases === 1 ? 'case' : 'cases'}`
}
