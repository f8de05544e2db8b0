import { ResolvedScope } from '../documents/policy.ts'
import { object } from '../model.ts'

const Freeze = object({
  'environment?': ['string', 'The environments; left out if it is for all.'],
  from: ['string', 'When it begins.'],
  to: ['string', 'When it ends, exclusive.'],
  reason: ['string', 'Why.'],
  'time_zone?': ['string', 'Time zone of times of the week; left out for UTC.'],
})

/** GET /v1/policy/resolved */
export const ResolvedPolicy = object(
  'The rules for an agent in an environment: the policy in force, and service.yaml.',
  {
    '...': ResolvedScope,
    agent_id: ['string | null', 'The agent; null if none was named: the overrides for all agents.'],
    environment: ['string', 'The environment.'],
    promotes_from: object('The environment where a release must have been live before; null if none.', {
      environment: ['string', 'The environment.'],
      'live_for?': ['string', 'For how long without a break.'],
    }).or('null'),
    freeze: [
      Freeze.and(object({ holds_now: ['boolean', 'Whether it is in force now.'] })).array(),
      'Freezes of promotions here.',
    ],
  },
)
export type ResolvedPolicy = typeof ResolvedPolicy.infer
