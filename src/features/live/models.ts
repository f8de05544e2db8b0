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
    'What was live before it; null where nothing was, or a rollback brought it back.',
  ],
  state: [
    oneOf(STATES),
    'worse: a limit is proven to be broken. silent: runs stopped arriving. other_model: a model answers that the release does not declare. nothing_found: no finding. no_runs: there are no runs of the last day. no_limits: the policy sets none on a release itself.',
  ],
  runs_last_hour: [Count, 'Runs of the last hour.'],
  runs_last_day: [Count, 'Runs of the last 24 hours.'],
  broken: object('Limits that are proven to be broken; empty unless the state is worse.', {
    limit_key: [oneOf(LIMITS), 'The key of the policy.'],
    limit: ['number', 'The limit: USD, milliseconds or a fraction; of a rate a difference.'],
    minutes: [Count, 'How far back the runs go that prove it, in minutes.'],
    runs: [Count, 'How many runs these are.'],
    value: [
      'number',
      'Their mean cost or latency, or the share of them that failed; of a limit on a change how much that rose against the release before.',
    ],
    at_least: [
      'number',
      'What the true value is at least: by a bound that is wrong in 1 of 500 checks at most, of a change by one that is valid at all checks.',
    ],
    text: ['string', 'The same as a sentence.'],
  }).array(),
  silence: object('Runs that stopped arriving; null where they did not.', {
    hours: [Count, 'Hours back from now in which none came.'],
    days: [Count, 'Earlier days whose same hours had runs: weekdays, or days of weekends.'],
    usual_runs: ['number', 'Runs of these hours on such a day, on average.'],
    text: ['string', 'The same as a sentence.'],
  }).or('null'),
  other_model: object('The undeclared model that answered most runs; null where none answered enough.', {
    model: ['string', 'Its name; empty where there are too many to be told apart.'],
    runs: [Count, 'How many runs it answered.'],
    of: [Count, 'Of how many.'],
    hours: [Count, 'Hours back from now that these are of: 1, or 24 where the last hour has few runs.'],
    text: ['string', 'The finding as a sentence.'],
  }).or('null'),
  not_checked: ['string[]', 'What was not looked at, and why.'],
})
export type LivePlace = typeof LivePlace.infer

/** GET /v1/live */
export const LivePlaces = object(
  'Live releases, checked by their newest runs. It blocks and rolls back nothing.',
  {
    live: [LivePlace.array(), 'What is live, by agent and environment.'],
    judged_at: [Instant, 'When this was judged: the oldest judgement, up to a minute ago.'],
    truncated: ['boolean', 'Whether there are more places than the limit.'],
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
