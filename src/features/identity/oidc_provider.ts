import * as oauth from 'oauth4webapi'
import { ServiceError, badRequest } from '../../base/errors.ts'
import { MINUTE_MS } from '../../base/time.ts'
import type { Called } from '../../http/access/context.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { LOGIN_NAME } from '../../models/sign_in.ts'
import type { Issuer, Login, WorkspaceConfig } from '../../models/documents/workspace.ts'
import { MOST_BYTES, TIMEOUT_MS, UnreachableIssuer, boundedText, knownOfProviders } from './oidc_keys.ts'
import { TOLERANCE_S, issuersOf } from './oidc_tokens.ts'
import { type Claims, claimsNeeded } from './rules_identity.ts'

/** A way to sign in. */
export interface Provider {
  readonly name: string
  readonly issuer: Issuer
  readonly login: Login
  /** Where the pages are, without a slash at the end. */
  readonly base: string
  readonly redirectUri: string
}

export function providersOf(workspace: WorkspaceConfig): Provider[] {
  const base = (workspace.public_url ?? '').replace(/\/+$/, '')
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
    `Nobody can sign in by ${name} here: no auth.oidc[].login of service.yaml is named so.`,
  )
}

/** How long what a provider says of itself is believed, and how soon it is read again after a failure, ms. */
const BELIEVED_MS = 10 * MINUTE_MS
const COOLDOWN_MS = 10_000

type Place = Pick<Ledger, 'memo' | 'now' | 'log'>

type Discovered = { readonly at: number } & (
  | { readonly server: oauth.AuthorizationServer }
  | { readonly error: ServiceError }
)

/** What a provider says of itself (OpenID Connect Discovery 1.0). Throws 503 where that can't be had. */
async function discover(provider: Provider, place: Place): Promise<oauth.AuthorizationServer> {
  const providers = knownOfProviders(place.memo)
  const key = `configuration of ${provider.issuer.issuer}`
  const known = providers.get(key) as Discovered | undefined
  const age = known === undefined ? 0 : place.now() - known.at
  if (known !== undefined && age >= 0) {
    if ('server' in known && age < BELIEVED_MS) return known.server
    if ('error' in known && age < COOLDOWN_MS) throw known.error
  }
  const url = new URL(provider.issuer.issuer)
  try {
    const response = await oauth.discoveryRequest(url, { algorithm: 'oidc', ...requestOptions(provider) })
    const server = await oauth.processDiscoveryResponse(url, response)
    providers.set(key, { at: place.now(), server })
    return server
  } catch (error) {
    const problem = problemOf(error, provider, place)
    providers.set(key, { at: place.now(), error: problem })
    throw problem
  }
}

/** What is kept by the browser between the way out and the way back. */
export interface Attempt {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** Where the browser goes to sign in: authorization code, PKCE with S256, state and nonce. */
export async function authorizationUrl(
  provider: Provider,
  { state, nonce, verifier }: Attempt,
  place: Place,
): Promise<string> {
  const server = await discover(provider, place)
  const methods = server.code_challenge_methods_supported
  if (methods !== undefined && !methods.includes('S256')) {
    throw unavailable(
      provider,
      'it does not take PKCE with S256, without which a stolen code is good for anybody',
    )
  }
  const url = new URL(endpointOf(provider, server.authorization_endpoint))
  const parameters = {
    client_id: provider.login.client_id,
    redirect_uri: provider.redirectUri,
    response_type: 'code',
    scope: scopesOf(provider).join(' '),
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

export function newAttempt(): Attempt {
  return {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
  }
}

function scopesOf({ login: { scopes = [] } }: Provider): string[] {
  return [...new Set(['openid', ...scopes])]
}

/** What the provider gave for a code. */
export interface Granted {
  readonly idToken: string
  readonly accessToken: string
}

/** Exchanges what the browser brought back. Throws 400 for what is not the answer to this attempt. */
export async function granted(
  provider: Provider,
  { state, nonce, verifier }: Attempt,
  parameters: URLSearchParams,
  place: Pick<Called, 'memo' | 'now' | 'log' | 'secret'>,
): Promise<Granted> {
  const server = await discover(provider, place)
  const client = clientOf(provider, place)
  try {
    const checked = oauth.validateAuthResponse(server, client, parameters, state)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authenticationOf(provider, server, place),
      checked,
      provider.redirectUri,
      verifier,
      requestOptions(provider),
    )
    const options = { expectedNonce: nonce, requireIdToken: true }
    const answer = await oauth.processAuthorizationCodeResponse(server, client, response, options)
    return { idToken: answer.id_token!, accessToken: answer.access_token }
  } catch (error) {
    throw problemOf(error, provider, place)
  }
}

/** The claims of a person, with those of the userinfo endpoint where the ID token lacks one that is needed. */
export async function allClaims(
  provider: Provider,
  claims: Claims,
  accessToken: string | undefined,
  place: Place,
): Promise<Claims> {
  const { roles, name_claim = 'sub' } = provider.issuer
  const lacks = claimsNeeded(roles, name_claim).some(name => !Object.hasOwn(claims, name))
  if (!lacks || accessToken === undefined) return claims
  const server = await discover(provider, place)
  if (server.userinfo_endpoint === undefined) return claims
  const client = clientOf(provider, place)
  try {
    const response = await oauth.userInfoRequest(server, client, accessToken, requestOptions(provider))
    // It has to be about the same subject: a token for somebody else may come with the ID token.
    const more = await oauth.processUserInfoResponse(server, client, String(claims.sub), response)
    return { ...more, ...claims }
  } catch (error) {
    throw problemOf(error, provider, place)
  }
}

/** Where a browser signs out at a provider (RP-Initiated Logout 1.0); null where that says of no such place, or nothing. */
export async function signOutUrl(
  provider: Provider,
  idToken: string | undefined,
  place: Place,
): Promise<string | null> {
  const server = await discover(provider, place).catch(() => undefined)
  if (server?.end_session_endpoint === undefined) return null
  const url = new URL(endpointOf(provider, server.end_session_endpoint))
  url.searchParams.set('client_id', provider.login.client_id)
  url.searchParams.set('post_logout_redirect_uri', `${provider.base}/`)
  if (idToken !== undefined) url.searchParams.set('id_token_hint', idToken)
  return url.href
}

/** An address that a browser is sent to. Throws 503 where it would go there unencrypted. */
function endpointOf(provider: Provider, endpoint: string | undefined): string {
  const url = URL.parse(endpoint ?? '')
  if (url === null) throw unavailable(provider, 'its OpenID configuration lacks an address')
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isInsecure(provider))) return url.href
  throw unavailable(provider, `its OpenID configuration names ${url.origin}, which is not HTTPS`)
}

/** Whether the provider is on this machine, without HTTPS. */
function isInsecure({ issuer }: Provider): boolean {
  return issuer.issuer.startsWith('http:')
}

function clientOf({ login }: Provider, { now }: Pick<Ledger, 'now'>): oauth.Client {
  return {
    client_id: login.client_id,
    [oauth.clockSkew]: Math.round((now() - Date.now()) / 1000),
    [oauth.clockTolerance]: TOLERANCE_S,
  }
}

function authenticationOf(
  { login }: Provider,
  { token_endpoint_auth_methods_supported: methods }: oauth.AuthorizationServer,
  { secret }: Pick<Called, 'secret'>,
): oauth.ClientAuth {
  if (login.client_secret_ref === undefined) return oauth.None()
  const value = requireSecret(login, secret)
  return methods === undefined || methods.includes('client_secret_basic')
    ? oauth.ClientSecretBasic(value)
    : oauth.ClientSecretPost(value)
}

/** The secret of a client. Throws 503 where the environment lacks it. */
function requireSecret({ client_secret_ref: name = '' }: Login, secret: Called['secret']): string {
  const value = secret(name)
  if (value !== undefined) return value
  throw new ServiceError(
    503,
    `Nobody can sign in: ${name}, which client_secret_ref names, is not set on the server.`,
  )
}

function requestOptions(provider: Provider) {
  return {
    [oauth.customFetch]: boundedFetch(provider),
    [oauth.allowInsecureRequests]: isInsecure(provider),
    signal: () => AbortSignal.timeout(TIMEOUT_MS),
  }
}

/** Fetches no more than a provider has to say. Throws {@link UnreachableIssuer} where it says nothing in time. */
function boundedFetch({ issuer: { issuer } }: Provider) {
  return async function fetchBounded(url: string, init: object): Promise<Response> {
    try {
      const response = await fetch(url, { ...(init as RequestInit), redirect: 'manual' })
      const { status, headers } = response
      if (status >= 500) throw new Error(`${url} answered ${status}`)
      return new Response(await boundedText(response, MOST_BYTES), { status, headers })
    } catch (error) {
      throw new UnreachableIssuer(issuer, error)
    }
  }
}

/** What went wrong in words for a person at a browser. The log says more. */
function problemOf(error: unknown, provider: Provider, { log }: Pick<Ledger, 'log'>): ServiceError {
  if (error instanceof ServiceError) return error
  const { name, issuer, redirectUri } = provider
  log('warn', 'a sign-in failed at the provider', { provider: name, issuer: issuer.issuer, error })
  if (error instanceof UnreachableIssuer) return unavailable(provider, 'it can not be reached')
  if (error instanceof oauth.AuthorizationResponseError) {
    if (error.error === 'access_denied') {
      return new ServiceError(
        403,
        `${issuer.issuer} did not let you in: ${said(error.error_description ?? error.error)}.`,
      )
    }
    return unavailable(provider, `it answered ${said(error.error)}: ${said(error.error_description ?? '')}`)
  }
  if (error instanceof oauth.ResponseBodyError) {
    if (error.error === 'invalid_grant') {
      return badRequest(
        `${issuer.issuer} did not take the code: it was used before, is too old, or the redirect URI is registered ` +
          `otherwise than ${redirectUri}. Sign in again.`,
      )
    }
    const hint =
      error.error === 'invalid_client' || error.error === 'unauthorized_client'
        ? '; look at client_id and client_secret_ref, and at the kind of client there'
        : ''
    return unavailable(provider, `it answered ${said(error.error)}${hint}`)
  }
  if (error instanceof oauth.OperationProcessingError && error.code === oauth.JWT_TIMESTAMP_CHECK) {
    return unavailable(provider, 'its clock and the clock of this server differ too much')
  }
  return badRequest(
    `This is not the answer of ${issuer.issuer} to your sign-in: ${said(wordsOf(error))}. Sign in again.`,
  )
}

function wordsOf(error: unknown): string {
  return error instanceof oauth.OperationProcessingError ? error.message : 'it can not be read'
}

/** What others say, as far as it can be shown. */
function said(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, 200)
}

function unavailable({ issuer: { issuer } }: Provider, why: string): ServiceError {
  return new ServiceError(503, `Nobody can sign in with ${issuer} now: ${why}.`, {
    headers: { 'Retry-After': '10' },
  })
}
