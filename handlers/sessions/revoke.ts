import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { revokeSession } from '../../src/features/identity/oidc_whoami.ts'

export default endpoint({
  route: 'DELETE /v1/sessions/{session_id}',
  access: 'read',
  scope: 'checked',
  writes: true,
  exact: true,
  summary: "Revoke a session: at once on this server, within 5 s on others; one's own, or any for an admin",
  takes: 'SessionRevoke',
  recordsActor: true,
  answers: { 200: 'EndedSession', 404: 'ErrorText' },
  answer: async function sessionRevoke({ path, actor }, context) {
    return { ended: await revokeSession(context, path.session_id, actor) }
  },
})
