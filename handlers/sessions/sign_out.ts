import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { signOut } from '../../src/features/identity/oidc_sign_in.ts'

export default endpoint({
  route: 'DELETE /v1/session',
  access: 'open',
  scope: 'shared',
  writes: true,
  summary: 'Sign out: end the session of the caller',
  description:
    'It ends at once on this server, and within 5 s on others. The answer to a browser names the sign-out address of the identity provider.',
  namesCaller: true,
  repeatable: true,
  answers: { 200: 'EndedSession' },
  handle: async function signOutSession({ headers }, context) {
    const { cookies, ...ended } = await signOut(context, headers)
    return { ...json(ended), cookies }
  },
})
