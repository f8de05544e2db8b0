import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { revokeToken } from '../../src/ledger/tokens/tokens.ts'

export default endpoint(
  'DELETE /v1/tokens/{name}',
  {
    access: 'admin',
    scope: 'ledger',
    summary: 'Revoke a named credential: at once on this server, within 5 s on others',
    takes: 'TokensRevoke',
    recordsActor: true,
    answers: { 200: 'RevokedToken', 404: 'ErrorText' },
  },
  async function tokensRevoke({ path, actor }, context) {
    return json(await revokeToken(context, path.name, actor))
  },
)
