import { type } from 'arktype'
import { under } from '../docs.ts'
import { SUITE_FIELDS, SuiteStatistics } from './suites.ts'
import { Count, Instant, NumberOrNull } from '../scalars.ts'

const Number = type('number')

/** A value with its interval; an end that is null has no bound. */
export const Estimate = type({ estimate: Number, low: NumberOrNull, high: NumberOrNull })
const EstimateOrNull = Estimate.or('null')

const Doubt = type(
  "'no_data' | 'no_success' | 'too_few_runs' | 'too_few_clusters' | 'not_comparable' | 'too_few_blocks' | 'skewed_small_candidate' | 'skewed_small_baseline' | 'baseline_is_zero' | 'baseline_near_zero' | 'interval_too_wide'",
)

const ComparedBy = type("'common_time' | 'same_hours' | 'tenant' | 'task'")

/** How a metric changed from baseline to candidate, and how sure that is. */
const Metric = type({
  baseline_runs: Count,
  candidate_runs: Count,
  baseline_mean: NumberOrNull,
  candidate_mean: NumberOrNull,
  baseline_stddev: NumberOrNull,
  candidate_stddev: NumberOrNull,
  difference: EstimateOrNull,
  relative_change: EstimateOrNull,
  interval: "'fixed' | 'sequential'",
  confidence_level: Number,
  verdict: "'better' | 'worse' | 'no_difference' | 'inconclusive'",
  inconclusive_because: Doubt.or('null'),
  design_effect: NumberOrNull,
  clusters: { baseline: Number, candidate: Number, shared_runs_share: Number },
  min_runs: Count,
  is_skewed_small_candidate: 'boolean',
  'is_skewed_small_baseline?': 'boolean',
  'comparability_doubt?': "'not_comparable' | 'too_few_blocks' | null",
  'matched?': type({
    by: ComparedBy,
    baseline_mean: NumberOrNull,
    candidate_mean: NumberOrNull,
    baseline_runs: Count,
    candidate_runs: Count,
    baseline_share: Number,
    candidate_share: Number,
    units: Number,
    'moved?': {
      first_block: Count,
      end_block: Count,
      share: Number,
      baseline_rest: Number,
      baseline_mean: Number,
      candidate_rest: Number,
      candidate_mean: Number,
    },
    'days_differ?': 'true',
  }).or('null'),
  smallest_provable_limit: NumberOrNull,
  runs_needed: {
    limit: Number,
    runs_per_side: NumberOrNull,
    candidate_runs: NumberOrNull,
    candidate_runs_missing: NumberOrNull,
  },
})
/** A metric's change from baseline to candidate, and how sure it is; numbers have 12 significant digits. */
export type Metric = typeof Metric.infer

/** A percentile of the latency on both sides; null where a side has too few runs. */
const Percentile = type({
  baseline: EstimateOrNull,
  candidate: EstimateOrNull,
  difference: EstimateOrNull,
})

/** How a percentile of the latency changed over what both sides share of time. */
const PercentileChange = type({
  relative_change: EstimateOrNull,
  inconclusive_because: Doubt.or('null'),
  baseline_runs: Count,
  candidate_runs: Count,
  candidate_share: Number,
  units: Number,
})

/** How a limit of the policy was decided. */
const Limit = type({
  policy_key: 'string',
  metric: 'string',
  passed: 'boolean',
  outcome: "'pass' | 'fail' | 'inconclusive'",
  inconclusive_because: Doubt.or('null'),
  decided_by: "'interval' | 'estimate' | 'policy'",
  limit: Number,
  estimate: NumberOrNull,
  low: NumberOrNull,
  high: NumberOrNull,
  baseline_runs: Count,
  candidate_runs: Count,
  'not_comparable_because?': "'judges'",
  'reason?': 'string',
})
export type LimitResult = typeof Limit.infer

/** How one limit, or a gate in addition to the policy, decided. */
export const ExplainedLimit = type({
  policy_key: 'string',
  metric: 'string',
  value: 'number | string | null',
  limit: 'number | string | null',
  low: NumberOrNull,
  high: NumberOrNull,
  baseline_runs: Count.or('null'),
  candidate_runs: Count.or('null'),
  verdict: "'pass' | 'fail' | 'inconclusive' | 'unmeasured' | 'unknown'",
  passed: 'boolean | null',
  why: 'string | null',
})
export type ExplainedLimit = typeof ExplainedLimit.infer

/** Runs of tenants or tasks that only one side has. */
const LeftOut = type({ share: Number, largest: Count.array() })

/** A tenant or task for which a metric is worse. */
const SegmentRegression = type({
  kind: "'tenant' | 'task'",
  segment: Count,
  metric: "'cost_per_run_usd' | 'latency_ms' | 'error_rate'",
  baseline_runs: Count,
  candidate_runs: Count,
  baseline_mean: Number,
  candidate_mean: Number,
  difference: Estimate,
  relative_change: EstimateOrNull,
})

/** Both sides of a diff as samples: intervals, verdicts, and what they can prove. */
export const DiffStatistics = type({
  cluster_by: "'time' | 'session' | 'tenant'",
  'compare_by?': "'time' | 'tenant' | 'task' | 'window' | 'rollout'",
  'compared?': {
    by: ComparedBy.or("'rollout'"),
    since: Instant,
    until: Instant,
    block_minutes: Number,
    'other_tenants?': 'true',
    'left_out?': { candidate: LeftOut, baseline: LeftOut },
  },
  'segment_regressions?': type({
    groups: Count,
    found_in_all: Count,
    found: SegmentRegression.array(),
    'with_the_whole?': SegmentRegression.array(),
  }).or('null'),
  cost_per_run_usd: Metric,
  latency_ms: Metric,
  error_rate: Metric,
  tokens_per_run: { input_tokens: Metric, output_tokens: Metric, cached_input_tokens: Metric },
  latency_percentiles: type({
    p50: Percentile,
    p95: Percentile,
    p99: Percentile,
    known_since: Instant.or('null'),
  }).or('null'),
  'latency_percentile_changes?': type({ p95: PercentileChange, p99: PercentileChange }).or('null'),
  tools: type({
    calls_per_run: Metric,
    tools: type({ tool_name: 'string', calls_per_run: Metric, runs_share: Metric }).array(),
  }).or('null'),
  'scores?': type({
    name: 'string',
    'baseline_import_id?': 'string',
    'candidate_import_id?': 'string',
    baseline: EstimateOrNull,
    candidate: EstimateOrNull,
    change: Metric,
    'paired?': {
      cases: Count,
      baseline_share: Number,
      candidate_share: Number,
      epochs: Number,
      mcnemar_p: NumberOrNull,
    },
    'not_comparable_because?': "'judges'",
    'missing?': { cases: Count, of: Count, share: Number },
  }).array(),
  'suites?': { of_rollback: 'boolean', imported: SuiteStatistics.array() },
  'of_rollback?': 'true',
  'of_succeeded?': 'true',
  limits: Limit.array(),
  warnings: 'string[]',
})
export type DiffStatistics = typeof DiffStatistics.infer

export const ESTIMATE_FIELDS = {
  estimate: 'As measured.',
  low: 'Lower end of the interval; null where there is none.',
  high: 'Upper end of the interval; null where there is none.',
} as const

const METRIC_FIELDS = {
  baseline_runs: 'Runs of the baseline that carry the metric.',
  candidate_runs: 'Runs of the candidate that carry the metric.',
  baseline_mean: "The baseline's mean; null without runs.",
  candidate_mean: "The candidate's mean; null without runs.",
  baseline_stddev: 'Standard deviation of single runs of the baseline; null below two.',
  candidate_stddev: 'Standard deviation of single runs of the candidate; null below two.',
  difference: "Candidate less baseline, in the metric's unit; null where a side has no runs.",
  ...under('difference.', ESTIMATE_FIELDS),
  relative_change: "The same as a fraction of the baseline's mean: 0.1 is +10 %; null where that is 0.",
  ...under('relative_change.', ESTIMATE_FIELDS),
  interval: '`fixed` holds for one look at a time chosen beforehand, `sequential` however often one looks.',
  confidence_level: 'Share of intervals that hold the truth.',
  verdict: 'What the interval says; `no_difference` is within 5 %, of rates 0.01.',
  inconclusive_because: 'Why nothing is claimed; null unless the verdict is inconclusive.',
  design_effect:
    'How many times the runs it takes because runs of a cluster resemble each other; null where there are too few clusters to tell.',
  clusters: 'What the clusters are like.',
  'clusters.baseline': 'As many clusters of equal size would weigh the same.',
  'clusters.candidate': 'The same of the candidate.',
  'clusters.shared_runs_share': 'Share of all runs in clusters that both sides have.',
  min_runs: 'Fewest runs per side for a claim.',
  is_skewed_small_candidate:
    'Few candidate runs of a skewed metric beside many of the baseline: only a failure may be claimed.',
  is_skewed_small_baseline:
    'Few baseline runs of a skewed metric beside many of the candidate: a failure may not be claimed.',
  comparability_doubt:
    '`not_comparable` where both releases share too little for a claim; null where they share enough, and where the window is compared as it is. Rules before 5 also knew `too_few_blocks`.',
  matched: 'What was compared where that is not the window as it is; null where both releases share nothing.',
  'matched.by':
    'Blocks of time in which both ran, the same hours of earlier days of the baseline, tenants or tasks that both served, or units that a rollout split by chance.',
  'matched.baseline_mean': "The baseline's mean over them; null where there is nothing to compare.",
  'matched.candidate_mean': 'The same of the candidate, weighted alike.',
  'matched.baseline_runs': 'Runs of the baseline that were compared.',
  'matched.candidate_runs': 'Runs of the candidate that were compared.',
  'matched.baseline_share': "Share of the baseline's runs of the window that was compared.",
  'matched.candidate_share': 'The same of the candidate; it takes 0.5.',
  'matched.units':
    'As many units of time of equal weight say as much; it takes 6. Of the same hours it is the days.',
  'matched.moved':
    'The part of the time whose difference is another one than that of the rest, where it makes most of the spread: an outage, or a level that moved. Left out where there is none.',
  'matched.moved.first_block': 'Its first block, counted from compared.since.',
  'matched.moved.end_block': 'The block behind its last one.',
  'matched.moved.share': 'Its share of the spread between blocks.',
  'matched.moved.baseline_rest': "The baseline's mean in the rest.",
  'matched.moved.baseline_mean': "The baseline's mean in it.",
  'matched.moved.candidate_rest': "The candidate's mean in the rest.",
  'matched.moved.candidate_mean': "The candidate's mean in it.",
  'matched.days_differ': 'Present, and true, where days differ by more than their runs explain.',
  smallest_provable_limit:
    'Smallest limit that an unchanged release would pass in 80 of 100 cases with these runs: of a mean a fraction, of a rate a difference; null where there is none.',
  runs_needed: 'Runs with which an unchanged release passes a limit in 80 of 100 cases.',
  'runs_needed.limit': "The policy's limit, or 0.1 of a mean and 0.02 of a rate.",
  'runs_needed.runs_per_side': 'Of each side, where both have as many; null where none suffice.',
  'runs_needed.candidate_runs':
    "Of the candidate beside the baseline's runs as they are; null where those are too few.",
  'runs_needed.candidate_runs_missing':
    'What of that the candidate lacks; null also where the metric is worse for sure.',
} as const

const PERCENTILE_FIELDS = {
  baseline:
    'Of the baseline; null below 20 runs for p50, 73 for p95, 381 for p99. Latencies are counted in bins 2 % wide: the estimate is the upper edge of its bin, and the interval ends at edges.',
  ...under('baseline.', ESTIMATE_FIELDS),
  candidate: 'The same of the candidate.',
  ...under('candidate.', ESTIMATE_FIELDS),
  difference: 'Candidate less baseline; null where either is.',
  ...under('difference.', ESTIMATE_FIELDS),
} as const

const PERCENTILE_CHANGE_FIELDS = {
  relative_change: 'Rise as a fraction, good to a bin of 2 %; null where there is nothing to compare.',
  ...under('relative_change.', ESTIMATE_FIELDS),
  inconclusive_because: 'Why nothing is claimed; null where the interval may be.',
  baseline_runs: 'Runs of the baseline that were compared.',
  candidate_runs: 'Runs of the candidate that were compared.',
  candidate_share: "Share of the candidate's runs of the window that was compared; it takes 0.5.",
  units: 'As many units of time of equal weight say as much; it takes 6.',
} as const

const LIMIT_FIELDS = {
  policy_key: "The policy's key.",
  metric: 'What it limits.',
  passed: 'Whether it passes.',
  outcome: 'What the interval says: within the limit, beyond it, or neither.',
  inconclusive_because: 'Why neither; null unless inconclusive.',
  decided_by: 'What settled it: the interval, the estimate alone, or `on_inconclusive`.',
  limit: 'The limit.',
  estimate: 'What was compared with it; null without data.',
  low: 'Lower end of its interval.',
  high: 'Upper end of its interval.',
  baseline_runs: 'Runs of the baseline that were compared; those of the window where nothing could be.',
  candidate_runs: 'The same of the candidate.',
  not_comparable_because: '`judges` where imports of a suite were judged by different ones; else left out.',
  reason: 'Why a suite does not pass, or a latency of runs that last too long; else left out.',
} as const

const metric = (name: string, about: string): Record<string, string> => ({
  [name]: about,
  ...under(`${name}.`, METRIC_FIELDS),
})

const LEFT_OUT_FIELDS = {
  share: "Share of the side's runs in that time.",
  largest: 'Ids of the largest, at most five; 0 are names without an id.',
} as const

const SEGMENT_REGRESSION_FIELDS = {
  kind: 'Whether it is a tenant or a task.',
  segment: 'Its id.',
  metric: 'What is worse.',
  baseline_runs: 'Its runs on the baseline.',
  candidate_runs: 'Its runs on the candidate.',
  baseline_mean: "Mean on the baseline, in the metric's unit.",
  candidate_mean: 'The same on the candidate.',
  difference: "Candidate less baseline, in the metric's unit.",
  ...under('difference.', ESTIMATE_FIELDS),
  relative_change: "The same as a fraction of the baseline's mean.",
  ...under('relative_change.', ESTIMATE_FIELDS),
} as const

export const STATISTICS_FIELDS: Readonly<Record<string, string>> = {
  cluster_by: 'What runs may resemble each other within: blocks of time, sessions or tenants.',
  compare_by:
    'What was compared: what both releases share of time, of tenants or of tasks, the window as it is, or the arms of a rollout.',
  compared: 'The time that was compared; left out where the window is compared as it is.',
  'compared.by':
    'Blocks of time in which both ran, the same hours of earlier days of the baseline, or tenants or tasks that both served.',
  'compared.since': 'When it begins.',
  'compared.until': 'When it ends.',
  'compared.block_minutes':
    'Width of the blocks of the UTC clock that it is cut into, minutes; 0 of a rollout.',
  'compared.other_tenants':
    'Present, and true, where the releases served different tenants at that time, so that nothing was compared.',
  'compared.left_out': 'Runs of tenants or tasks that the other side lacks; only by tenant or task.',
  ...under('compared.left_out.candidate.', LEFT_OUT_FIELDS),
  'compared.left_out.candidate': 'Of the candidate.',
  ...under('compared.left_out.baseline.', LEFT_OUT_FIELDS),
  'compared.left_out.baseline': 'Of the baseline.',
  segment_regressions:
    'Tenants and tasks that the candidate serves worse, by intervals that hold for all of them at once; left out where they were not looked at, null where the policy limits them and not all runs could be told apart.',
  'segment_regressions.groups': 'Tenants and tasks with enough runs on both sides, which were looked at.',
  'segment_regressions.found_in_all': 'How many are worse by more than all together.',
  'segment_regressions.found': 'Those, the ones with most runs first, at most 20.',
  ...under('segment_regressions.found[].', SEGMENT_REGRESSION_FIELDS),
  'segment_regressions.with_the_whole':
    'Of each metric of which none is listed, the one with the largest proven rise: limits count it, though it rises no more than the whole.',
  ...under('segment_regressions.with_the_whole[].', SEGMENT_REGRESSION_FIELDS),
  ...metric('cost_per_run_usd', 'Cost of all runs per run that succeeded, USD; see `of_succeeded`.'),
  ...metric('latency_ms', 'Latency of runs that succeeded and carry one, ms; see `of_succeeded`.'),
  ...metric('error_rate', 'Share of failed runs.'),
  tokens_per_run: 'Tokens per run, by kind.',
  ...metric('tokens_per_run.input_tokens', 'Input tokens.'),
  ...metric('tokens_per_run.output_tokens', 'Output tokens.'),
  ...metric('tokens_per_run.cached_input_tokens', 'Cached input tokens.'),
  latency_percentiles: 'Percentiles of the latency, ms; null unless asked for, or limited by the policy.',
  'latency_percentiles.p50': 'The median.',
  ...under('latency_percentiles.p50.', PERCENTILE_FIELDS),
  'latency_percentiles.p95': 'What 95 of 100 runs stay within.',
  ...under('latency_percentiles.p95.', PERCENTILE_FIELDS),
  'latency_percentiles.p99': 'What 99 of 100 runs stay within.',
  ...under('latency_percentiles.p99.', PERCENTILE_FIELDS),
  'latency_percentiles.known_since':
    'Null where latencies of the whole window are counted; else from when on they are, and percentiles are null.',
  latency_percentile_changes:
    'Rises of percentiles over the time in which both ran; left out unless the policy limits one. Null of older rollbacks.',
  'latency_percentile_changes.p95': 'Of what 95 of 100 runs stay within.',
  ...under('latency_percentile_changes.p95.', PERCENTILE_CHANGE_FIELDS),
  'latency_percentile_changes.p99': 'Of what 99 of 100 runs stay within.',
  ...under('latency_percentile_changes.p99.', PERCENTILE_CHANGE_FIELDS),
  tools:
    'What the newest runs, up to 10,000 per side, did with tools; null unless asked for, or limited by the policy.',
  ...metric('tools.calls_per_run', 'Calls of all tools per run.'),
  'tools.tools': 'Each tool, up to 50 per side, those that most runs call first.',
  'tools.tools[].tool_name': 'Name of the tool.',
  ...metric('tools.tools[].calls_per_run', 'Calls of the tool per run.'),
  ...metric('tools.tools[].runs_share', 'Share of the runs that call it; `worse` means more.'),
  scores:
    'Scores by name: those of runs, 200 of most runs at most, and SUITE/NAME of the newest import of each suite; left out where there are none.',
  'scores[].name': 'NAME, or SUITE/NAME of cases that are no runs.',
  'scores[].baseline_import_id': 'The import that the baseline was scored by; only of a suite.',
  'scores[].candidate_import_id': 'The same of the candidate.',
  'scores[].baseline': "The baseline's mean; null without data.",
  ...under('scores[].baseline.', ESTIMATE_FIELDS),
  'scores[].candidate': "The candidate's mean; null without data.",
  ...under('scores[].candidate.', ESTIMATE_FIELDS),
  ...metric('scores[].change', 'Candidate less baseline; `better` means more.'),
  'scores[].paired':
    'The cases that both imports have, where each is compared with itself; `change` is of these, and counts cases.',
  'scores[].paired.cases': 'How many there are.',
  'scores[].paired.baseline_share': "Share of the baseline's cases.",
  'scores[].paired.candidate_share': "Share of the candidate's cases; it takes 0.8 of both.",
  'scores[].paired.epochs': 'Tries of a case, the median.',
  'scores[].paired.mcnemar_p':
    "McNemar's exact p, which decides nothing; null unless cases pass or fail in one try.",
  'scores[].not_comparable_because':
    '`judges` where the imports were judged by different ones; else left out.',
  'scores[].missing':
    'Cases of both imports without this score of the candidate: they ended in an error, or are not in its import. Left out where there are none, and of rollbacks.',
  'scores[].missing.cases': 'How many, with those that lack it in some of their tries.',
  'scores[].missing.of': 'Of how many.',
  'scores[].missing.share': 'Their share; a case counts by the share of its tries.',
  suites:
    'The newest imports of suites whose cases can be told apart, and of those that the policy names; left out where there are none.',
  'suites.of_rollback': 'Whether a rollback is judged, which is asked only what says `on_rollback`.',
  'suites.imported': 'The suites, by name.',
  ...under('suites.imported[].', SUITE_FIELDS),
  of_rollback: 'Set where a rollback is judged, which is asked only what the policy names for rollbacks.',
  of_succeeded:
    'Set where latency is that of runs that succeeded, and cost that of all runs by how many succeeded; else both are of all runs.',
  limits: 'How each limit of the policy that is decided by an interval was decided.',
  ...under('limits[].', LIMIT_FIELDS),
  warnings: 'What to know before these figures are believed.',
}
