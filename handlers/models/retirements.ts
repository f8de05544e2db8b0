import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { listRetirements } from '../../src/features/retirements/retirements.ts'

export default endpoint({
  route: 'GET /v1/retirements',
  access: 'read',
  scope: 'filtered',
  summary: 'When models of live releases end, as far as that is known',
  description:
    'Days come from price lists (`retires_on` of price tables) or were said by hand, which comes first. They are never guessed: ' +
    'a model that is not listed may end at any time. Counted in whole days, UTC, by the clock of the database.',
  takes: 'RetirementsList',
  answers: { 200: 'RetirementList' },
  answer: function retirementsList({ query }, { sql, caller }) {
    return listRetirements(sql, { ...query, scope: caller.scope })
  },
})
