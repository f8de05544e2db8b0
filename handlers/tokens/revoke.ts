import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { revokeToken } from '../../src/ledger/tokens/tokens.ts'

export default endpoint({
  route: 'DELETE /v1/tokens/{name}',
  access: 'admin',
  scope: 'ledger',
  summary: 'Revoke a named credential: at once on this server, within 5 s on others',
  takes: 'TokensRevoke',
  recordsActor: true,
  answers: { 200: 'RevokedToken', 400: 'ErrorText', 404: 'ErrorText' },
  answer: function tokensRevoke({ path, query, actor }, context) {
    return revokeToken(context, { name: path.name, open: query.open, actor })
  },
})
