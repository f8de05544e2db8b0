import { type } from 'arktype'
import { documented, under } from '../docs.ts'
import {
  MISSING_FIELDS,
  PolicyVerdict,
  RESOLVED_FIELDS,
  ResolvedScope,
  VERDICT_FIELDS,
} from '../documents/policy.ts'
import { Count, Identifier, Instant } from '../scalars.ts'
import { DiffStatistics, STATISTICS_FIELDS } from './statistics.ts'
import { DIFFERENCE_FIELDS, PowerDifference } from './capabilities.ts'
import { NAMED_CASE_FIELDS, NamedCase } from './suites.ts'
import { UsedWindow, WINDOW_USED_FIELDS } from './window_used.ts'

const Rate = type('number >= 0 | null')
const Money = type('number | null')

/** What the pricing catalog makes of a diff. */
export const CatalogReport = type({
  enabled: 'boolean',
  catalog_version: 'string | null',
  baseline_slot_id: 'string | null',
  candidate_slot_id: 'string | null',
  baseline_cost_per_run_usd: Money,
  candidate_cost_per_run_usd: Money,
  delta_cost_per_run_usd: Money,
  warnings: 'string[]',
})
export type CatalogReport = typeof CatalogReport.infer

/** Both sides, and candidate minus baseline. */
export const Comparison = type({
  baseline_cost_per_run_usd: 'number',
  candidate_cost_per_run_usd: 'number',
  delta_cost_per_run_usd: 'number',
  delta_cost_per_run_pct: Money,
  baseline_latency_ms_avg: Money,
  candidate_latency_ms_avg: Money,
  delta_latency_ms_avg: Money,
  baseline_error_rate: 'number',
  candidate_error_rate: 'number',
  delta_error_rate: 'number',
})
export type Comparison = typeof Comparison.infer

/** What the fields of a comparison say, wherever it is. */
export const COMPARISON_FIELDS = {
  baseline_cost_per_run_usd: 'Mean cost of a run of the baseline, USD.',
  candidate_cost_per_run_usd: 'Mean cost of a run of the candidate, USD.',
  delta_cost_per_run_usd: 'Change of the cost, USD.',
  delta_cost_per_run_pct: 'Change of the cost as a fraction; null where the baseline costs nothing.',
  baseline_latency_ms_avg: 'Mean latency of the baseline, ms; null without data.',
  candidate_latency_ms_avg: 'Mean latency of the candidate, ms; null without data.',
  delta_latency_ms_avg: 'Change of the latency, ms; null where a side has no data.',
  baseline_error_rate: "Share of the baseline's runs that failed.",
  candidate_error_rate: "Share of the candidate's runs that failed.",
  delta_error_rate: 'Change of the share.',
} as const

/** The answer to POST /v1/diff. */
export const DiffReport = type({
  window: 'string',
  since: Instant,
  until: Instant,
  'window_used?': UsedWindow,
  'warnings?': 'string[]',
  filters: { environment: 'string', tenant_id: 'string | null', task_id: 'string | null' },
  pricing: {
    baseline_provider: Identifier,
    baseline_version: Identifier,
    baseline_model: Identifier,
    candidate_provider: Identifier,
    candidate_version: Identifier,
    candidate_model: Identifier,
    pricing_or_model_changed: 'boolean',
    prices: {
      baseline_input_usd_per_1k_tokens: Rate,
      baseline_output_usd_per_1k_tokens: Rate,
      baseline_cached_input_usd_per_1k_tokens: Rate,
      baseline_cache_write_input_usd_per_1k_tokens: Rate,
      candidate_input_usd_per_1k_tokens: Rate,
      candidate_output_usd_per_1k_tokens: Rate,
      candidate_cached_input_usd_per_1k_tokens: Rate,
      candidate_cache_write_input_usd_per_1k_tokens: Rate,
    },
    warnings: 'string[]',
    hints: 'string[]',
    catalog: CatalogReport,
  },
  samples: {
    baseline_runs: Count,
    candidate_runs: Count,
    confidence: "'HIGH' | 'MEDIUM' | 'LOW'",
    confidence_reason: 'string | null',
    'baseline_cost_runs?': Count,
    'candidate_cost_runs?': Count,
  },
  'traffic?': { baseline_runs_per_hour: Money, candidate_runs_per_hour: Money },
  'summary?': 'string',
  metrics: Comparison,
  statistics: DiffStatistics,
  'capabilities?': PowerDifference,
  'cases?': NamedCase.array(),
  'segments?': type({ id: Count, kind: "'tenant' | 'task'", name: 'string | null' }).array(),
  policy: PolicyVerdict,
  'policy_scope?': ResolvedScope,
})
export type DiffReport = typeof DiffReport.infer

export const diffReport = documented(DiffReport, {
  title: 'DiffReport',
  description: 'Two releases of one agent, compared over a half-open window [since, until).',
  fields: {
    window: 'The window as it was asked for.',
    since: 'Start of the window, inclusive.',
    until: 'End of the window, exclusive: the server clock when the request came.',
    ...WINDOW_USED_FIELDS,
    warnings: 'What the comparison may lack, because it was pruned or erased; never changes the verdict.',
    filters: 'Which events were compared.',
    'filters.environment': 'Environment; the default one where none was named.',
    'filters.tenant_id': 'Tenant; null means all.',
    'filters.task_id': 'Task; null means all.',
    pricing: 'What both sides were priced with.',
    'pricing.baseline_provider': "Provider of the baseline's price table.",
    'pricing.baseline_version': "Version of the baseline's price table.",
    'pricing.baseline_model': "The baseline's model.",
    'pricing.candidate_provider': "Provider of the candidate's price table.",
    'pricing.candidate_version': "Version of the candidate's price table.",
    'pricing.candidate_model': "The candidate's model.",
    'pricing.pricing_or_model_changed': 'Whether provider, version or model differ between the sides.',
    'pricing.prices': "Rates of the releases' own models, USD per 1,000 tokens; null where there is none.",
    'pricing.prices.baseline_input_usd_per_1k_tokens': 'Baseline, input.',
    'pricing.prices.baseline_output_usd_per_1k_tokens': 'Baseline, output.',
    'pricing.prices.baseline_cached_input_usd_per_1k_tokens': 'Baseline, cached input.',
    'pricing.prices.baseline_cache_write_input_usd_per_1k_tokens':
      'Baseline, input that is written to a cache; null is charged as other input.',
    'pricing.prices.candidate_input_usd_per_1k_tokens': 'Candidate, input.',
    'pricing.prices.candidate_output_usd_per_1k_tokens': 'Candidate, output.',
    'pricing.prices.candidate_cached_input_usd_per_1k_tokens': 'Candidate, cached input.',
    'pricing.prices.candidate_cache_write_input_usd_per_1k_tokens':
      'Candidate, input that is written to a cache; null is charged as other input.',
    'pricing.warnings': 'What to know about the prices; never changes the verdict.',
    'pricing.hints': 'Other imported versions of the tables, and models named like a missing one.',
    'pricing.catalog': 'Both sides priced by comparable slots of the pricing catalog.',
    'pricing.catalog.enabled': 'Whether there is a usable catalog.',
    'pricing.catalog.catalog_version': 'Version of the catalog.',
    'pricing.catalog.baseline_slot_id': "Slot of the baseline's model.",
    'pricing.catalog.candidate_slot_id': "Slot of the candidate's model.",
    'pricing.catalog.baseline_cost_per_run_usd':
      "Mean cost of the baseline's runs by its slot's tariff, USD.",
    'pricing.catalog.candidate_cost_per_run_usd':
      "Mean cost of the candidate's runs by its slot's tariff, USD.",
    'pricing.catalog.delta_cost_per_run_usd': 'Candidate minus baseline, USD.',
    'pricing.catalog.warnings': 'Why there are no costs, or what they leave out.',
    summary:
      'What changed, in a sentence: what is proven worse or better and by how much, what is unchanged, and of what nothing is proven.',
    samples: 'How much there was to compare.',
    'samples.baseline_runs': 'Events of the baseline in the window.',
    'samples.candidate_runs': 'Events of the candidate in the window.',
    traffic: 'How fast both sides gain runs.',
    'traffic.baseline_runs_per_hour': MISSING_FIELDS.baseline_runs_per_hour,
    'traffic.candidate_runs_per_hour': MISSING_FIELDS.candidate_runs_per_hour,
    'samples.confidence': 'How far the comparison can be trusted.',
    'samples.confidence_reason': 'What is missing for HIGH; null when it is.',
    'samples.baseline_cost_runs':
      'Those that cost and token means count; absent where the usage of no run is incomplete.',
    'samples.candidate_cost_runs': 'The same of the candidate.',
    metrics: 'Means over the events of each side, and candidate minus baseline.',
    ...under('metrics.', COMPARISON_FIELDS),
    statistics: 'How sure the differences are: intervals, verdicts, and what these runs can prove.',
    ...under('statistics.', STATISTICS_FIELDS),
    capabilities:
      'Capabilities that the candidate has and the baseline lacks, and the other way round; left out where that is equal.',
    ...under('capabilities.', DIFFERENCE_FIELDS),
    segments:
      'Names of the tenants and tasks whose ids the statistics mention; left out where they mention none, or the caller may not read.',
    'segments[].id': 'The id.',
    'segments[].kind': 'Whether it is a tenant or a task.',
    'segments[].name': 'Its name; null where it was erased.',
    cases: 'The cases that `statistics.suites` lists; left out where it lists none.',
    ...under('cases[].', NAMED_CASE_FIELDS),
    policy: 'What the policy in force says of the candidate.',
    ...under('policy.', VERDICT_FIELDS),
    policy_scope: 'How the overrides of the policy came out; left out where it has none.',
    ...under('policy_scope.', RESOLVED_FIELDS),
  },
})
