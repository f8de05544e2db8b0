import { type } from 'arktype'
import { age, by, increase, suiteNames, watchTime } from '../checks.ts'
import { forbiddenPower } from '../capability_checks.ts'
import { namePattern, overridesFit } from '../overrides.ts'
import { documented, under } from '../docs.ts'
import { ROLLBACK_KEYS } from '../names.ts'
import {
  Amount,
  Checksum,
  Count,
  Identifier,
  JsonObject,
  NumberOrNull,
  ScoreDrops,
  ScoreLimits,
  Timestamp,
} from '../scalars.ts'

const OptionalCount = Count.or('null').default(null)

/** A relative limit: 0.1 is +10 %. */
const Increase = Amount.narrow(by(increase)).or('null')

/** How each promotion is watched. */
const Watch = JsonObject.and({
  for: type.string.narrow(by(watchTime)),
  'auto_rollback?': 'boolean',
  'on_unusable?': "'refuse' | 'exclude'",
  'min_runs?': '10 <= number.integer <= 1000000',
}).onUndeclaredKey('reject')

const WATCH_FIELDS = {
  for: 'How long: 2h, 30m, 1d, up to 30 days.',
  auto_rollback: 'Whether a regression rolls back to the release before, if this policy lets it.',
  on_unusable:
    'What becomes of runs that keep its rollback from being decided on, of another agent or without a price: exclude leaves them out, up to 5 % of a side.',
  min_runs:
    'Runs of the new release below which nothing is concluded and nothing rolled back, but for failures that the exact bound proves from 10 runs on.',
} as const

/** What happens when a release has capabilities that the live one lacks. */
const CapabilityPolicy = JsonObject.and({
  'widened?': "'warn' | 'block'",
  'forbid?': Identifier.narrow(by(forbiddenPower)).array().atMostLength(100),
}).onUndeclaredKey('reject')

const CAPABILITY_FIELDS = {
  widened:
    'With `block`, a promotion is blocked where the release has capabilities that the live one lacks, until somebody acknowledges this difference. With `warn` (the default) it passes with a warning.',
  forbid:
    'What no promoted release may have: effects (`sends`), or names such as `tool:delete_*`, `scope:mail.*`, `mcp_server:shell`, `agent:x`, `provider:y`, `model:z`. No acknowledgement overrides it.',
} as const
/** What a promotion asks of a suite of test cases. */
const Suite = JsonObject.and({
  'must_pass?': 'boolean',
  'min_pass_rate?': '0 <= number <= 1',
  'max_regressions?': Count,
  'max_missing_cases?': '0 <= number <= 1',
  'max_age?': type.string.narrow(by(age)),
  'same_bundle?': 'boolean',
  'require_judge_agreement?': '0 <= number <= 1',
  'on_rollback?': 'boolean',
}).onUndeclaredKey('reject')

const Suites = JsonObject.and({ '[string]': Suite }).narrow(by(suiteNames))

const Pattern = Identifier.narrow(by(namePattern))

/** Keys that the specification doesn't have. */
const FURTHER_KEYS = {
  'max_cost_increase_pct?': Increase,
  'max_latency_increase_pct?': Increase,
  'max_tool_calls_increase_pct?': Increase,
  'max_error_rate_increase?': '0 <= number <= 1 | null',
  'max_latency_p95_ms?': Count.or('null'),
  'max_latency_p99_ms?': Count.or('null'),
  'max_latency_p95_increase_pct?': Increase,
  'max_latency_p99_increase_pct?': Increase,
  'max_segment_cost_increase_pct?': Increase,
  'max_segment_latency_increase_pct?': Increase,
  'max_segment_error_rate_increase?': '0 <= number <= 1 | null',
  'min_scores?': ScoreLimits.or('null'),
  'max_score_drop?': ScoreDrops.or('null'),
  'suites?': Suites.or('null'),
  'on_rollback?': type
    .enumerated(...ROLLBACK_KEYS)
    .array()
    .atMostLength(ROLLBACK_KEYS.length),
  'on_inconclusive?': "'block' | 'pass' | 'estimate'",
  'sequential?': 'boolean',
  'compare_by?': "'time' | 'tenant' | 'task' | 'window'",
  'cluster_by?': "'time' | 'session' | 'tenant'",
  'unpriced?': "'refuse' | 'exclude'",
  'watch?': Watch.or('null'),
  'capabilities?': CapabilityPolicy.or('null'),
  'max_undeclared_tool_calls?': Count.or('null'),
  'min_days_to_retirement?': '0 <= number.integer <= 3650 | null',
} as const

/** Keys of a policy for some agents or environments. */
const Override = JsonObject.and({
  'agent_id?': Pattern,
  'environment?': Pattern,
  'max_cost_per_run_usd?': Amount.or('null'),
  'max_latency_ms?': Count.or('null'),
  'max_error_rate?': '0 <= number <= 1 | null',
  'min_candidate_runs?': Count.or('null'),
  'min_baseline_runs?': Count.or('null'),
  'min_low_runs?': Count.or('null'),
  'require_high_diff_confidence?': 'boolean',
  ...FURTHER_KEYS,
}).onUndeclaredKey('reject')
export type Override = typeof Override.infer

/** Each one is compared with all before it. */
const MOST_OVERRIDES = 200

const Scoped = JsonObject.and({ 'overrides?': Override.array().atMostLength(MOST_OVERRIDES) }).narrow(
  by(overridesFit),
)

/** The policy: limits on a candidate and on sample sizes. An unknown key is refused. */
export const Policy = Scoped.and({
  policy_id: Identifier.default('default'),
  max_cost_per_run_usd: Amount.or('null').default(null),
  max_latency_ms: OptionalCount,
  max_error_rate: '0 <= number <= 1 | null = null',
  min_candidate_runs: OptionalCount,
  min_baseline_runs: OptionalCount,
  min_low_runs: OptionalCount,
  require_high_diff_confidence: 'boolean = true',
  ...FURTHER_KEYS,
}).onUndeclaredKey('reject')
export type Policy = typeof Policy.infer

const KEY_FIELDS = {
  max_cost_per_run_usd: 'Highest mean cost per run, USD.',
  max_latency_ms: 'Highest mean latency, milliseconds.',
  max_error_rate: 'Highest share of failed runs, 0 to 1.',
  min_candidate_runs: "Candidate runs for HIGH confidence; null takes the workspace's, 0 means no minimum.",
  min_baseline_runs: "Baseline runs for HIGH confidence; null takes the workspace's, 0 means no minimum.",
  min_low_runs: "Runs below which confidence is LOW; null takes the workspace's, 0 means no minimum.",
  require_high_diff_confidence: 'Whether only HIGH confidence passes.',
  max_cost_increase_pct:
    'Largest rise of the mean cost per run, a fraction: 0.1 is +10 %. Decided by its interval.',
  max_latency_increase_pct: 'Largest rise of the mean latency, a fraction. Decided by its interval.',
  max_tool_calls_increase_pct:
    'Largest rise of the mean number of tool calls per run, a fraction. Decided by its interval.',
  max_error_rate_increase: 'Largest rise of the error rate: 0.02 is two points. Decided by its interval.',
  max_latency_p95_ms: 'Highest 95th percentile of the latency, milliseconds. Decided by its interval.',
  max_latency_p99_ms: 'Highest 99th percentile of the latency, milliseconds. Decided by its interval.',
  max_latency_p95_increase_pct:
    'Largest rise of the 95th percentile of the latency over the time in which both ran, a fraction. Decided by its interval.',
  max_latency_p99_increase_pct: 'The same of the 99th percentile.',
  max_segment_cost_increase_pct:
    'Largest rise of the mean cost per run for any tenant or task, a fraction. Blocks only where the rise is proven to be larger.',
  max_segment_latency_increase_pct: 'The same of the mean latency.',
  max_segment_error_rate_increase: 'The same of the error rate: 0.02 is two points.',
  min_scores:
    'Lowest mean of scores of the candidate, by name: of its runs, or SUITE/NAME of an evaluation. Decided by its interval; without data it blocks.',
  max_score_drop:
    'Largest fall of the mean of scores, in their unit, by the same names. Decided by its interval; without data it blocks.',
  suites:
    'What the newest imports of evaluations must hold, by suite. A suite that was never imported for the candidate blocks. Asked of promotions and gates.',
  ...under('suites.*.', {
    must_pass:
      "Whether every epoch of every case must pass, and no case of the baseline's newest import be missing.",
    min_pass_rate: 'Lowest share of cases that pass. Decided by its interval.',
    max_regressions: 'How many cases that passed may fail now.',
    max_missing_cases:
      "Largest share of the cases of both imports without a score of the candidate, because they ended in an error or are not in its import; 0.02 unless given. Above it the limits on the suite's scores fail.",
    max_age: 'How old the import may be: 7d, 24h. What is older is no evidence.',
    same_bundle: "Whether the import must name the checksum of the release's bundle.",
    require_judge_agreement:
      "Lowest Cohen's κ between the judge and people, of cases that have labels. Decided by its interval.",
    on_rollback: 'Whether rollbacks are asked as well.',
  }),
  on_rollback:
    'Limits that rollbacks are asked besides the absolute limits on cost, latency and errors and the confidence, decided over the whole window. None unless given.',
  on_inconclusive: 'What becomes of a limit that an interval neither keeps nor breaks.',
  sequential: 'Whether intervals hold however often they are asked for; for gates that are polled.',
  compare_by:
    'What limits on a change compare: `time`, the blocks of time in which both releases ran, else the same hours of earlier days; `tenant` or `task`, each tenant or task that both served by itself; or `window`, all runs of the window, for runs made on purpose.',
  cluster_by:
    'What runs resemble each other within, which widens intervals: `time`, blocks of it; `session` or `tenant`, of up to 10,000 runs per side that are compared. By tenant or task each of these is one unit already.',
  unpriced:
    "What becomes of runs of models that the price table lacks, other than the release's own: exclude leaves them out of the cost, with a warning.",
  watch:
    'Starts a watch with each promotion: the new release is compared with the one before, minute by minute.',
  ...under('watch.', WATCH_FIELDS),
  capabilities:
    'What happens when a release has capabilities that the live one lacks. Applies to promotions and gates, never to rollbacks or first promotions.',
  ...under('capabilities.', CAPABILITY_FIELDS),
  max_undeclared_tool_calls:
    'Most calls in the window of tools that the candidate does not declare. Applies to promotions and gates.',
  min_days_to_retirement:
    'Fewest days until a provider retires a model of the candidate, its fallback included. A model without a known date passes. Applies to promotions and gates.',
} as const

export const policy = documented(Policy, {
  title: 'Policy',
  written: true,
  description: 'What a candidate must hold to be promoted. A limit of null is off.',
  fields: {
    policy_id: 'Name of the policy; the one set last is in force.',
    ...KEY_FIELDS,
    overrides:
      'What holds for some agents or environments instead. Of each key the most specific override that sets it counts.',
    'overrides[].agent_id':
      'The agents: an exact name, or the beginning of names and one *; all where it is left out.',
    'overrides[].environment': 'The environments, in the same way.',
    ...under('overrides[].', KEY_FIELDS),
  },
  defaults: {
    on_inconclusive: 'block',
    sequential: false,
    compare_by: 'time',
    cluster_by: 'time',
    unpriced: 'refuse',
  },
  examples: [
    { policy_id: 'prod', max_cost_per_run_usd: 0.01, max_latency_ms: 1500, max_error_rate: 0.02 },
    { max_latency_ms: 3000, overrides: [{ environment: 'prod', max_latency_ms: 1500 }] },
  ],
})

/** What a policy lacks to decide. */
export const MissingEvidence = type({
  baseline_runs_needed: NumberOrNull,
  candidate_runs_needed: NumberOrNull,
  baseline_runs_per_hour: NumberOrNull,
  candidate_runs_per_hour: NumberOrNull,
  hours: NumberOrNull,
  window: 'string | null',
  'because?': 'string[]',
  'beyond_traffic?': type({
    policy_key: 'string',
    limit: 'number',
    smallest_provable_limit: NumberOrNull,
  }).array(),
})
export type MissingEvidence = typeof MissingEvidence.infer

export const MISSING_FIELDS = {
  baseline_runs_needed:
    'How many more runs of the baseline, about: with as many an unchanged release passes in 80 of 100 cases. Null where it is no matter of runs, or not known.',
  candidate_runs_needed: 'The same of the candidate.',
  baseline_runs_per_hour:
    'Runs of the baseline per hour, from its first to its last run in the window; 0 where none came in the last day, null without runs.',
  candidate_runs_per_hour: 'The same of the candidate.',
  hours: 'How long it takes both sides to get as many, at these rates; null where that is not known.',
  window:
    'The window to ask with, where this one would not do: a shorter one in which both sides ran, or a longer one that holds as many runs; else null.',
  because:
    'Why limits are not decided that no number of runs decides, such as a level that moved within the window; left out where there are none.',
  beyond_traffic:
    'Limits that would take more than ten times the runs there are, so that this traffic does not decide them; left out where there are none.',
  'beyond_traffic[].policy_key': 'The limit.',
  'beyond_traffic[].limit': 'Its value in the policy.',
  'beyond_traffic[].smallest_provable_limit':
    'The smallest limit that these runs could decide for an unchanged release; null where that is not known.',
} as const

/** How a decision came out, by the reasons of its policy; `resultOf` decides it. */
export const Result = type("'passed' | 'first' | 'forced' | 'not_yet' | 'blocked'")
export type Result = typeof Result.infer

export const RESULT_FIELD =
  '`passed`; `first`: a first promotion, which compares nothing; `forced`: the policy was not asked; `not_yet`: only ' +
  'evidence is missing; `blocked`: something is violated.'

/** The outcome of one evaluation. No reasons means passed, but for a first promotion. */
export const PolicyVerdict = type({
  passed: 'boolean',
  result: Result,
  reasons: 'string[]',
  evaluated_at: Timestamp,
  'warnings?': 'string[]',
  'missing_evidence?': MissingEvidence,
})
export type PolicyVerdict = typeof PolicyVerdict.infer

/** How the overrides of a policy came out in one place. */
export const PolicyScope = type({
  policy_checksum: Checksum,
  rules: type({
    override: Count,
    'agent_id?': 'string',
    'environment?': 'string',
    keys: 'string[]',
  }).array(),
})
export type PolicyScope = typeof PolicyScope.infer

export const SCOPE_FIELDS = {
  policy_checksum: 'SHA-256 of the whole policy, lowercase hex.',
  rules: 'The overrides that set keys here, in the order of the policy.',
  'rules[].override': 'Which of the overrides, from 0.',
  'rules[].agent_id': 'The agents that it is for; left out where it is for all.',
  'rules[].environment': 'The environments that it is for; left out where it is for all.',
  'rules[].keys': 'The keys that it set.',
} as const

/** The same with what came out. */
export const ResolvedScope = PolicyScope.and({ policy: 'Record<string, unknown>' })

export const RESOLVED_FIELDS = {
  ...SCOPE_FIELDS,
  policy: 'The policy as it holds here, without overrides.',
} as const

/** What the fields of a verdict say, wherever it is. */
export const VERDICT_FIELDS = {
  passed: 'Whether the policy passes.',
  result: RESULT_FIELD,
  reasons: 'One per failed constraint, in the order they are checked; or why none was.',
  evaluated_at: 'When it was evaluated.',
  warnings:
    'What blocks nothing but should be known, such as a limit on what has no data; left out where there is none.',
  missing_evidence: 'What would decide it; only where nothing but evidence is missing.',
  ...under('missing_evidence.', MISSING_FIELDS),
} as const
