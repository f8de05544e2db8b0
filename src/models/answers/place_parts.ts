import { type } from 'arktype'
import { object } from '../model.ts'
import { Identifier, Timestamp } from '../scalars.ts'

const STATES = [
  'worse',
  'frozen',
  'rolling_out',
  'awaiting_approval',
  'no_price',
  'blocked',
  'needs_runs',
  'can_promote',
  'watched',
  'quiet',
] as const

export const PlaceState = type.enumerated(...STATES)

export const PLACE_STATE_FIELD =
  'The first of these that holds. worse: the live release breaks a limit. frozen: a freeze is in force. rolling_out, awaiting_approval: a rollout or a request is open. no_price: the candidate has no price table. blocked: the policy refuses it, or nothing can be compared. needs_runs: too little evidence. can_promote: it passes. watched: a watch runs. quiet: nothing is next.'

export const PlaceCandidate = object('The release that is next; never one that is live or was rolled back.', {
  release_id: [Identifier, 'The release.'],
  version: [
    'string | null',
    'Its version; null where only a rollout or a request names it and nothing could be compared.',
  ],
  registered_at: [Timestamp.or('null'), 'When it was registered; null unless it is the newest of the place.'],
  source: [
    "'newest' | 'request' | 'rollout'",
    'What proposes it: a rollout, a request, or that it is the newest release.',
  ],
})

export const PlaceAllowed = object('What the caller may do here now.', {
  confirm: [
    Identifier.or('null'),
    'The request to confirm or reject; the rules on who may confirm are asked then.',
  ],
  promote: [
    "'now' | 'request' | null",
    'Promote the candidate at once, or by a request; null where a promotion would be refused.',
  ],
  rollback_to: [Identifier.or('null'), 'The release that a rollback goes to; null where there is none.'],
  force_rollback: ['boolean', 'Whether a rollback may be forced.'],
  rollout: ['boolean', 'Whether a rollout of the candidate may begin.'],
  why_not: ['string | null', 'Why nothing can be promoted; null where it can.'],
})
