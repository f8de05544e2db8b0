import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { exchangeIdToken } from '../../src/features/identity/oidc_sign_in.ts'
import { toRecord } from '../../src/features/identity/rows.ts'

export default endpoint({
  route: 'POST /v1/sessions',
  access: 'open',
  scope: 'shared',
  writes: true,
  summary: 'Open a session for an ID token, as svc login does; its token is shown only this once',
  description:
    'The ID token must be of the public client of `svc login`, at most 10 minutes old, and opens one session. A nonce in it must be the SHA-256, in hex, of public_url, a newline and `nonce_secret`.',
  takes: 'SessionOpen',
  answers: { 200: 'OpenedSession', 400: 'ErrorText', 401: 'ErrorText', 403: 'ErrorText' },
  answer: async function sessionOpen({ body, headers }, context) {
    const { session, credential } = await exchangeIdToken(context, body, headers)
    return { ...toRecord(session, session.created_at), token: credential }
  },
})
