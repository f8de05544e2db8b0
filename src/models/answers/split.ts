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
