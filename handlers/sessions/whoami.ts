import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { whoAmI } from '../../src/features/identity/oidc_whoami.ts'

export default endpoint(
  'GET /v1/session',
  {
    access: 'open',
    scope: 'shared',
    summary: 'The caller, its permissions, and how people sign in',
    namesCaller: true,
    answers: { 200: 'WhoAmI' },
  },
  async function sessionShow(_input, context) {
    return json(await whoAmI(context))
  },
)
