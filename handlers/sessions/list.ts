import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { sessionsFor } from '../../src/features/identity/oidc_whoami.ts'

export default endpoint(
  'GET /v1/sessions',
  {
    access: 'read',
    scope: 'filtered',
    summary: "Sessions of people, newest first: one's own, and all of them for an admin of the whole ledger",
    takes: 'SessionList',
    answers: { 200: 'SessionList' },
  },
  async function sessionList({ query }, context) {
    return json({ sessions: await sessionsFor(context, query.limit) })
  },
)
