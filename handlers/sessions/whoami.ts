import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { whoAmI } from '../../src/features/identity/oidc_whoami.ts'

export default endpoint({
  route: 'GET /v1/session',
  access: 'open',
  scope: 'shared',
  summary: 'The caller, its permissions, and how people sign in',
  namesCaller: true,
  answers: { 200: 'WhoAmI' },
  answer: function sessionShow(_input, context) {
    return whoAmI(context)
  },
})
