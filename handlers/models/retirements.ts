import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { flag, integer } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { listRetirements } from '../../src/features/retirements/retirements.ts'

export default endpoint(
  'GET /v1/retirements',
  {
    access: 'read',
    scope: 'filtered',
    summary: 'When models of live releases end, as far as that is known',
    description:
      'Days come from price lists (`retires_on` of price tables) or were said by hand, which comes first. They are never guessed: ' +
      'a model that is not listed may end at any time. Counted in whole days, UTC, by the clock of the database.',
    query: {
      days: integer('Live releases whose models end within so many days, or have ended.', {
        default: 90,
        min: 0,
        max: 3650,
      }),
      all: flag('Also lists all models of which an end is known, live or not.'),
    },
    answers: { 200: 'RetirementList' },
  },
  async function retirementsList({ query }, { sql, caller }) {
    return json(await listRetirements(sql, { ...query, scope: caller.scope }))
  },
)
