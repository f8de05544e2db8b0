import * as oauth from 'oauth4webapi'
import { ServiceError } from '../../base/errors.ts'
import { withoutSlashes } from '../../base/text.ts'
import type { Called } from '../../http/access/context.ts'
import { LOGIN_NAME } from '../../models/sign_in.ts'
import type { Issuer, Login, WorkspaceConfig } from '../../models/documents/workspace.ts'
import {
  type Attempt,
  type Client,
  authorizationUrl,
  clientOf,
  discovered,
  endpointOf,
  inWords,
  redeemed,
} from './oidc_client.ts'
import { BELIEVED_MS, COOLDOWN_MS, knownOfProviders } from './oidc_keys.ts'
import { issuersOf } from './oidc_tokens.ts'
import { type Claims, claimsNeeded } from './rules_identity.ts'

/** A way to sign in. */
export interface Provider {
  readonly name: string
  readonly issuer: Issuer
  readonly login: Login
  /** Where the web UI is, without a slash at the end. */
  readonly base: string
  readonly redirectUri: string
}

export function providersOf(workspace: WorkspaceConfig): Provider[] {
  const base = withoutSlashes(workspace.public_url ?? '')
  return issuersOf(workspace).flatMap(issuer => {
    const { login } = issuer
    if (login == null) return []
    const { name = LOGIN_NAME } = login
    return [{ name, issuer, login, base, redirectUri: `${base}/v1/sign-in/${name}/callback` }]
  })
}

/** A way to sign in by its name. Throws 404 where there is none. */
export function providerNamed(workspace: WorkspaceConfig, name: string): Provider {
  const found = providersOf(workspace).find(provider => provider.name === name)
  if (found !== undefined) return found
  throw new ServiceError(
    404,
    `Nobody can sign in by ${name} here: no auth.oidc[].login of service.yaml has that name.`,
  )
}

/** The public client of `svc login`; null where there is none. */
export function cliClientOf({ login }: Provider): string | null {
  return login.cli_client_id ?? (login.client_secret_ref === undefined ? login.client_id : null)
}

type ProviderContext = Pick<Called, 'memo' | 'now' | 'log' | 'secret'>

type Discovered = { readonly at: number } & (
  | { readonly server: oauth.AuthorizationServer }
  | { readonly error: ServiceError }
)

/** What a provider says of itself, as it said lately. Throws 503 where that can't be had. */
async function serverOf(provider: Provider, place: ProviderContext): Promise<oauth.AuthorizationServer> {
  const { issuer } = provider.issuer
  const { memo, now } = place
  const providers = knownOfProviders(memo)
  const key = `configuration of ${issuer}`
  const known = providers.get(key) as Discovered | undefined
  const age = known === undefined ? -1 : now() - known.at
  if (known !== undefined && age >= 0) {
    if ('server' in known && age < BELIEVED_MS) return known.server
    if ('error' in known && age < COOLDOWN_MS) throw known.error
  }
  try {
    const server = await logged(provider, place, inWords({ issuer }, discovered(issuer)))
    providers.set(key, { at: now(), server })
    return server
  } catch (error) {
    providers.set(key, { at: now(), error })
    throw error
  }
}

/** Does something with a provider. What is wrong with it is logged, and thrown in words for the person. */
async function asking<T>(
  provider: Provider,
  place: ProviderContext,
  work: (server: oauth.AuthorizationServer, client: Client) => Promise<T>,
): Promise<T> {
  const { issuer, login, redirectUri } = provider
  const client = { ...clientOf(issuer.issuer, login.client_id, place.now()), redirectUri }
  const server = await serverOf(provider, place)
  return logged(provider, place, inWords(client, work(server, client)))
}

async function logged<T>({ name }: Provider, { log }: ProviderContext, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    log('warn', 'a sign-in failed at the provider', {
      provider: name,
      error: (error as Error).cause ?? error,
    })
    throw error
  }
}

/** Where the browser goes to sign in. */
export function signInUrl(provider: Provider, attempt: Attempt, place: ProviderContext): Promise<string> {
  const { scopes = [] } = provider.login
  return asking(provider, place, async (server, client) => {
    const { href } = await authorizationUrl(server, client, scopes, attempt)
    return href
  })
}

/** Exchanges what the browser brought back. Throws 400 for what is not the answer to this attempt. */
export function granted(
  provider: Provider,
  attempt: Attempt,
  back: URLSearchParams,
  place: ProviderContext,
): Promise<oauth.TokenEndpointResponse> {
  return asking(provider, place, (server, client) =>
    redeemed(server, client, authenticationOf(provider, server, place), back, attempt),
  )
}

/** The claims of a person, with those of the userinfo endpoint where the ID token lacks one that is needed. */
export async function allClaims(
  provider: Provider,
  claims: Claims,
  accessToken: string | undefined,
  place: ProviderContext,
): Promise<Claims> {
  const { roles, name_claim = 'sub' } = provider.issuer
  const lacks = claimsNeeded(roles, name_claim).some(name => !Object.hasOwn(claims, name))
  if (!lacks || accessToken === undefined) return claims
  return asking(provider, place, async (server, { client, options }) => {
    if (server.userinfo_endpoint === undefined) return claims
    const response = await oauth.userInfoRequest(server, client, accessToken, options)
    // It has to be about the same subject: a token for somebody else may come with the ID token.
    const more = await oauth.processUserInfoResponse(server, client, String(claims.sub), response)
    return { ...more, ...claims }
  })
}

/** Where a browser signs out at a provider (RP-Initiated Logout 1.0); null where that says of no such place, or nothing. */
export async function signOutUrl(
  provider: Provider,
  idToken: string | undefined,
  place: ProviderContext,
): Promise<string | null> {
  const { issuer, login, base } = provider
  const server = await serverOf(provider, place).catch(() => undefined)
  if (server?.end_session_endpoint === undefined) return null
  const url = endpointOf(issuer.issuer, server.end_session_endpoint)
  url.searchParams.set('client_id', login.client_id)
  url.searchParams.set('post_logout_redirect_uri', `${base}/`)
  if (idToken !== undefined) url.searchParams.set('id_token_hint', idToken)
  return url.href
}

/** How the client proves itself. Throws 503 where the environment lacks its secret. */
function authenticationOf(
  { login: { client_secret_ref: name } }: Provider,
  { token_endpoint_auth_methods_supported: methods }: oauth.AuthorizationServer,
  { secret }: ProviderContext,
): oauth.ClientAuth {
  if (name === undefined) return oauth.None()
  const value = secret(name)
  if (value === undefined) {
    throw new ServiceError(
      503,
      `Nobody can sign in: ${name}, which client_secret_ref names, is not set on the server.`,
    )
  }
  return methods === undefined || methods.includes('client_secret_basic')
    ? oauth.ClientSecretBasic(value)
    : oauth.ClientSecretPost(value)
}
