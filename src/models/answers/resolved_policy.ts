import { ResolvedScope } from '../documents/policy.ts'
import { object } from '../model.ts'

const Freeze = object({
  'environment?': ['string', 'Which environments; left out where it is for all.'],
  from: ['string', 'When it begins.'],
  to: ['string', 'When it ends, which is not in it.'],
  reason: ['string', 'Why.'],
  'time_zone?': ['string', 'Of times of the week; UTC where it is left out.'],
})

/** GET /v1/policy/resolved */
export const ResolvedPolicy = object(
  'What holds for an agent in an environment: the policy in force, and the rules of service.yaml.',
  {
    '...': ResolvedScope,
    agent_id: ['string | null', 'The agent; null where none was named: what overrides for all agents say.'],
    environment: ['string', 'The environment.'],
    promotes_from: object(
      'Where a release must have been live before it is promoted here; null where nowhere.',
      {
        environment: ['string', 'The environment.'],
        'live_for?': ['string', 'For how long without a break.'],
      },
    ).or('null'),
    freeze: [
      Freeze.and(object({ holds_now: ['boolean', 'Whether it is now.'] })).array(),
      'When nothing is promoted here.',
    ],
  },
)
export type ResolvedPolicy = typeof ResolvedPolicy.infer
