import { type } from 'arktype'
import { Label, input, limitField, oneOf } from '../../models/all/input.ts'
import { documented } from '../../models/docs.ts'
import { Count, Dimension, Identifier, Instant } from '../../models/scalars.ts'

const STATES = ['worse', 'nothing_found', 'no_runs', 'no_limits'] as const
const LIMITS = ['max_cost_per_run_usd', 'max_latency_ms', 'max_error_rate'] as const

const LivePlace = type({
  agent_id: Dimension,
  environment: Label,
  release_id: Identifier,
  version: 'string',
  previous_release_id: Identifier.or('null'),
  state: oneOf(STATES),
  runs_last_hour: Count,
  runs_last_day: Count,
  broken: type({
    limit_key: oneOf(LIMITS),
    limit: 'number',
    minutes: Count,
    runs: Count,
    value: 'number',
    at_least: 'number',
    text: 'string',
  }).array(),
})
export type LivePlace = typeof LivePlace.infer

/** GET /v1/live */
export const LivePlaces = type({ live: LivePlace.array(), judged_at: Instant, truncated: 'boolean' })
export type LivePlaces = typeof LivePlaces.infer

export const livePlaces = documented(LivePlaces, {
  title: 'LivePlaces',
  description: 'Live releases, checked by their newest runs. It compares, blocks and rolls back nothing.',
  fields: {
    live: 'What is live, by agent and environment.',
    'live[].agent_id': 'The agent.',
    'live[].environment': 'Where it is live.',
    'live[].release_id': 'The release that is live.',
    'live[].version': 'Its version.',
    'live[].previous_release_id':
      'What was live before it; null where nothing was, or it was decided on again.',
    'live[].state':
      'worse: a limit is proven to be broken. nothing_found: none is. no_runs: there are no runs of the last day. no_limits: the policy sets none on a release itself.',
    'live[].runs_last_hour': 'Runs of the last hour.',
    'live[].runs_last_day': 'Runs of the last 24 hours.',
    'live[].broken': 'Limits that are proven to be broken; empty unless the state is worse.',
    'live[].broken[].limit_key': 'The key of the policy.',
    'live[].broken[].limit': 'The limit: USD, milliseconds or a fraction.',
    'live[].broken[].minutes': 'How far back the runs are looked at that prove it, in minutes.',
    'live[].broken[].runs': 'How many runs these are.',
    'live[].broken[].value': 'Their mean cost or latency, or the share of them that failed.',
    'live[].broken[].at_least':
      'What the true value is at least, by a bound that is wrong in 1 of 500 looks.',
    'live[].broken[].text': 'The same as a sentence.',
    judged_at: 'When this was judged: the oldest judgement, up to a minute ago.',
    truncated: 'Whether there are more places than the limit.',
  },
})

export const MODELS = { LivePlaces: livePlaces } as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}

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
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
