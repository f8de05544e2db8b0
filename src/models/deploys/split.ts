import { type } from 'arktype'
import { ROLLOUT_UNITS } from '../names.ts'
import { Count, Identifier } from '../scalars.ts'

const Arm = type({ release_id: Identifier, version: 'string', checksum: 'string' })

/** How a rollout splits the units of a place between two releases. */
export const Split = type({
  rollout_id: Identifier,
  by: type.enumerated(...ROLLOUT_UNITS),
  share: 'number',
  baseline: Arm,
  candidate: Arm,
  lease_s: Count,
  'assignment_key?': 'string',
})
export type Split = typeof Split.infer

export const SPLIT_FIELDS = {
  rollout_id: 'The rollout.',
  by: 'What the unit is: a session, a tenant, or a user.',
  share: 'Share of the units that get the candidate, a fraction.',
  baseline: 'What the others get.',
  candidate: 'What they get.',
  ...Object.fromEntries(
    ['baseline', 'candidate'].flatMap(arm => [
      [`${arm}.release_id`, 'Its release.'],
      [`${arm}.version`, 'Its version.'],
      [`${arm}.checksum`, 'SHA-256 of its bundle.'],
    ]),
  ),
  lease_s:
    'For how many seconds from its receipt the split may be used. Who can not read it again by then serves release_id alone; a 304 renews it.',
  assignment_key:
    'Only of rollouts by user: the unit is HMAC-SHA-256 of the user under this key, in hex; send it as assignment.unit of the run event.',
} as const
