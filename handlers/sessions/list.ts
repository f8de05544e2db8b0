import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { sessionsFor } from '../../src/features/identity/oidc_whoami.ts'

export default endpoint({
  route: 'GET /v1/sessions',
  access: 'read',
  scope: 'filtered',
  summary: "Sessions of people, newest first: one's own, and all of them for an admin of the whole ledger",
  takes: 'SessionList',
  answers: { 200: 'SessionList' },
  answer: async function sessionList({ query }, context) {
    return { sessions: await sessionsFor(context, query.limit) }
  },
})
