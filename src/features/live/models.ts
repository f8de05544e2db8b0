import { Label, input, limitField, oneOf } from '../../models/all/input.ts'
import { Count, Dimension, Identifier, Instant } from '../../models/scalars.ts'
import { object } from '../../models/model.ts'

const STATES = ['worse', 'silent', 'other_model', 'nothing_found', 'no_runs', 'no_limits'] as const
const LIMITS = [
  'max_cost_per_run_usd',
  'max_latency_ms',
  'max_error_rate',
  'max_cost_increase_pct',
  'max_latency_increase_pct',
  'max_error_rate_increase',
] as const

const LivePlace = object({
  agent_id: [Dimension, 'The agent.'],
  environment: [Label, 'Where it is live.'],
  release_id: [Identifier, 'The release that is live.'],
  version: ['string', 'Its version.'],
  previous_release_id: [
    Identifier.or('null'),
    'The live release before it; null if there was none, or a rollback brought it back.',
  ],
  state: [
    oneOf(STATES),
    'worse: a limit is proven to be broken. silent: runs stopped arriving. other_model: an undeclared model answers. nothing_found: no finding. no_runs: no runs in the last day. no_limits: the policy has no limit on a single release.',
  ],
  runs_last_hour: [Count, 'Runs of the last hour.'],
  runs_last_day: [Count, 'Runs of the last 24 hours.'],
  broken: object('Limits that are proven to be broken; empty unless the state is worse.', {
    limit_key: [oneOf(LIMITS), 'The key of the policy.'],
    limit: ['number', 'The limit: USD, milliseconds or a fraction; for a rate a difference.'],
    minutes: [Count, 'The age of the runs that prove it, in minutes.'],
    runs: [Count, 'How many runs prove it.'],
    value: [
      'number',
      'Their mean cost or latency, or their share of failures; for a limit on a change the rise against the release before.',
    ],
    at_least: [
      'number',
      'The least true value: by a bound that is wrong in 1 of 500 checks at most; for a change by a bound that is valid at all checks.',
    ],
    text: ['string', 'The same as a sentence.'],
  }).array(),
  silence: object('Runs that stopped arriving; null if they still arrive.', {
    hours: [Count, 'Hours back from now without runs.'],
    days: [Count, 'Earlier days with runs in the same hours: weekdays, or days of weekends.'],
    usual_runs: ['number', 'Runs of these hours on such a day, on average.'],
    text: ['string', 'The same as a sentence.'],
  }).or('null'),
  other_model: object('The undeclared model with most runs; null if no model has enough.', {
    model: ['string', 'Its name; empty if there are too many names.'],
    runs: [Count, 'How many runs it answered.'],
    of: [Count, 'Out of how many runs.'],
    hours: [Count, 'Hours back from now: 1, or 24 if the last hour has few runs.'],
    text: ['string', 'The finding as a sentence.'],
  }).or('null'),
  not_checked: ['string[]', 'What was not checked, and why.'],
})
export type LivePlace = typeof LivePlace.infer

/** GET /v1/live */
export const LivePlaces = object(
  'Live releases, checked by their newest runs. This blocks nothing and rolls nothing back.',
  {
    live: [LivePlace.array(), 'The live releases, by agent and environment.'],
    judged_at: [Instant, 'The time of the oldest check, up to a minute ago.'],
    truncated: ['boolean', 'Whether there are more than the limit.'],
  },
)
export type LivePlaces = typeof LivePlaces.infer

/** What the endpoint takes. */
export const INPUTS = {
  Live: input({
    query: {
      'agent_id?': [Dimension, 'Only this agent.'],
      'environment?': [Label, 'Only this environment.'],
      ...limitField('places', 200),
    },
  }),
} as const
