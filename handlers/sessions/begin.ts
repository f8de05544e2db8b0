import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { beginSignIn } from '../../src/features/identity/oidc_sign_in.ts'
import { providerNamed } from '../../src/features/identity/oidc_provider.ts'
import { TO_BROWSERS, onward } from './_browsers.ts'
import { problemPage } from './_page.ts'

export default endpoint({
  route: 'GET /v1/sign-in/{provider}',
  access: 'open',
  scope: 'shared',
  summary: 'Send a browser to an identity provider to sign in',
  description:
    'OpenID Connect authorization code flow with PKCE, state and nonce. Problems are shown as a page.',
  takes: 'SignInBegin',
  answers: TO_BROWSERS,
  refusal: problemPage,
  handle: async function signInBegin({ path, query, headers }, context) {
    const provider = providerNamed(context.workspace, path.provider)
    return onward(await beginSignIn(context, provider, { to: query.to ?? '', headers }))
  },
})
