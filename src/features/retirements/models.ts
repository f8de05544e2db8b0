import { type } from 'arktype'
import { Prose, input, whoField } from '../../models/all/input.ts'
import { documented, under } from '../../models/docs.ts'
import { Day, Identifier, Timestamp } from '../../models/scalars.ts'

/** A day on which a provider switches a model off. */
export const Retirement = type({
  provider: Identifier,
  model: Identifier,
  retires_on: Day,
  days_left: 'number.integer',
  said_by: "'hand' | 'price_list'",
  source: 'string',
  'price_list_says?': Day.or('null'),
})
export type Retirement = typeof Retirement.infer

const RETIREMENT_FIELDS = {
  provider: 'Provider.',
  model: 'Model name.',
  retires_on: 'The day (UTC) from which on it is off.',
  days_left: 'Days until then by the clock of the database; negative where that is past.',
  said_by: 'Whether somebody said so by hand, which comes first, or a price list did.',
  source: 'Who said so and why, or the price table.',
  price_list_says:
    'What the newest price list says, where that is another day; left out where it says the same or nothing.',
} as const

/** A live release of which a model ends. */
export const RetiringRelease = Retirement.and({
  agent_id: Identifier,
  environment: Identifier,
  release_id: Identifier,
  version: 'string',
  role: "'runtime' | 'fallback' | 'further'",
})
export type RetiringRelease = typeof RetiringRelease.infer

/** GET /v1/retirements */
export const RetirementList = type({
  live: RetiringRelease.array(),
  models: Retirement.array(),
})
export type RetirementList = typeof RetirementList.infer

export const retirementList = documented(RetirementList, {
  title: 'RetirementList',
  description: 'When models end, as far as that is known.',
  fields: {
    live: 'Releases that are live and name a model that ends within the days that were asked for, the first to end first.',
    'live[].agent_id': 'The agent.',
    'live[].environment': 'Where it is live.',
    'live[].release_id': 'The release.',
    'live[].version': 'Its version.',
    'live[].role': 'Where its artifact names the model.',
    ...under('live[].', RETIREMENT_FIELDS),
    models: 'All models of which an end is known; only where they were asked for.',
    ...under('models[].', RETIREMENT_FIELDS),
  },
})

/** What somebody said by hand of the end of a model. */
export const SaidRetirement = type({
  retirement_id: Identifier,
  provider: Identifier,
  model: Identifier,
  retires_on: Day.or('null'),
  reason: 'string',
  actor: 'string',
  created_at: Timestamp,
  'reused?': 'true',
})
export type SaidRetirement = typeof SaidRetirement.infer

const SAID_FIELDS = {
  retirement_id: 'Identifier.',
  provider: 'Provider.',
  model: 'Model name.',
  retires_on: 'The day (UTC) from which on it is off; null takes back what was said before.',
  reason: 'Why.',
  actor: 'Who said so.',
  created_at: 'When.',
  reused: 'Present, and true, where the same was in force already: nothing was written.',
} as const

export const saidRetirement = documented(SaidRetirement, {
  title: 'SaidRetirement',
  description: 'What somebody said by hand of the end of a model.',
  fields: SAID_FIELDS,
})

export const MODELS = {
  RetirementList: retirementList,
  SaidRetirement: saidRetirement,
} as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}

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
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
