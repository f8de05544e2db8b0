import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { finishSignIn } from '../../src/features/identity/oidc_sign_in.ts'
import { providerNamed } from '../../src/features/identity/oidc_provider.ts'
import { TO_BROWSERS, onward } from './_browsers.ts'
import { problemPage } from './_page.ts'

export default endpoint({
  route: 'GET /v1/sign-in/{provider}/callback',
  access: 'open',
  scope: 'shared',
  summary: 'Take what an identity provider answers, and open a session',
  description:
    'The redirect URI of the client at the provider. Sets the cookies of the session and redirects to the page from which the sign-in began. Problems are shown as a page.',
  takes: 'SignInFinish',
  answers: TO_BROWSERS,
  refusal: problemPage,
  handle: async function signInFinish({ path, query, headers }, context) {
    const provider = providerNamed(context.workspace, path.provider)
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return onward(await finishSignIn(context, provider, { parameters: new URLSearchParams(given), headers }))
  },
})
