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
  'The first of these that applies. worse: the live release breaks a limit. frozen: a freeze is in force. rolling_out, awaiting_approval: a rollout or a request is open. no_price: the candidate has no price table. blocked: the policy refuses it, or nothing can be compared. needs_runs: too little evidence. can_promote: it passes. watched: a watch runs. quiet: there is no candidate.'

export const PlaceCandidate = object('The next release; never a live one or one that was rolled back.', {
  release_id: [Identifier, 'The release.'],
  version: [
    'string | null',
    'Its version; null if only a rollout or a request names it and nothing could be compared.',
  ],
  registered_at: [
    Timestamp.or('null'),
    'When it was registered; null unless it is the newest of the agent here.',
  ],
  source: [
    "'newest' | 'request' | 'rollout'",
    'Why it is the candidate: a rollout, a request, or that it is the newest release.',
  ],
})

export const PlaceAllowed = object("The caller's possible actions.", {
  confirm: [
    Identifier.or('null'),
    'The request to confirm or reject; the rules on who may confirm apply then.',
  ],
  promote: [
    "'now' | 'request' | null",
    'How to promote the candidate, at once or by a request; null if a promotion would be refused.',
  ],
  rollback_to: [Identifier.or('null'), 'The target of a rollback; null if there is none.'],
  force_rollback: ['boolean', 'Whether a rollback may be forced.'],
  rollout: ['boolean', 'Whether a rollout of the candidate can begin.'],
  why_not: ['string | null', 'Why nothing can be promoted; null if something can.'],
})

/** A limit, and what was measured. */
export const PlaceRow = object({
  policy_key: ['string', "The policy's key."],
  metric: ['string', 'The limited metric.'],
  before: [
    NumberOrNull,
    "The live release's value, over the compared runs: USD, milliseconds or a fraction.",
  ],
  now: [NumberOrNull, 'The value of the candidate.'],
  change: [NumberOrNull, 'The change that was decided on; relative, or for a rate in fractions.'],
  low: [NumberOrNull, 'Lower end of its interval; null without bound.'],
  high: [NumberOrNull, 'Upper end of its interval; null without bound.'],
  limit: ['number', 'The limit.'],
  limit_from: ['string', '`policy`, or the override that sets it here.'],
  outcome: ["'pass' | 'fail' | 'unsure'", 'Whether it is met, broken, or not decided.'],
  would_pass: [
    'string | null',
    'The value with which the limit is met, in words; null if one value does not say it.',
  ],
})
export type PlaceRow = typeof PlaceRow.infer
