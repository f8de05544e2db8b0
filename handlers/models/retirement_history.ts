import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { retirementHistory } from '../../src/features/retirements/retirements.ts'

export default endpoint(
  'GET /v1/retirements/history',
  {
    access: 'read',
    scope: 'shared',
    summary: 'What was said of the end of a model, newest first',
    takes: 'RetirementsHistory',
    answers: { 200: 'RetirementHistory' },
  },
  async function retirementsHistory({ query }, { sql }) {
    return json(await retirementHistory(sql, query.provider, query.model))
  },
)
