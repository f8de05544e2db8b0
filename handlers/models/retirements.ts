import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { listRetirements } from '../../src/features/retirements/retirements.ts'

export default endpoint({
  route: 'GET /v1/retirements',
  access: 'read',
  scope: 'filtered',
  summary: 'When models of live releases end, as far as that is known',
  description:
    'Dates come from price lists (`retires_on` of price tables); a date that was set by hand overrides them. The service never guesses: a model that is not listed may end at any time. Counted in whole days, UTC, by the clock of the database.',
  takes: 'RetirementsList',
  answers: { 200: 'RetirementList' },
  answer: function retirementsList({ query }, { sql, caller }) {
    return listRetirements(sql, { ...query, scope: caller.scope })
  },
})
