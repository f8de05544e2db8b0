import { hoursText, milliseconds, percent as percentText, usd as usdText } from '../base/text.ts'
import { type Limit, PERCENTILES, limitOf } from '../models/limits.ts'
import type { Policy } from '../models/documents/policy.ts'
import { type PolicyRule, ruleText } from './scope.ts'
import { type PolicyLimit, limitValue, policyLimits } from './limits.ts'

/** From which value on a limit lets so much through that a slip is more likely: percent are easily taken for fractions. */
const LOOSE: Partial<Record<Limit['unit'], number>> = { rise: 0.5, points: 0.15, share: 0.5 }

function isLoose({ policy_key, limit }: PolicyLimit): boolean {
  const row = limitOf(policy_key)
  const loose = (row && LOOSE[row.unit]) ?? Infinity
  return limit >= (row?.on === 'segment' ? 2 * loose : loose)
}

/** Most limits that are warned of. */
const MOST_LISTED = 5

/** A limit in words, such as `cost may rise by up to 200 %`. */
function limitText({ policy_key, limit }: Pick<PolicyLimit, 'policy_key' | 'limit'>): string {
  const [key, name] = [policy_key.split('.', 1)[0]!, policy_key.slice(policy_key.indexOf('.') + 1)]
  const row = limitOf(policy_key)
  return WORDS[key]?.(limit, name) ?? (row === undefined ? `${policy_key} ${limit}` : rowText(row, limit))
}

/** A limit on a percentile or on a rise. */
function rowText(row: Limit, limit: number): string {
  const { unit } = row
  if (row.on === 'mean') return `${row.what} may be up to ${milliseconds(limit)} on average`
  if (row.on === 'tail')
    return `${row.what} may be up to ${milliseconds(limit)} in ${percent(PERCENTILES[row.percentile])} of 100 runs`
  if (row.on === 'tail_change') {
    const slowest = Math.round(100 * (1 - PERCENTILES[row.percentile]))
    return riseText(`${row.what} of the slowest ${slowest === 1 ? '' : `${slowest} `}in 100 runs`, limit, '%')
  }
  const what = row.on === 'segment' ? `${row.what} for any tenant or task` : row.what
  return riseText(what, limit, unit === 'rise' ? '%' : limit === 0.01 ? 'point' : 'points')
}

const WORDS: Readonly<Record<string, (limit: number, name: string) => string>> = {
  max_cost_per_run_usd: usd => `cost may be up to ${usd} USD per run on average`,
  max_latency_ms: ms => `latency may be up to ${milliseconds(ms)} on average`,
  max_error_rate: share => (share === 0 ? 'no run may fail' : `up to ${percent(share)} % of runs may fail`),
  min_scores: (least, name) => `score ${name} must be ${least} or more on average`,
  suites: suiteText,
  max_score_drop: (fall, name) => `score ${name} may ${fall === 0 ? 'not fall' : `fall by up to ${fall}`}`,
}

/** `name` is the suite, and behind a dot what is required of it. */
function suiteText(limit: number, name: string): string {
  const [, suite = name, key = ''] = /^(.*)\.([a-z_]+)$/.exec(name) ?? []
  const text = SUITE_WORDS[key]
  return text === undefined ? `suite ${name} must be imported` : `suite ${suite}: ${text(limit)}`
}

const SUITE_WORDS: Readonly<Record<string, (limit: number) => string>> = {
  max_age: hours => `the import may be up to ${hoursText(hours)} old`,
  same_bundle: () => "the import must name the release's bundle",
  must_pass: () => 'every case must pass',
  min_pass_rate: share => `${percent(share)} % of the cases must pass`,
  max_regressions: cases => `up to ${cases} cases that passed may fail`,
  max_missing_cases: share => `up to ${percent(share)} % of the cases may lack a score`,
  require_judge_agreement: kappa => `the judge must agree with people by a κ of ${kappa}`,
}

function riseText(what: string, rise: number, unit: string): string {
  return `${what} may ${rise === 0 ? 'not rise' : `rise by up to ${percent(rise)} ${unit}`}`
}

/** A fraction as percent, or as points of a rate. */
function percent(fraction: number): string {
  return String(Number((100 * fraction).toPrecision(6)))
}

/** The limits of a policy in words, those of its overrides behind its own. */
export function limitsInWords(policy: Policy): string[] {
  const { overrides = [], ...own } = policy
  return [
    ...limitsOf(policy).map(({ limit, rules }) => limitText(limit) + ruleText(rules, limit.policy_key)),
    ...conditionsOf(own).map(({ text }) => text),
    ...overrides.flatMap((keys, override) =>
      [...conditionsOf(keys), ...switchedOff(own, keys)].map(
        ({ key, text }) => text + ruleText([ruleOf(keys, override, key)], key),
      ),
    ),
  ]
}

/** The limits of a policy that an override sets to null. */
function switchedOff(own: Policy, keys: Keys): { key: string; text: string }[] {
  const isOff = (key: string): boolean => own[key as keyof Policy] != null && keys[key as keyof Keys] === null
  return Object.keys(keys).flatMap(key => (isOff(key) ? [{ key, text: `${key} is switched off` }] : []))
}

type Keys = Omit<NonNullable<Policy['overrides']>[number], 'agent_id' | 'environment'>

/** What a candidate has to meet that no single number says. */
function conditionsOf({
  capabilities,
  max_undeclared_tool_calls: calls,
  min_days_to_retirement: days,
  on_rollback: keys = [],
}: Keys) {
  const forbidden = capabilities?.forbid ?? []
  return [
    ...(capabilities?.widened === 'block'
      ? [
          {
            key: 'capabilities',
            text: 'a release may have no capabilities that the live one lacks, until somebody acknowledges the difference',
          },
        ]
      : []),
    ...(forbidden.length > 0
      ? [{ key: 'capabilities', text: `no release may have ${forbidden.join(', ')}` }]
      : []),
    ...(calls == null
      ? []
      : [
          {
            key: 'max_undeclared_tool_calls',
            text:
              calls === 0
                ? 'no tool may be called that is not declared'
                : `tools that are not declared may be called up to ${calls} times`,
          },
        ]),
    ...(days == null
      ? []
      : [{ key: 'min_days_to_retirement', text: `no model may retire within ${days} days` }]),
    ...(keys.length === 0
      ? []
      : [{ key: 'on_rollback', text: `these limits also apply to rollbacks: ${keys.join(', ')}` }]),
  ]
}

/** Limits that let through more than somebody is likely to mean, and how they were probably meant. */
export function looseLimits(policy: Policy): string[] {
  const loose = limitsOf(policy).filter(({ limit }) => isLoose(limit))
  const listed = loose.slice(0, MOST_LISTED).map(({ at, limit }) => {
    const meant = `if ${limit.limit} % was meant, write ${Number((limit.limit / 100).toPrecision(6))}`
    return `${at}${limit.policy_key} ${limit.limit}: ${limitText(limit)}; ${meant}`
  })
  return loose.length > MOST_LISTED
    ? [...listed, `and ${loose.length - MOST_LISTED} more such limits`]
    : listed
}

interface PlacedLimit {
  readonly limit: PolicyLimit
  /** Where it is in the document: '' or such as `overrides[0].`. */
  readonly at: string
  readonly rules: readonly PolicyRule[]
}

function limitsOf({ overrides = [], ...policy }: Policy): PlacedLimit[] {
  const own = policyLimits(policy).map(limit => ({ limit, at: '', rules: [] }))
  const others = overrides.flatMap(({ agent_id, environment, ...keys }, override) =>
    policyLimits(keys).map((limit): PlacedLimit => ({
      limit,
      at: `overrides[${override}].`,
      rules: [ruleOf({ agent_id, environment }, override, limit.policy_key)],
    })),
  )
  return [...own, ...others]
}

interface OptionalPlace {
  readonly agent_id?: string | undefined
  readonly environment?: string | undefined
}

function ruleOf({ agent_id, environment }: OptionalPlace, override: number, key: string): PolicyRule {
  return {
    override,
    ...(agent_id === undefined ? {} : { agent_id }),
    ...(environment === undefined ? {} : { environment }),
    keys: [key],
  }
}

const WRITTEN: Readonly<Record<Limit['metric'], ((value: number) => string) | undefined>> = {
  cost_per_run_usd: usdText,
  latency_ms: milliseconds,
  error_rate: percentText,
  tool_calls_per_run: undefined,
  ttft_ms: milliseconds,
}

/** How values of what a limit is on are written: USD, ms, percent, or a score; undefined where it has no one unit. */
export function valueText(policyKey: string): ((value: number) => string) | undefined {
  if (policyKey.startsWith('min_scores.')) return value => String(Number(value.toPrecision(6)))
  const row = limitOf(policyKey)
  return row === undefined || row.on === 'segment' ? undefined : WRITTEN[row.metric]
}

/** Whether a limit is on a value of the candidate itself, as a change is not. */
export function isOfValue(key: string): boolean {
  const unit = limitOf(key)?.unit
  return unit !== undefined && unit !== 'rise' && unit !== 'points'
}

/** How a limit and what was found of it are written: with its unit, a change with its sign. */
export function limitWriter(key: string): (value: number) => string {
  return (isOfValue(key) ? valueText(key) : undefined) ?? (value => limitValue(key, value))
}
