import { type } from 'arktype'
import { Prose, input, whoField } from '../../models/all/input.ts'
import { Day, Identifier, Timestamp } from '../../models/scalars.ts'
import { object } from '../../models/model.ts'

/** A day on which a provider switches a model off. */
export const Retirement = object({
  provider: [Identifier, 'Provider.'],
  model: [Identifier, 'Model name.'],
  retires_on: [Day, 'The day (UTC) from which on it no longer answers.'],
  days_left: ['number.integer', 'Days until then by the clock of the database; negative if that is past.'],
  said_by: [
    "'hand' | 'price_list'",
    'Whether a person set it by hand, which counts first, or a price list has it.',
  ],
  source: ['string', 'Who set it and why, or the price table.'],
  'price_list_says?': [
    Day.or('null'),
    'The day in the newest price list, if that is another one; left out if it is the same or unknown.',
  ],
})
export type Retirement = typeof Retirement.infer

/** A live release of which a model ends. */
export const RetiringRelease = Retirement.and(
  object({
    agent_id: [Identifier, 'The agent.'],
    environment: [Identifier, 'Where it is live.'],
    release_id: [Identifier, 'The release.'],
    version: ['string', 'Its version.'],
    role: ["'runtime' | 'fallback' | 'further'", 'Where its artifact names the model.'],
  }),
)
export type RetiringRelease = typeof RetiringRelease.infer

/** GET /v1/retirements */
export const RetirementList = object('Known end dates of models.', {
  live: [
    RetiringRelease.array(),
    'Live releases with a model that ends within the requested days, the first to end first.',
  ],
  models: [Retirement.array(), 'All models with a known end; only on request.'],
})
export type RetirementList = typeof RetirementList.infer

export const SaidRetirement = object('An end date of a model that was set by hand.', {
  retirement_id: [Identifier, 'Identifier.'],
  provider: [Identifier, 'Provider.'],
  model: [Identifier, 'Model name.'],
  retires_on: [Day.or('null'), 'The day (UTC) from which on it no longer answers; null removes the date.'],
  reason: ['string', 'Why.'],
  actor: ['string', 'Who set it.'],
  created_at: [Timestamp, 'When.'],
  'reused?': ['true', 'Present, and true, if the same date was set already: nothing was written.'],
})
export type SaidRetirement = typeof SaidRetirement.infer

export const PART_NAMES = {
  'RetirementList.live': 'RetiringModel',
  'RetirementList.models': 'Retirement',
} as const

/** What the endpoints take. */
export const INPUTS = {
  RetirementsList: input({
    query: {
      days: [
        type('0 <= number.integer <= 3650'),
        'Live releases whose models end within so many days, or have ended.',
        90,
      ],
      all: [type.boolean, 'Also lists all models with a known end, live or not.', false],
    },
  }),
  RetirementsSet: input({
    body: {
      provider: [Identifier, 'Provider, as releases or price tables name it.'],
      model: [Identifier, 'Model name.'],
      retires_on: [Day.or('null'), 'Day (UTC) from which on it no longer answers; null removes the date.'],
      reason: [Prose, 'Why, such as where the provider says so; kept in the audit log.'],
      ...whoField('says so'),
    },
  }),
} as const
