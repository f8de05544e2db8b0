import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { revokeToken } from '../../src/ledger/tokens/tokens.ts'

export default endpoint({
  route: 'DELETE /v1/tokens/{name}',
  access: 'admin',
  scope: 'ledger',
  summary: 'Revoke a named credential: at once on this server, within 5 s on others',
  takes: 'TokensRevoke',
  recordsActor: true,
  answers: { 200: 'RevokedToken', 404: 'ErrorText' },
  answer: function tokensRevoke({ path, actor }, context) {
    return revokeToken(context, path.name, actor)
  },
})
