import {
  actorField,
  choice,
  formed,
  id,
  key,
  label,
  optional,
  optionalOrNull,
  prose,
  window,
} from '../../src/http/endpoint/fields.ts'
import { ROLLOUT_UNITS } from '../../src/models/names.ts'

/** Path of one rollout. */
export const rolloutPath = { rollout_id: id('Rollout that is meant.') } as const

/** Body of a change of one rollout. */
export const changeFields = {
  reason: prose('Why; kept in the audit log.'),
  actor: actorField('changes it'),
} as const

/** Body of POST /v1/rollouts and /v1/rollouts/request. */
export const startFields = {
  release_id: id('Release to roll out.'),
  environment: label('Environment to roll it out in.', { example: 'prod' }),
  steps: optional(
    prose(
      'Shares that rise and how long each takes, SHARE%:TIME; 0%:24h,1%:1h,5%:1h,25%:6h,50%:24h unless given.',
      {
        example: '0%:24h,1%:1h,5%:1h,25%:6h,50%:24h',
      },
    ),
  ),
  by: optional(choice('What is split by chance: sessions unless given.', ROLLOUT_UNITS)),
  max_duration: optional(window('After how long it expires; 5d unless given', { example: '5d' })),
  hold: optional(
    formed('Share of the units that stays on the old release after completion.', /^\d{1,2}(?:\.\d{1,2})?%$/, {
      example: '5%',
    }),
  ),
  hold_for: optional(window('For how long they stay', { example: '7d' })),
  reason: prose('Why; kept in the audit trail.'),
  expected_baseline_release_id: optionalOrNull(
    key(
      'The release that was promoted there when you looked. Where something else is promoted by now, the answer is 412 and ' +
        'nothing is recorded. Not checked where it is left out.',
    ),
  ),
  actor: actorField(),
} as const

/** What a repeated idempotency key is answered with. */
export function replayHeaders(replayed: boolean): Record<string, string> {
  return replayed ? { 'idempotent-replayed': 'true' } : {}
}
