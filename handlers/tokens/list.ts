import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { listTokens } from '../../src/ledger/tokens/tokens.ts'

export default endpoint(
  'GET /v1/tokens',
  {
    access: 'admin',
    scope: 'ledger',
    summary: 'List named tokens, also ended ones, without their values',
    answers: { 200: 'TokenList' },
  },
  async function tokensList(_input, context) {
    return json({ tokens: await listTokens(context) })
  },
)
