import type { Answer, Call, CallOptions } from '../services/call.ts'
import type { TestService } from '../services/service.ts'
import type { TestProvider } from './provider.ts'

/** Where the service of these tests says that it is, and the redirect URI of its client. */
export const PUBLIC_URL = 'https://gate.example.com'
export const REDIRECT_URI = `${PUBLIC_URL}/v1/sign-in/sso/callback`

/** service.yaml of a service at which people of a provider sign in. */
export function signInAt(
  provider: Pick<TestProvider, 'url'>,
  more: {
    readonly workspace?: Record<string, unknown>
    readonly issuer?: Record<string, unknown>
    readonly login?: Record<string, unknown>
  } = {},
): Record<string, unknown> {
  const login = { client_id: 'pages', ...more.login }
  const roles = [
    { role: 'admin', claims: { groups: 'admins' } },
    { role: 'write', claims: { groups: ['deployers'] } },
    { role: 'read', claims: { groups: 'team-*' } },
  ]
  return {
    public_url: PUBLIC_URL,
    auth: { oidc: [{ issuer: provider.url, name_claim: 'name', login, roles, ...more.issuer }] },
    ...more.workspace,
  }
}

/** A browser, as far as cookies go. */
export interface Visitor {
  /** Cookies by their names, as the browser has them. */
  readonly cookies: Map<string, string>
  /** The names of those that also come with a visit from another site. */
  readonly lax: Set<string>
  /** Calls with the cookies, and as our pages do, with the token against forgery. */
  readonly call: Call
  /** The same service, called by this browser. */
  readonly service: TestService
}

export function visitorOf(service: TestService): Visitor {
  const cookies = new Map<string, string>()
  const lax = new Set<string>()
  const call: Call = async (route, { headers = {}, ...options }: CallOptions = {}) => {
    const csrf = cookies.get('__Host-service-csrf')
    const answer = await service.call(route, {
      ...options,
      headers: {
        host: 'gate.example.com',
        ...(cookies.size === 0 ? {} : { cookie: cookieHeader(cookies) }),
        ...(csrf === undefined || route.startsWith('GET ') ? {} : { 'x-service-csrf': csrf }),
        ...headers,
      },
    })
    keep({ cookies, lax }, answer)
    return answer
  }
  return { cookies, lax, call, service: { ...service, call } }
}

export function cookieHeader(cookies: ReadonlyMap<string, string>): string {
  return Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ')
}

function keep({ cookies, lax }: Pick<Visitor, 'cookies' | 'lax'>, { headers }: Answer): void {
  for (const set of headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!
    if (/Max-Age=0(?:;|$)/.test(set)) cookies.delete(name!)
    else cookies.set(name!, value!)
    if (set.includes('SameSite=Lax')) lax.add(name!)
  }
}

/** Sends a browser to the provider, and returns where that was. */
export async function begin({ call }: Visitor, to = ''): Promise<string> {
  const answer = await call('GET /v1/sign-in/sso', to === '' ? {} : { query: { to } })
  if (answer.status !== 303) throw new Error(`${answer.status} ${answer.text}`)
  return answer.headers.get('location')!
}

/** Brings back what the provider answered, which is of another site. */
export function comeBack({ call, cookies, lax }: Visitor, back: URL): Promise<Answer> {
  const cookie = cookieHeader(new Map([...cookies].filter(([name]) => lax.has(name))))
  const headers = { cookie, 'sec-fetch-site': 'cross-site' }
  return call(`GET /${back.pathname.slice(1)}`, { query: Object.fromEntries(back.searchParams), headers })
}

/** Signs in, and throws what was answered where that fails. */
export async function signIn(visitor: Visitor, provider: TestProvider): Promise<Visitor> {
  const answer = await comeBack(visitor, provider.authorize(await begin(visitor)))
  if (answer.status !== 303) throw new Error(`${answer.status} ${answer.text}`)
  return visitor
}
