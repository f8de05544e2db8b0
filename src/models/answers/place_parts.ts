import { type } from 'arktype'
import { object } from '../model.ts'
import { Identifier, NumberOrNull, Timestamp } from '../scalars.ts'

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

/** A limit, and what was measured. */
export const PlaceRow = object({
  policy_key: ['string', "The policy's key."],
  metric: ['string', 'What it limits.'],
  before: [
    NumberOrNull,
    'The value of what is live, of the runs that were compared: USD, milliseconds or a fraction.',
  ],
  now: [NumberOrNull, 'The value of the candidate.'],
  change: [NumberOrNull, 'The change that was decided on; relative, or of a rate in fractions.'],
  low: [NumberOrNull, 'Lower end of its interval; null without bound.'],
  high: [NumberOrNull, 'Upper end of its interval; null without bound.'],
  limit: ['number', 'The limit.'],
  limit_from: ['string', '`policy`, or the override of the policy that sets it here.'],
  outcome: ["'pass' | 'fail' | 'unsure'", 'Whether it is kept, broken, or not decided.'],
  would_pass: [
    'string | null',
    'The value with which the limit is kept, in words; null where one value does not say it.',
  ],
})
export type PlaceRow = typeof PlaceRow.infer
