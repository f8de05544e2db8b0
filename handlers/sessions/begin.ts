import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { optional, prose } from '../../src/http/endpoint/fields.ts'
import { beginSignIn } from '../../src/features/identity/oidc_sign_in.ts'
import { providerNamed } from '../../src/features/identity/oidc_provider.ts'
import { TO_BROWSERS, providerField } from './_fields.ts'
import { onward } from './_onward.ts'
import { problemPage } from './_page.ts'

export default endpoint(
  'GET /v1/sign-in/{provider}',
  {
    access: 'open',
    scope: 'shared',
    summary: 'Send a browser to an identity provider to sign in',
    description:
      'OpenID Connect authorization code flow with PKCE, state and nonce. Problems are shown as a page.',
    path: { provider: providerField },
    query: { to: optional(prose('The query of the page to come back to, such as `?view=diff`.')) },
    answers: TO_BROWSERS,
    refusal: problemPage,
  },
  async function signInBegin({ path, query, headers }, context) {
    const provider = providerNamed(context.workspace, path.provider)
    return onward(await beginSignIn(context, provider, { to: query.to ?? '', headers }))
  },
)
