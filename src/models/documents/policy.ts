import { type Type, type } from 'arktype'
import { age, by, increase, suiteNames, watchTime } from '../checks.ts'
import { forbiddenPower } from '../capability_checks.ts'
import { namePattern, overridesFit } from '../overrides.ts'
import { LIMITS, type Limit, limitsOn } from '../limits.ts'
import { ROLLBACK_KEYS } from '../names.ts'
import {
  Amount,
  Checksum,
  Count,
  Identifier,
  json,
  NumberOrNull,
  ScoreDrops,
  ScoreLimits,
  Timestamp,
} from '../scalars.ts'
import { object, said } from '../model.ts'

/** A limit by its unit: a rise of 0.1 is +10 %. */
const BY_UNIT: Readonly<Record<Limit['unit'], Type<number | null>>> = {
  usd: Amount.or('null'),
  ms: Count.or('null'),
  share: type('0 <= number <= 1 | null'),
  points: type('0 <= number <= 1 | null'),
  rise: Amount.narrow(by(increase)).or('null'),
}

function limitFields<L extends Limit>(limits: readonly L[]) {
  return Object.fromEntries(
    limits.map(({ key, unit, about }) => [`${key}?`, [BY_UNIT[unit], about]]),
  ) as unknown as { readonly [K in L['key'] as `${K}?`]: readonly [Type<number | null>, string] }
}

/** The same, null where they are left out. */
function limitsUnset<L extends Limit>(limits: readonly L[]) {
  return Object.fromEntries(
    limits.map(({ key, unit, about }) => [key, [BY_UNIT[unit], about, null]]),
  ) as unknown as { readonly [K in L['key']]: readonly [Type<number | null>, string, null] }
}

const FURTHER_LIMITS = LIMITS.filter(limit => limit.on !== 'candidate')

const Watch = json({
  '+': 'reject',
  for: [type.string.narrow(by(watchTime)), 'How long: 2h, 30m, 1d, up to 30 days.'],
  'auto_rollback?': [
    'boolean',
    'Whether a regression rolls back to the release before, if this policy passes.',
  ],
  'on_unusable?': [
    "'refuse' | 'exclude'",
    'Runs that keep its rollback from being decided, of another agent or without a price: exclude leaves them out, up to 5 % of the runs of a release.',
  ],
  'min_runs?': [
    '10 <= number.integer <= 1000000',
    'Fewest runs of the new release for a conclusion or a rollback; failures that the exact bound proves count from 10 runs on.',
  ],
})

/** What happens when a release has capabilities that the live one lacks. */
const CapabilityPolicy = json({
  '+': 'reject',
  'widened?': [
    "'warn' | 'block'",
    'With `block`, a promotion is blocked if the release has capabilities that the live one lacks, until somebody acknowledges this difference. With `warn` (the default) it passes with a warning.',
  ],
  'forbid?': [
    Identifier.narrow(by(forbiddenPower)).array().atMostLength(100),
    "Forbidden capabilities: effects (`sends`), or names such as `tool:delete_*`, `scope:mail.*`, `mcp_server:shell`, `agent:x`, `provider:y`, `model:z`. An acknowledgement doesn't override them.",
  ],
})

/** What a promotion asks of a suite of test cases. */
const Suite = json({
  '+': 'reject',
  'must_pass?': [
    'boolean',
    "Whether every epoch of every case must pass, and the import must have all cases of the baseline's newest import.",
  ],
  'min_pass_rate?': ['0 <= number <= 1', 'Lowest share of cases that pass. Decided by its interval.'],
  'max_regressions?': [Count, 'How many cases that passed may fail now.'],
  'max_missing_cases?': [
    '0 <= number <= 1',
    "Largest share of the cases of both imports without a score of the candidate, because they ended in an error or are not in its import; default 0.02. Above it the limits on the suite's scores fail.",
  ],
  'max_age?': [
    type.string.narrow(by(age)),
    "How old the import may be: 7d, 24h. An older import doesn't count.",
  ],
  'same_bundle?': ['boolean', "Whether the import must name the checksum of the release's bundle."],
  'require_judge_agreement?': [
    '0 <= number <= 1',
    "Lowest Cohen's κ between the judge and people, over cases with labels. Decided by its interval.",
  ],
  'on_rollback?': ['boolean', 'Whether it also applies to rollbacks.'],
})

const Suites = json({ '[string]': Suite }, suiteNames)

const Pattern = Identifier.narrow(by(namePattern))

/** Keys that the specification doesn't have. */
const FURTHER_KEYS = {
  ...limitFields(FURTHER_LIMITS),
  'min_scores?': [
    ScoreLimits.or('null'),
    'Lowest mean of scores of the candidate, by name: of its runs, or SUITE/NAME of an evaluation. Decided by its interval; without data it blocks.',
  ],
  'max_score_drop?': [
    ScoreDrops.or('null'),
    'Largest fall of the mean of scores, in their unit, by the same names. Decided by its interval; without data it blocks.',
  ],
  'suites?': [
    Suites.or('null'),
    'Requirements on the newest imports of evaluations, by suite. A suite that was never imported for the candidate blocks. Applies to promotions and gates.',
  ],
  'on_rollback?': [
    type
      .enumerated(...ROLLBACK_KEYS)
      .array()
      .atMostLength(ROLLBACK_KEYS.length),
    'Further limits for rollbacks, in addition to the absolute limits on cost, latency and errors and the confidence; decided over the whole window. Default: none.',
  ],
  'on_inconclusive?': [
    "'block' | 'pass' | 'estimate'",
    'Effect of a limit if its interval is neither within nor beyond it.',
  ],
  'sequential?': [
    'boolean',
    'Whether intervals stay valid for any number of checks; for gates that are polled.',
  ],
  'compare_by?': [
    "'time' | 'tenant' | 'task' | 'window'",
    'What limits on a change compare: `time`, the blocks of time in which both releases ran, else the same hours of earlier days; `tenant` or `task`, each tenant or task of both with itself; or `window`, all runs of the window, for test runs.',
  ],
  'cluster_by?': [
    "'time' | 'session' | 'tenant'",
    'The clusters of dependent runs, which widen intervals: `time`, blocks of it; `session` or `tenant`, of up to 10,000 compared runs per release. By tenant or task each of these is one unit already.',
  ],
  'unpriced?': [
    "'refuse' | 'exclude'",
    "Runs of models without a price, other than the release's own model: exclude leaves them out of the cost, with a warning.",
  ],
  'watch?': [
    Watch.or('null'),
    'Starts a watch with each promotion: the new release is compared with the one before, minute by minute.',
  ],
  'capabilities?': [
    CapabilityPolicy.or('null'),
    'What happens when a release has capabilities that the live one lacks. Applies to promotions and gates, never to rollbacks or first promotions.',
  ],
  'max_undeclared_tool_calls?': [
    Count.or('null'),
    'Most calls in the window of tools that the candidate does not declare. Applies to promotions and gates.',
  ],
  'min_days_to_retirement?': [
    '0 <= number.integer <= 3650 | null',
    'Fewest days until a provider retires a model of the candidate, its fallback included. A model without a known date passes. Applies to promotions and gates.',
  ],
} as const

/** Keys of a policy for some agents or environments. */
const Override = json({
  '+': 'reject',
  'agent_id?': [Pattern, 'The agents: an exact name, or a prefix and one *; left out for all.'],
  'environment?': [Pattern, 'The environments, in the same way.'],
  ...limitFields(limitsOn('candidate')),
  'min_candidate_runs?': [
    Count.or('null'),
    "Candidate runs for HIGH confidence; null: the workspace's value, 0: no minimum.",
  ],
  'min_baseline_runs?': [
    Count.or('null'),
    "Baseline runs for HIGH confidence; null: the workspace's value, 0: no minimum.",
  ],
  'min_low_runs?': [
    Count.or('null'),
    "Runs below which confidence is LOW; null: the workspace's value, 0: no minimum.",
  ],
  'require_high_diff_confidence?': ['boolean', 'Whether only HIGH confidence passes.'],
  ...FURTHER_KEYS,
})
export type Override = typeof Override.infer

/** Each one is compared with all before it. */
const MOST_OVERRIDES = 200

export const Policy = said(
  json(
    {
      '+': 'reject',
      policy_id: [Identifier, 'Name of the policy; the one that was set last counts.', 'default'],
      ...limitsUnset(limitsOn('candidate')),
      min_candidate_runs: [
        Count.or('null'),
        "Candidate runs for HIGH confidence; null: the workspace's value, 0: no minimum.",
        null,
      ],
      min_baseline_runs: [
        Count.or('null'),
        "Baseline runs for HIGH confidence; null: the workspace's value, 0: no minimum.",
        null,
      ],
      min_low_runs: [
        Count.or('null'),
        "Runs below which confidence is LOW; null: the workspace's value, 0: no minimum.",
        null,
      ],
      require_high_diff_confidence: ['boolean', 'Whether only HIGH confidence passes.', true],
      ...FURTHER_KEYS,
      'overrides?': [
        Override.array().atMostLength(MOST_OVERRIDES),
        'Other values for some agents or environments. For each key the most specific override counts.',
      ],
    },
    overridesFit,
  ),
  'What a candidate must meet to be promoted. A limit of null is off.',
  {
    written: true,
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
  },
)
export type Policy = typeof Policy.infer

/** What a policy lacks to decide. */
export const MissingEvidence = object({
  baseline_runs_needed: [
    NumberOrNull,
    "How many more runs of the baseline, about: with them an unchanged release passes in 80 of 100 cases. Null if runs don't decide it, or if unknown.",
  ],
  candidate_runs_needed: [NumberOrNull, 'How many more runs of the candidate, about.'],
  baseline_runs_per_hour: [
    NumberOrNull,
    'Runs of the baseline per hour, from its first to its last run in the window; 0 if none came in the last day, null without runs.',
  ],
  candidate_runs_per_hour: [NumberOrNull, 'Runs of the candidate per hour.'],
  hours: [NumberOrNull, 'How long both releases need to get them, at these rates; null if unknown.'],
  window: [
    'string | null',
    'A better window: a shorter one in which both releases ran, or a longer one with as many runs; null if this one is good.',
  ],
  'because?': [
    'string[]',
    'Why limits are not decided for another cause than the number of runs, such as a level that moved within the window; left out if there are none.',
  ],
  'beyond_traffic?': object(
    'Limits that would need more than ten times the present runs, so that this traffic does not decide them; left out if there are none.',
    {
      policy_key: ['string', 'The limit.'],
      limit: ['number', 'Its value in the policy.'],
      smallest_provable_limit: [
        NumberOrNull,
        'The smallest limit that these runs could decide for an unchanged release; null if unknown.',
      ],
    },
  ).array(),
})
export type MissingEvidence = typeof MissingEvidence.infer

/** How a decision came out, by the reasons of its policy; `resultOf` decides it. */
export const Result = type("'passed' | 'first' | 'forced' | 'not_yet' | 'blocked'")
export type Result = typeof Result.infer

export const RESULT_FIELD =
  '`passed`; `first`: a first promotion, which compares nothing; `forced`: no policy was evaluated; `not_yet`: only ' +
  'evidence is missing; `blocked`: something is violated.'

/** The outcome of one evaluation. No reasons means passed, but for a first promotion. */
export const PolicyVerdict = object({
  passed: ['boolean', 'Whether the policy passes.'],
  result: [Result, RESULT_FIELD],
  reasons: ['string[]', 'One per failed constraint, in the order of the checks; or why nothing was checked.'],
  evaluated_at: [Timestamp, 'When it was evaluated.'],
  'warnings?': [
    'string[]',
    'Warnings that block nothing, such as a limit without data; left out if there is none.',
  ],
  'missing_evidence?': [MissingEvidence, 'What would decide it; only if nothing but evidence is missing.'],
})
export type PolicyVerdict = typeof PolicyVerdict.infer

/** How the overrides of a policy came out in one place. */
export const PolicyScope = object({
  policy_checksum: [Checksum, 'SHA-256 of the whole policy, lowercase hex.'],
  rules: object('The overrides that set keys here, in the order of the policy.', {
    override: [Count, 'Which of the overrides, from 0.'],
    'agent_id?': ['string', 'Its agents; left out if it is for all.'],
    'environment?': ['string', 'Its environments; left out if it is for all.'],
    keys: ['string[]', 'The keys that it sets.'],
  }).array(),
})
export type PolicyScope = typeof PolicyScope.infer

/** The same with what came out. */
export const ResolvedScope = PolicyScope.and(
  object({ policy: ['Record<string, unknown>', 'The policy as it applies here, without overrides.'] }),
)
