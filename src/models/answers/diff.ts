import { COMPARED_FILTERS } from './filters.ts'
import { type } from 'arktype'
import { PolicyVerdict, ResolvedScope } from '../documents/policy.ts'
import { Count, Identifier, Instant } from '../scalars.ts'
import { DiffStatistics } from './statistics.ts'
import { PowerDifference } from './capabilities.ts'
import { NamedCase } from './suites.ts'
import { UsedWindow } from './window_used.ts'
import { PlaceRow, PlaceState } from './place_parts.ts'
import { object } from '../model.ts'

const Rate = type('number >= 0 | null')
const Money = type('number | null')

/** What the pricing catalog makes of a diff. */
export const CatalogReport = object({
  enabled: ['boolean', 'Whether there is a usable catalog.'],
  catalog_version: ['string | null', 'Version of the catalog.'],
  baseline_slot_id: ['string | null', "Slot of the baseline's model."],
  candidate_slot_id: ['string | null', "Slot of the candidate's model."],
  baseline_cost_per_run_usd: [Money, "Mean cost of the baseline's runs by its slot's tariff, USD."],
  candidate_cost_per_run_usd: [Money, "Mean cost of the candidate's runs by its slot's tariff, USD."],
  delta_cost_per_run_usd: [Money, 'Candidate minus baseline, USD.'],
  warnings: ['string[]', 'Why there are no costs, or what they leave out.'],
})
export type CatalogReport = typeof CatalogReport.infer

/** Both sides, and candidate minus baseline. */
export const Comparison = object({
  baseline_cost_per_run_usd: ['number', 'Mean cost of a run of the baseline, USD.'],
  candidate_cost_per_run_usd: ['number', 'Mean cost of a run of the candidate, USD.'],
  delta_cost_per_run_usd: ['number', 'Change of the cost, USD.'],
  delta_cost_per_run_pct: [Money, 'Change of the cost as a fraction; null if the baseline costs nothing.'],
  baseline_latency_ms_avg: [Money, 'Mean latency of the baseline, ms; null without data.'],
  candidate_latency_ms_avg: [Money, 'Mean latency of the candidate, ms; null without data.'],
  delta_latency_ms_avg: [Money, 'Change of the latency, ms; null if one release has no data.'],
  baseline_error_rate: ['number', "Share of the baseline's runs that failed."],
  candidate_error_rate: ['number', "Share of the candidate's runs that failed."],
  delta_error_rate: ['number', 'Change of the share.'],
})
export type Comparison = typeof Comparison.infer

/** The answer to POST /v1/diff. */
export const DiffReport = object(
  'Two releases of one agent, compared over a half-open window [since, until).',
  {
    window: ['string', 'The window of the request.'],
    since: [Instant, 'Start of the window, inclusive.'],
    until: [Instant, 'End of the window, exclusive: the server clock when the request came.'],
    'window_used?': UsedWindow,
    'warnings?': [
      'string[]',
      'What the comparison may lack, because it was pruned or erased; never changes the verdict.',
    ],
    filters: object('Which events were compared.', COMPARED_FILTERS),
    pricing: object('The prices of both releases.', {
      baseline_provider: [Identifier, "Provider of the baseline's price table."],
      baseline_version: [Identifier, "Version of the baseline's price table."],
      baseline_model: [Identifier, "The baseline's model."],
      candidate_provider: [Identifier, "Provider of the candidate's price table."],
      candidate_version: [Identifier, "Version of the candidate's price table."],
      candidate_model: [Identifier, "The candidate's model."],
      pricing_or_model_changed: [
        'boolean',
        'Whether provider, version or model differ between the releases.',
      ],
      prices: object("Rates of the releases' own models, USD per 1,000 tokens; null if there is none.", {
        baseline_input_usd_per_1k_tokens: [Rate, 'Baseline, input.'],
        baseline_output_usd_per_1k_tokens: [Rate, 'Baseline, output.'],
        baseline_cached_input_usd_per_1k_tokens: [Rate, 'Baseline, cached input.'],
        baseline_cache_write_input_usd_per_1k_tokens: [
          Rate,
          'Baseline, input that is written to a cache; null is charged as other input.',
        ],
        candidate_input_usd_per_1k_tokens: [Rate, 'Candidate, input.'],
        candidate_output_usd_per_1k_tokens: [Rate, 'Candidate, output.'],
        candidate_cached_input_usd_per_1k_tokens: [Rate, 'Candidate, cached input.'],
        candidate_cache_write_input_usd_per_1k_tokens: [
          Rate,
          'Candidate, input that is written to a cache; null is charged as other input.',
        ],
      }),
      warnings: ['string[]', 'Warnings about the prices; they never change the verdict.'],
      hints: ['string[]', 'Other imported versions of the tables, and models named like a missing one.'],
      catalog: [CatalogReport, 'Both releases priced by comparable slots of the pricing catalog.'],
    }),
    'summary?': [
      'string',
      'The change in a sentence: what is proven worse or better and by how much, what is unchanged, and what is not proven.',
    ],
    samples: object('The samples.', {
      baseline_runs: [Count, 'Events of the baseline in the window.'],
      candidate_runs: [Count, 'Events of the candidate in the window.'],
      confidence: ["'HIGH' | 'MEDIUM' | 'LOW'", 'HIGH, MEDIUM or LOW, by the number of runs alone.'],
      confidence_reason: ['string | null', 'What is missing for HIGH; null if nothing is.'],
      'baseline_cost_runs?': [
        Count,
        'Runs of the baseline that cost and token means count; absent if all usage is complete.',
      ],
      'candidate_cost_runs?': [Count, 'Runs of the candidate that cost and token means count.'],
    }),
    'traffic?': object('How fast both releases gain runs.', {
      baseline_runs_per_hour: [
        Money,
        'Runs of the baseline per hour, from its first to its last run in the window; 0 if none came in the last day, null without runs.',
      ],
      candidate_runs_per_hour: [Money, 'Runs of the candidate per hour, in the same way.'],
    }),
    metrics: [Comparison, 'Means over the events of each release, and candidate minus baseline.'],
    statistics: [
      DiffStatistics,
      'How sure the differences are: intervals, verdicts, and what these runs can prove.',
    ],
    'capabilities?': [PowerDifference, 'The difference of capabilities; left out if they are equal.'],
    'segments?': object(
      'Names of the tenants and tasks whose ids the statistics mention; left out if there are none, or the caller may not read.',
      {
        id: [Count, 'The id.'],
        kind: ["'tenant' | 'task'", 'Whether it is a tenant or a task.'],
        name: ['string | null', 'Its name; null if it was erased.'],
      },
    ).array(),
    'cases?': [NamedCase.array(), 'The cases that `statistics.suites` lists; left out if it lists none.'],
    policy: [PolicyVerdict, "The candidate's result by the policy in force."],
    'judged?': object('State and limits as in GET /v1/places; left out unless requested.', {
      state: [PlaceState, 'blocked, needs_runs or can_promote.'],
      headline: ['string', 'The state and its reason in a sentence.'],
      rows: [PlaceRow.array(), 'The limits, with what was measured.'],
    }),
    'policy_scope?': [ResolvedScope, 'The resolved overrides of the policy; left out if it has none.'],
  },
)
export type DiffReport = typeof DiffReport.infer
