import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { listTokens } from '../../src/ledger/tokens/tokens.ts'

export default endpoint({
  route: 'GET /v1/tokens',
  access: 'admin',
  scope: 'ledger',
  summary: 'List named tokens, also ended ones, without their values',
  answers: { 200: 'TokenList' },
  answer: async function tokensList(_input, context) {
    return { tokens: await listTokens(context) }
  },
})
