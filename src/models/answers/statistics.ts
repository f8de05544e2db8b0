import { type } from 'arktype'
import { SuiteStatistics } from './suites.ts'
import { Count, Instant, NumberOrNull } from '../scalars.ts'
import { object } from '../model.ts'

const Number = type('number')

/** A value with its interval; an end that is null has no bound. */
export const Estimate = object({
  estimate: [Number, 'As measured.'],
  low: [NumberOrNull, 'Lower end of the interval; null where there is none.'],
  high: [NumberOrNull, 'Upper end of the interval; null where there is none.'],
})
const EstimateOrNull = Estimate.or('null')

const Doubt = type(
  "'no_data' | 'no_success' | 'too_few_runs' | 'too_few_clusters' | 'not_comparable' | 'too_few_blocks' | 'skewed_small_candidate' | 'skewed_small_baseline' | 'baseline_is_zero' | 'baseline_near_zero' | 'interval_too_wide'",
)

const ComparedBy = type("'common_time' | 'same_hours' | 'tenant' | 'task'")

/** How a metric changed from baseline to candidate, and how sure that is. */
const Metric = object({
  baseline_runs: [Count, 'Runs of the baseline that have the metric.'],
  candidate_runs: [Count, 'Runs of the candidate that have the metric.'],
  baseline_mean: [NumberOrNull, "The baseline's mean; null without runs."],
  candidate_mean: [NumberOrNull, "The candidate's mean; null without runs."],
  baseline_stddev: [NumberOrNull, 'Standard deviation of single runs of the baseline; null below two.'],
  candidate_stddev: [NumberOrNull, 'Standard deviation of single runs of the candidate; null below two.'],
  difference: [
    EstimateOrNull,
    "Candidate minus baseline, in the metric's unit; null if a release has no runs.",
  ],
  relative_change: [
    EstimateOrNull,
    "The difference as a fraction of the baseline's mean: 0.1 is +10 %; null if that is 0.",
  ],
  interval: [
    "'fixed' | 'sequential'",
    '`fixed` is valid for one planned check, `sequential` for any number of checks.',
  ],
  confidence_level: [Number, 'Share of intervals that contain the truth.'],
  verdict: [
    "'better' | 'worse' | 'no_difference' | 'inconclusive'",
    "The interval's verdict; `no_difference` is within 5 %, for rates 0.01.",
  ],
  inconclusive_because: [Doubt.or('null'), 'Why it is inconclusive; null otherwise.'],
  design_effect: [
    NumberOrNull,
    'How many times more runs are needed because runs of a cluster are similar; null if there are too few clusters.',
  ],
  clusters: object('The clusters.', {
    baseline: [Number, 'The number of equal clusters with the same weight.'],
    candidate: [Number, 'The number for the candidate.'],
    shared_runs_share: [Number, 'Share of all runs in clusters of both releases.'],
  }),
  min_runs: [Count, 'Fewest runs per release for a claim.'],
  is_skewed_small_candidate: ['boolean', 'Few candidate runs of a skewed metric: it can block but not pass.'],
  'is_skewed_small_baseline?': [
    'boolean',
    'Few baseline runs of a skewed metric: it can pass but not block.',
  ],
  'comparability_doubt?': [
    "'not_comparable' | 'too_few_blocks' | null",
    '`not_comparable` if the releases share too little for a claim; null if they share enough, and if the whole window is compared. Rules before 5 also used `too_few_blocks`.',
  ],
  'matched?': object('What was compared, if not the whole window; null if the releases share nothing.', {
    by: [
      ComparedBy,
      'Blocks of time in which both ran, the same hours of earlier days of the baseline, tenants or tasks of both, or units that a rollout split by chance.',
    ],
    baseline_mean: [NumberOrNull, "The baseline's mean over them; null if there is nothing to compare."],
    candidate_mean: [NumberOrNull, "The candidate's mean, with the same weights."],
    baseline_runs: [Count, 'Runs of the baseline that were compared.'],
    candidate_runs: [Count, 'Runs of the candidate that were compared.'],
    baseline_share: [Number, "Share of the baseline's runs of the window that was compared."],
    candidate_share: [
      Number,
      "Share of the candidate's runs of the window that was compared; at least 0.5 is needed.",
    ],
    units: [
      Number,
      'The number of equal units of time with the same weight; at least 6 are needed. For the same hours, the days.',
    ],
    'moved?': object(
      'The part of the time with another difference than the rest, if it makes most of the spread: an outage, or a level that moved. Left out if there is none.',
      {
        first_block: [Count, 'Its first block, counted from compared.since.'],
        end_block: [Count, 'The block behind its last one.'],
        share: [Number, 'Its share of the spread between blocks.'],
        baseline_rest: [Number, "The baseline's mean in the rest."],
        baseline_mean: [Number, "The baseline's mean in it."],
        candidate_rest: [Number, "The candidate's mean in the rest."],
        candidate_mean: [Number, "The candidate's mean in it."],
      },
    ),
    'days_differ?': ['true', 'Present, and true, if days differ by more than their runs explain.'],
  }).or('null'),
  smallest_provable_limit: [
    NumberOrNull,
    'Smallest limit that an unchanged release would pass in 80 of 100 cases with these runs: for a mean a fraction, for a rate a difference; null if there is none.',
  ],
  runs_needed: object('Runs with which an unchanged release passes a limit in 80 of 100 cases.', {
    limit: [Number, "The policy's limit, or 0.1 for a mean and 0.02 for a rate."],
    runs_per_side: [NumberOrNull, 'Of each release, if both have as many; null if none suffice.'],
    candidate_runs: [
      NumberOrNull,
      "Of the candidate, with the baseline's present runs; null if those are too few.",
    ],
    candidate_runs_missing: [
      NumberOrNull,
      'How many of them the candidate lacks; null also if the metric is worse for sure.',
    ],
  }),
})
/** A metric's change from baseline to candidate, and how sure it is; numbers have 12 significant digits. */
export type Metric = typeof Metric.infer

/** A percentile of the latency on both sides; null where a side has too few runs. */
const Percentile = object({
  baseline: [
    EstimateOrNull,
    'Of the baseline; null below 20 runs for p50, 35 for p90, 73 for p95, 381 for p99. Latencies are counted in bins 2 % wide: the estimate is the upper edge of its bin, and the interval ends at edges.',
  ],
  candidate: [EstimateOrNull, 'The candidate, in the same way.'],
  difference: [EstimateOrNull, 'Candidate minus baseline; null if either is.'],
})

/** How a percentile of the latency changed over what both sides share of time. */
const PercentileChange = object({
  relative_change: [
    EstimateOrNull,
    'Rise as a fraction, exact to a bin of 2 %; null if there is nothing to compare.',
  ],
  inconclusive_because: [Doubt.or('null'), 'Why nothing is claimed; null if the interval may be.'],
  baseline_runs: [Count, 'Runs of the baseline that were compared.'],
  candidate_runs: [Count, 'Runs of the candidate that were compared.'],
  candidate_share: [
    Number,
    "Share of the candidate's runs of the window that was compared; at least 0.5 is needed.",
  ],
  units: [Number, 'The number of equal units of time with the same weight; at least 6 are needed.'],
})

const PercentileChanges = object(
  'Rises of percentiles over the time in which both ran; left out unless the policy limits one. Null in older rollbacks.',
  {
    p90: [PercentileChange, 'The 90th percentile.'],
    p95: [PercentileChange, 'The 95th percentile.'],
    p99: [PercentileChange, 'The 99th percentile.'],
  },
)

const Percentiles = {
  p50: [Percentile, 'The median.'],
  p90: [Percentile, '90 of 100 runs are at most this.'],
  p95: [Percentile, '95 of 100 runs are at most this.'],
  p99: [Percentile, '99 of 100 runs are at most this.'],
} as const

/** How a limit of the policy was decided. */
const Limit = object({
  policy_key: ['string', "The policy's key."],
  metric: ['string', 'The limited metric.'],
  passed: ['boolean', 'Whether it passes.'],
  outcome: ["'pass' | 'fail' | 'inconclusive'", 'The interval is within the limit, beyond it, or neither.'],
  inconclusive_because: [Doubt.or('null'), 'Why neither; null unless inconclusive.'],
  decided_by: [
    "'interval' | 'estimate' | 'policy'",
    'What decided it: the interval, the estimate alone, or `on_inconclusive`.',
  ],
  limit: [Number, 'The limit.'],
  estimate: [NumberOrNull, 'The compared value; null without data.'],
  low: [NumberOrNull, 'Lower end of its interval.'],
  high: [NumberOrNull, 'Upper end of its interval.'],
  baseline_runs: [Count, 'Runs of the baseline that were compared; those of the window if nothing could be.'],
  candidate_runs: [Count, 'Runs of the candidate, in the same way.'],
  'not_comparable_because?': [
    "'judges'",
    '`judges` if imports of a suite have different judges; else left out.',
  ],
  'reason?': ['string', 'Why a suite does not pass, or a latency of runs that last too long; else left out.'],
})
export type LimitResult = typeof Limit.infer

/** How one limit, or a gate in addition to the policy, decided. */
export const ExplainedLimit = object({
  policy_key: ['string', 'The key of the policy or of service.yaml.'],
  metric: ['string', 'The limited metric.'],
  value: ['number | string | null', 'The compared value; null without data.'],
  limit: ['number | string | null', 'The limit.'],
  low: [NumberOrNull, 'Lower end of the interval; null if there is none, as for limits on a mean.'],
  high: [NumberOrNull, 'Upper end of the interval.'],
  baseline_runs: [Count.or('null'), 'Runs of the baseline; null for limits that are not about runs.'],
  candidate_runs: [Count.or('null'), 'Runs of the candidate.'],
  verdict: [
    "'pass' | 'fail' | 'inconclusive' | 'unmeasured' | 'unknown'",
    'Within the limit, beyond it, neither by its interval, without data, or unknown from the evidence.',
  ],
  passed: ['boolean | null', 'Whether it lets the release pass; null if the evidence is not enough.'],
  why: ['string | null', 'Why not, as a reason says it; null if it passes.'],
})
export type ExplainedLimit = typeof ExplainedLimit.infer

/** Runs of tenants or tasks that only one side has. */
const LeftOut = object({
  share: [Number, "Share of the release's runs in that time."],
  largest: [Count.array(), 'Ids of the largest, at most five; 0 are names without an id.'],
})

/** A tenant or task for which a metric is worse. */
const SegmentRegression = object({
  kind: ["'tenant' | 'task'", 'Whether it is a tenant or a task.'],
  segment: [Count, 'Its id.'],
  metric: ["'cost_per_run_usd' | 'latency_ms' | 'error_rate'", 'The metric that is worse.'],
  baseline_runs: [Count, 'Its runs on the baseline.'],
  candidate_runs: [Count, 'Its runs on the candidate.'],
  baseline_mean: [Number, "Mean on the baseline, in the metric's unit."],
  candidate_mean: [Number, "Mean on the candidate, in the metric's unit."],
  difference: [Estimate, "Candidate minus baseline, in the metric's unit."],
  relative_change: [EstimateOrNull, "The difference as a fraction of the baseline's mean."],
})

/** Both sides of a diff as samples: intervals, verdicts, and what they can prove. */
export const DiffStatistics = object({
  cluster_by: [
    "'time' | 'session' | 'tenant'",
    'The clusters of dependent runs: blocks of time, sessions or tenants.',
  ],
  'compare_by?': [
    "'time' | 'tenant' | 'task' | 'window' | 'rollout'",
    'What was compared: shared time, tenants or tasks, the whole window, or the groups of a rollout.',
  ],
  'compared?': object('The time that was compared; left out if the whole window is compared.', {
    by: [
      ComparedBy.or("'rollout'"),
      'Blocks of time in which both ran, the same hours of earlier days of the baseline, or tenants or tasks of both.',
    ],
    since: [Instant, 'When it begins.'],
    until: [Instant, 'When it ends.'],
    block_minutes: [Number, 'Width of the blocks of the UTC clock, minutes; 0 for a rollout.'],
    'other_tenants?': [
      'true',
      'Present, and true, if the releases served different tenants at that time, so that nothing was compared.',
    ],
    'left_out?': object('Runs of tenants or tasks that the other release lacks; only by tenant or task.', {
      candidate: [LeftOut, 'Of the candidate.'],
      baseline: [LeftOut, 'Of the baseline.'],
    }),
  }),
  'segment_regressions?': object(
    'Tenants and tasks that the candidate serves worse, by intervals that are valid for all of them at once; left out if they were not checked, null if the policy limits them and not all runs could be assigned.',
    {
      groups: [Count, 'Tenants and tasks with enough runs of both releases, which were checked.'],
      found_in_all: [Count, 'How many are worse by more than all together.'],
      found: [
        SegmentRegression.array(),
        'Segments that are worse, the ones with most runs first, at most 20.',
      ],
      'with_the_whole?': [
        SegmentRegression.array(),
        'For each metric without a listed segment, the segment with the largest proven rise: limits count it, though it rises no more than the whole.',
      ],
    },
  ).or('null'),
  cost_per_run_usd: [Metric, 'Cost of all runs per run that succeeded, USD; see `of_succeeded`.'],
  latency_ms: [Metric, 'Latency of runs that succeeded and have one, ms; see `of_succeeded`.'],
  error_rate: [Metric, 'Share of failed runs.'],
  tokens_per_run: object('Tokens per run, by kind.', {
    input_tokens: [Metric, 'Input tokens.'],
    output_tokens: [Metric, 'Output tokens.'],
    cached_input_tokens: [Metric, 'Cached input tokens.'],
  }),
  latency_percentiles: object(
    'Percentiles of the latency, ms; null unless requested, or limited by the policy.',
    {
      ...Percentiles,
      known_since: [
        Instant.or('null'),
        'Null if all latencies of the window are counted; else the time from which on they are, and percentiles are null.',
      ],
    },
  ).or('null'),
  'latency_percentile_changes?': PercentileChanges.or('null'),
  'ttft_ms?': object('Time to first token of runs that succeeded and report it, ms; left out if none does.', {
    baseline: [EstimateOrNull, "The baseline's mean; null without data."],
    candidate: [EstimateOrNull, "The candidate's mean; null without data."],
    change: [Metric, 'Candidate minus baseline.'],
  }),
  'ttft_percentiles?': object(
    'Percentiles of the time to first token, ms; left out unless requested with those of the latency, or limited by the policy.',
    Percentiles,
  ),
  'ttft_percentile_changes?': PercentileChanges.or('null'),
  tools: object(
    'Tool calls of the newest runs, up to 10,000 per release; null unless requested, or limited by the policy.',
    {
      calls_per_run: [Metric, 'Calls of all tools per run.'],
      tools: object('Each tool, up to 50 per release, those that most runs call first.', {
        tool_name: ['string', 'Name of the tool.'],
        calls_per_run: [Metric, 'Calls of the tool per run.'],
        runs_share: [Metric, 'Share of the runs that call it; `worse` means more.'],
      }).array(),
    },
  ).or('null'),
  'scores?': object(
    'Scores by name: those of runs, at most 200, and SUITE/NAME of the newest import of each suite; left out if there are none.',
    {
      name: ['string', 'NAME, or SUITE/NAME for cases of a suite.'],
      'baseline_import_id?': ['string', "The baseline's import; only for a suite."],
      'candidate_import_id?': ['string', "The candidate's import; only for a suite."],
      baseline: [EstimateOrNull, "The baseline's mean; null without data."],
      candidate: [EstimateOrNull, "The candidate's mean; null without data."],
      change: [Metric, 'Candidate minus baseline; `better` means more.'],
      'paired?': object(
        'The cases of both imports, if each is compared with itself; then `change` counts these cases.',
        {
          cases: [Count, 'How many there are.'],
          baseline_share: [Number, "Share of the baseline's cases."],
          candidate_share: [Number, "Share of the candidate's cases; both shares must be at least 0.8."],
          epochs: [Number, 'Tries of a case, the median.'],
          mcnemar_p: [
            NumberOrNull,
            "McNemar's exact p, which decides nothing; null unless cases pass or fail in one try.",
          ],
        },
      ),
      'not_comparable_because?': [
        "'judges'",
        '`judges` if the imports have different judges; else left out.',
      ],
      'missing?': object(
        'Cases of both imports without this score of the candidate: they ended in an error, or are not in its import. Left out if there are none, and for rollbacks.',
        {
          cases: [Count, 'How many, with those that lack it in some of their tries.'],
          of: [Count, 'Out of how many cases.'],
          share: [Number, 'Their share; a case counts by the share of its tries.'],
        },
      ),
    },
  ).array(),
  'suites?': object(
    'The newest imports of suites whose cases can be identified, and of those that the policy names; left out if there are none.',
    {
      of_rollback: [
        'boolean',
        'Whether this is a rollback, for which only the limits of `on_rollback` apply.',
      ],
      imported: [SuiteStatistics.array(), 'The suites, by name.'],
    },
  ),
  'of_rollback?': [
    'true',
    'Present for a rollback, for which only the limits that the policy names for rollbacks apply.',
  ],
  'of_succeeded?': [
    'true',
    'Present if latency counts successful runs, and cost is that of all runs per successful run; else both count all runs.',
  ],
  limits: [Limit.array(), 'How each limit with an interval was decided.'],
  warnings: ['string[]', 'Warnings about these figures.'],
})
export type DiffStatistics = typeof DiffStatistics.infer
