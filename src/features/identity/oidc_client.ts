import * as oauth from 'oauth4webapi'
import { ServiceError, badRequest } from '../../base/errors.ts'

/** Longest wait for an answer of a provider, ms. */
export const TIMEOUT_MS = 5000

/** Most bytes of an answer. */
const MOST_BYTES = 256 * 1024

/** How far a provider's clock may be from ours, s. */
export const TOLERANCE_S = 30

/** Our client at an identity provider, and how requests go there. */
export interface Client {
  readonly issuer: string
  readonly client: oauth.Client
  readonly options: ReturnType<typeof optionsFor>
  /** Where browsers come back to. */
  readonly redirectUri?: string
}

/** A client of an issuer by our clock, epoch ms. */
export function clientOf(issuer: string, client_id: string, now = Date.now()): Client {
  const client = {
    client_id,
    [oauth.clockSkew]: Math.round((now - Date.now()) / 1000),
    [oauth.clockTolerance]: TOLERANCE_S,
  }
  return { issuer, client, options: optionsFor(issuer) }
}

function optionsFor(issuer: string) {
  return {
    [oauth.customFetch]: (url: string, init: object) => askIssuer(issuer, url, init),
    [oauth.allowInsecureRequests]: isOnThisMachine(issuer),
    signal: () => AbortSignal.timeout(TIMEOUT_MS),
  }
}

/** Whether it is reached without HTTPS. To `svc` a service names its issuer, which may be any. */
function isOnThisMachine(issuer: string): boolean {
  return /^http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?(?:\/|$)/.test(issuer)
}

/** Asks an issuer, for no more than it has to say. Throws {@link UnreachableIssuer} where it says nothing in time. */
export async function askIssuer(issuer: string, url: string, init: object): Promise<Response> {
  try {
    const response = await fetch(url, { ...(init as RequestInit), redirect: 'manual' })
    const { status, headers } = response
    if (status >= 500) throw new Error(`${url} answered ${status}`)
    return new Response(await boundedText(response), { status, headers })
  } catch (error) {
    throw new UnreachableIssuer(issuer, error)
  }
}

/** The text of an answer. Throws where it is longer than it may be. */
async function boundedText({ body }: Response): Promise<string | null> {
  if (body === null) return null
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += part.byteLength
    if (bytes > MOST_BYTES) throw new Error("the issuer's answer is too long")
    text += decoder.decode(part, { stream: true })
  }
  return text + decoder.decode()
}

/** An issuer that doesn't say what it has to. */
export class UnreachableIssuer extends Error {
  override readonly name = 'UnreachableIssuer'

  constructor(issuer: string, cause: unknown) {
    super(`${issuer} can't be reached`, { cause })
  }
}

/** What a provider says of itself (OpenID Connect Discovery 1.0). */
export async function discovered(issuer: string): Promise<oauth.AuthorizationServer> {
  return oauth.processDiscoveryResponse(new URL(issuer), await configurationOf(issuer))
}

async function configurationOf(issuer: string): Promise<Response> {
  return oauth.discoveryRequest(new URL(issuer), { algorithm: 'oidc', ...optionsFor(issuer) })
}

/** How an issuer writes itself in its OpenID configuration; undefined where that can't be had now. */
export async function ownName(issuer: string): Promise<string | undefined> {
  try {
    const response = await configurationOf(issuer)
    const { issuer: own } = (await response.json()) as { readonly issuer?: unknown }
    return typeof own === 'string' ? said(own) : undefined
  } catch {
    return undefined
  }
}

/** An address that a provider names. Throws 503 where there is none, or it is not encrypted. */
export function endpointOf(issuer: string, endpoint: string | undefined): URL {
  const url = URL.parse(endpoint ?? '')
  if (url === null) throw unavailable(issuer, 'its OpenID configuration lacks an address')
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isOnThisMachine(issuer))) return url
  throw unavailable(issuer, `its OpenID configuration names ${url.origin}, which is not HTTPS`)
}

/** What is kept between the way out and the way back. */
export interface Attempt {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export function newAttempt(nonce = oauth.generateRandomNonce()): Attempt {
  return { state: oauth.generateRandomState(), nonce, verifier: oauth.generateRandomCodeVerifier() }
}

/** Where a browser goes to sign in: authorization code, PKCE with S256, state and nonce. */
export async function authorizationUrl(
  server: oauth.AuthorizationServer,
  { issuer, client, redirectUri }: Client,
  scopes: readonly string[],
  { state, nonce, verifier }: Attempt,
): Promise<URL> {
  const methods = server.code_challenge_methods_supported
  if (methods !== undefined && !methods.includes('S256')) {
    throw unavailable(
      issuer,
      'it does not support PKCE with S256, without which a stolen code works for anybody',
    )
  }
  const url = endpointOf(issuer, server.authorization_endpoint)
  const parameters = {
    client_id: client.client_id,
    redirect_uri: redirectUri!,
    response_type: 'code',
    scope: scopeText(scopes),
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url
}

/** Scopes to ask for: openid, which gets an ID token, and these. */
export function scopeText(scopes: readonly string[]): string {
  return [...new Set(['openid', ...scopes])].join(' ')
}

/** Exchanges what a browser brought back for tokens, an ID token among them. */
export async function redeemed(
  server: oauth.AuthorizationServer,
  { client, options, redirectUri }: Client,
  authentication: oauth.ClientAuth,
  back: URLSearchParams,
  { state, nonce, verifier }: Attempt,
): Promise<oauth.TokenEndpointResponse> {
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    oauth.validateAuthResponse(server, client, back, state),
    redirectUri!,
    verifier,
    options,
  )
  const expected = { expectedNonce: nonce, requireIdToken: true }
  return oauth.processAuthorizationCodeResponse(server, client, response, expected)
}

/** What a provider answers, or an error in words for a person. */
export async function inWords<T>(client: ClientNames, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw problemOf(error, client)
  }
}

type ClientNames = Pick<Client, 'issuer' | 'redirectUri'>

function problemOf(error: unknown, { issuer, redirectUri }: ClientNames): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof UnreachableIssuer) return unavailable(issuer, "it can't be reached", error)
  if (error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError) {
    const { error: code, error_description: description = code } = error
    const [status, hint] = REFUSALS[code] ?? [503, '']
    const mend = redirectUri === undefined ? '' : hint.replace('{uri}', redirectUri)
    return new ServiceError(
      status,
      `${issuer} did not let you in: ${said(description)}${mend}. Sign in again.`,
      {
        cause: error,
      },
    )
  }
  const { code, message } = error as oauth.OperationProcessingError
  if (code === oauth.JWT_TIMESTAMP_CHECK)
    return unavailable(issuer, 'its clock and the clock of this machine differ too much', error)
  return badRequest(
    `This is not the answer of ${issuer} to your sign-in: ${said(message)}. Sign in again.`,
    error,
  )
}

/** Errors of providers: the status that answers each, 503 unless it is here, and what mends it at a sign-in in a browser. */
const REFUSALS: Readonly<Record<string, readonly [status: number, hint: string]>> = {
  access_denied: [403, ''],
  invalid_grant: [400, ': it was used before, is too old, or the redirect URI is not registered as {uri}'],
  invalid_client: [503, '; check client_id and client_secret_ref'],
  unauthorized_client: [503, '; check client_id, and the kind of client there'],
}

/** Whether a provider refuses a scope to this client or person. Keycloak's `not_allowed` is about `offline_access`. */
export function isScopeRefused({ cause }: Error): boolean {
  const { error = '' } = (cause ?? {}) as Partial<oauth.ResponseBodyError>
  return ['invalid_scope', 'not_allowed'].includes(error)
}

/** What others say, as far as it can be shown. */
export function said(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, 200)
}

function unavailable(issuer: string, why: string, cause?: unknown): ServiceError {
  return new ServiceError(503, `Nobody can sign in with ${issuer} now: ${why}.`, {
    cause,
    headers: { 'Retry-After': '10' },
  })
}
