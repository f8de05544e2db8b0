import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { rotateToken } from '../../src/ledger/tokens/tokens.ts'
import { spanOf } from '../../src/rules/window.ts'

export default endpoint({
  route: 'POST /v1/tokens/{name}/rotate',
  access: 'admin',
  scope: 'ledger',
  summary: 'Replace a named token; the old one stays valid for a while',
  description:
    'The new token has the same name, role and scope, and the same remaining time unless `expires` sets another.',
  takes: 'TokensRotate',
  recordsActor: true,
  answers: { 200: 'CreatedToken', 404: 'ErrorText' },
  answer: async function tokensRotate({ path, body, actor }, context) {
    const overlapMs = spanOf(body.overlap ?? '24h') ?? 0
    return await rotateToken(context, { ...path, overlapMs, validMs: spanOf(body.expires), actor })
  },
})
