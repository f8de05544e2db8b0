import { type } from 'arktype'
import { documented, under } from '../docs.ts'
import { RESOLVED_FIELDS, ResolvedScope } from '../documents/policy.ts'

const Freeze = type({
  'environment?': 'string',
  from: 'string',
  to: 'string',
  reason: 'string',
  'time_zone?': 'string',
})

/** GET /v1/policy/resolved */
export const ResolvedPolicy = ResolvedScope.and({
  agent_id: 'string | null',
  environment: 'string',
  promotes_from: type({ environment: 'string', 'live_for?': 'string' }).or('null'),
  freeze: Freeze.and({ holds_now: 'boolean' }).array(),
})
export type ResolvedPolicy = typeof ResolvedPolicy.infer

export const FREEZE_FIELDS = {
  environment: 'Which environments; left out where it is for all.',
  from: 'When it begins.',
  to: 'When it ends, which is not in it.',
  reason: 'Why.',
  time_zone: 'Of times of the week; UTC where it is left out.',
} as const

export const resolvedPolicy = documented(ResolvedPolicy, {
  title: 'ResolvedPolicy',
  description:
    'What holds for an agent in an environment: the policy in force, and the rules of service.yaml.',
  fields: {
    agent_id: 'The agent; null where none was named: what overrides for all agents say.',
    environment: 'The environment.',
    ...RESOLVED_FIELDS,
    promotes_from: 'Where a release must have been live before it is promoted here; null where nowhere.',
    'promotes_from.environment': 'The environment.',
    'promotes_from.live_for': 'For how long without a break.',
    freeze: 'When nothing is promoted here.',
    ...under('freeze[].', FREEZE_FIELDS),
    'freeze[].holds_now': 'Whether it is now.',
  },
})
