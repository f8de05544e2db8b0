import { type } from 'arktype'
import { ROLLOUT_UNITS } from '../names.ts'
import { Count, Identifier } from '../scalars.ts'
import { object } from '../model.ts'

const Arm = object({
  release_id: [Identifier, 'Its release.'],
  version: ['string', 'Its version.'],
  checksum: ['string', 'SHA-256 of its bundle.'],
})

/** How a rollout splits the units of a place between two releases. */
export const Split = object({
  rollout_id: [Identifier, 'The rollout.'],
  by: [type.enumerated(...ROLLOUT_UNITS), 'The kind of unit: session, tenant, or user.'],
  share: ['number', 'Share of the units that get the candidate, a fraction.'],
  baseline: [Arm, 'The release of the other units.'],
  candidate: [Arm, 'Their release.'],
  lease_s: [
    Count,
    "For how many seconds from its receipt the split is valid. A caller that can't read it again by then serves release_id alone; a 304 renews it.",
  ],
  'assignment_key?': [
    'string',
    'Only for rollouts by user: the unit is HMAC-SHA-256 of the user under this key, in hex; send it as assignment.unit of the run event.',
  ],
})
export type Split = typeof Split.infer
