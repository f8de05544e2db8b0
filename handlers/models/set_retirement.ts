import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { warningHeaders } from '../../src/http/endpoint/read_input.ts'
import { json } from '../../src/http/wire/message.ts'
import { nameWarnings, setRetirement } from '../../src/features/retirements/retirements.ts'

export default endpoint({
  route: 'POST /v1/retirements',
  access: 'admin',
  scope: 'ledger',
  summary: 'Set the date on which a model ends',
  description:
    'It overrides price lists, until `retires_on: null` removes it. The header X-Service-Warning names a model that is unknown to the ledger.',
  takes: 'RetirementsSet',
  recordsActor: true,
  repeatable: true,
  answers: { 200: 'SaidRetirement', 400: 'ErrorText' },
  handle: async function retirementsSet({ body, actor }, context) {
    const warnings = await nameWarnings(context.sql, body.provider, body.model)
    return json(await setRetirement(context, { ...body, actor }), 200, warningHeaders(warnings))
  },
})
