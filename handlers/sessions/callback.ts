import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { optional, prose } from '../../src/http/endpoint/fields.ts'
import { finishSignIn } from '../../src/features/identity/oidc_sign_in.ts'
import { providerNamed } from '../../src/features/identity/oidc_provider.ts'
import { TO_BROWSERS, providerField } from './_fields.ts'
import { onward } from './_onward.ts'
import { problemPage } from './_page.ts'

export default endpoint(
  'GET /v1/sign-in/{provider}/callback',
  {
    access: 'open',
    scope: 'shared',
    summary: 'Take what an identity provider answers, and open a session',
    description:
      'The redirect URI of the client at the provider. Sets the cookies of the session and goes on to the page from which ' +
      'the sign-in was begun. Problems are shown as a page.',
    path: { provider: providerField },
    query: {
      code: optional(prose('What the provider exchanges for an ID token.')),
      state: optional(prose('What the sign-in was begun with.')),
      iss: optional(prose('The issuer that answers (RFC 9207).')),
      error: optional(prose('Why the provider let nobody in.')),
      error_description: optional(prose('The same in words.')),
    },
    answers: TO_BROWSERS,
    refusal: problemPage,
  },
  async function signInFinish({ path, query, headers }, context) {
    const provider = providerNamed(context.workspace, path.provider)
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return onward(await finishSignIn(context, provider, { parameters: new URLSearchParams(given), headers }))
  },
)
