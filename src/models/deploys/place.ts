import { Count, Identifier, Instant, NumberOrNull, Timestamp } from '../scalars.ts'
import {
  PLACE_STATE_FIELD,
  PlaceAllowed,
  PlaceCandidate,
  PlaceRow,
  PlaceState,
} from '../answers/place_parts.ts'
import { object } from '../model.ts'

/** GET /v1/places/{agent_id}/{environment} */
export const PlaceAnswer = object(
  'The live release of an agent in an environment, the next one, and whether it can be promoted.',
  {
    agent_id: [Identifier, 'The agent.'],
    environment: [Identifier, 'The environment.'],
    state: [PlaceState, PLACE_STATE_FIELD],
    headline: ['string', 'The state and its reason in a sentence.'],
    live: object('The live release; null if there is none.', {
      release_id: [Identifier, 'The release.'],
      version: ['string | null', 'Its version; null if it is not registered.'],
      since: [Timestamp.or('null'), 'Since when.'],
      by: ['string | null', 'Who chose it.'],
      reason: ['string | null', 'Why, in the words of who chose it.'],
      before: [
        Identifier.or('null'),
        'The live release before its promotion; a rollback to it does not change that. Null if there was none.',
      ],
      earlier: object('What was live here earlier, by the last 200 changes, newest first.', {
        release_id: [Identifier, 'The release.'],
        rolled_back: ['boolean', 'Whether a rollback replaced it.'],
      }).array(),
      runs_last_hour: [Count, 'Its runs of the last hour.'],
      runs_last_day: [Count, 'Its runs of the last 24 hours.'],
      not_checked: ['string[]', 'What was not checked in its runs, and why.'],
    }).or('null'),
    candidate: PlaceCandidate.or('null'),
    why_none: ['string | null', 'Why there is no candidate; null if there is one.'],
    rows: [
      PlaceRow.array(),
      'The limits of the policy, with the measured values; empty if nothing was compared.',
    ],
    reasons: ['string[]', 'Why the candidate does not pass.'],
    warnings: ['string[]', 'Warnings; they change no verdict.'],
    window: ['string | null', 'The window of the comparison; null if nothing was compared.'],
    since: [Instant.or('null'), 'Start of the window, inclusive.'],
    until: [Instant.or('null'), 'End of the window, exclusive.'],
    allowed: PlaceAllowed,
    rollout: object('The rollout that is open; null without one.', {
      rollout_id: [Identifier, 'Identifier of the rollout.'],
      candidate_release_id: [Identifier, 'The release that is rolled out.'],
      state: ["'running' | 'paused'", 'Whether it runs or is paused.'],
      share: [NumberOrNull, 'Share of the units that get the candidate; null if nothing is split.'],
    }).or('null'),
    request: object('The newest pending promotion request; null without one.', {
      request_id: [Identifier, 'Identifier of the request.'],
      release_id: [Identifier, 'The release to promote.'],
      window: ['string', 'Its window.'],
      actor: ['string', 'Who requested it.'],
      reason: ['string', 'Why, in the words of the requester.'],
      created_at: [Timestamp, 'When it was requested.'],
    }).or('null'),
    watch: object('The watch that runs; null without one.', {
      watch_id: [Identifier, 'Identifier of the watch.'],
      release_id: [Identifier, 'The release that is watched.'],
      ends_at: [Timestamp, 'When it ends.'],
    }).or('null'),
    freeze: object('The freeze that is in force; null without one.', {
      until: ['string', 'Its end, as in service.yaml.'],
      reason: ['string', 'Why.'],
    }).or('null'),
    evaluated_at: [Instant, 'When this was evaluated.'],
  },
)
export type PlaceAnswer = typeof PlaceAnswer.infer
