import { type } from 'arktype'
import { Prose, input, whoField } from '../../models/all/input.ts'
import { Day, Identifier, Timestamp } from '../../models/scalars.ts'
import { object } from '../../models/model.ts'

/** A day on which a provider switches a model off. */
export const Retirement = object({
  provider: [Identifier, 'Provider.'],
  model: [Identifier, 'Model name.'],
  retires_on: [Day, 'The day (UTC) from which on it is off.'],
  days_left: ['number.integer', 'Days until then by the clock of the database; negative where that is past.'],
  said_by: [
    "'hand' | 'price_list'",
    'Whether somebody said so by hand, which comes first, or a price list did.',
  ],
  source: ['string', 'Who said so and why, or the price table.'],
  'price_list_says?': [
    Day.or('null'),
    'What the newest price list says, where that is another day; left out where it says the same or nothing.',
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
export const RetirementList = object('When models end, as far as that is known.', {
  live: [
    RetiringRelease.array(),
    'Releases that are live and name a model that ends within the days that were asked for, the first to end first.',
  ],
  models: [Retirement.array(), 'All models of which an end is known; only where they were asked for.'],
})
export type RetirementList = typeof RetirementList.infer

export const SaidRetirement = object('What somebody said by hand of the end of a model.', {
  retirement_id: [Identifier, 'Identifier.'],
  provider: [Identifier, 'Provider.'],
  model: [Identifier, 'Model name.'],
  retires_on: [
    Day.or('null'),
    'The day (UTC) from which on it is off; null takes back what was said before.',
  ],
  reason: ['string', 'Why.'],
  actor: ['string', 'Who said so.'],
  created_at: [Timestamp, 'When.'],
  'reused?': ['true', 'Present, and true, where the same was in force already: nothing was written.'],
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
      all: [type.boolean, 'Also lists all models of which an end is known, live or not.', false],
    },
  }),
  RetirementsSet: input({
    body: {
      provider: [Identifier, 'Provider, as releases or price tables name it.'],
      model: [Identifier, 'Model name.'],
      retires_on: [
        Day.or('null'),
        'Day (UTC) from which on it is off; null takes back what was said before.',
      ],
      reason: [Prose, 'Why, such as where the provider says so; kept in the audit log.'],
      ...whoField('says so'),
    },
  }),
} as const
