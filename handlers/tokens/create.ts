import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { createToken } from '../../src/ledger/tokens/tokens.ts'
import { spanOf } from '../../src/rules/window.ts'

export default endpoint({
  route: 'POST /v1/tokens',
  access: 'admin',
  scope: 'ledger',
  summary: 'Make a named token; it is shown only this once',
  description:
    'After the first token exists, and until all are revoked, the service requires a token for reads and changes. Its name is on record for all that is done with it.',
  takes: 'TokensCreate',
  recordsActor: true,
  answers: { 200: 'CreatedToken', 400: 'ErrorText' },
  answer: async function tokensCreate({ body, actor }, context) {
    const { name, role, agents = null, environments = null, source = null, expires } = body
    const token = { name, role, agents, environments, source, validMs: spanOf(expires), actor }
    return await createToken(context, token)
  },
})
