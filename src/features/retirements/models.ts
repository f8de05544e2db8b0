import { type } from 'arktype'
import { Prose, input, whoField } from '../../models/all/input.ts'
import { Day, Identifier } from '../../models/scalars.ts'

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
  RetirementsHistory: input({
    query: {
      provider: [Identifier, 'Provider.'],
      model: [Identifier, 'Model name.'],
    },
  }),
} as const
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
