import * as oauth from 'oauth4webapi'
import { badRequest } from '../../base/errors.ts'
import type { SavedLogin } from '../../cli/service/profiles.ts'

/** What a provider grants to a person at a command line. */
export interface Granted {
  readonly id_token: string
  readonly access_token: string
  readonly refresh_token: string | undefined
}

/** The public client of `svc` at a provider. */
export interface Client {
  readonly issuer: string
  readonly client: oauth.Client
  readonly options: ReturnType<typeof optionsFor>
  /** What the provider says of itself. */
  readonly server: () => Promise<oauth.AuthorizationServer>
  /** Whether it lets a person type a code on another device (RFC 8628). */
  readonly takesCodes: () => Promise<boolean>
}

/** Longest wait for an answer of a provider, ms. */
const TIMEOUT_MS = 10_000

export function clientOf(issuer: string, client_id: string): Client {
  const options = optionsFor(issuer)
  let found: Promise<oauth.AuthorizationServer> | undefined
  async function discover(): Promise<oauth.AuthorizationServer> {
    const url = new URL(issuer)
    const response = await oauth.discoveryRequest(url, { algorithm: 'oidc', ...options })
    return oauth.processDiscoveryResponse(url, response)
  }
  const server = () => (found ??= inWords(issuer, discover()))
  return {
    issuer,
    client: { client_id, [oauth.clockTolerance]: 30 },
    options,
    server,
    takesCodes: async () => (await server()).device_authorization_endpoint !== undefined,
  }
}

function optionsFor(issuer: string) {
  // A service names its issuer: over plain HTTP only one on this machine is called, as in tests.
  const isHere = /^http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?(?:\/|$)/.test(issuer)
  return { [oauth.allowInsecureRequests]: isHere, signal: () => AbortSignal.timeout(TIMEOUT_MS) }
}

/** What a provider answers, or an error in words for a person. */
export async function inWords<T>(issuer: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw badRequest(`${issuer} did not let you in: ${wordsOf(error)}.`, error)
  }
}

/** Whether a provider refuses a scope to this client or person. Keycloak's `not_allowed` is about `offline_access`. */
export function isScopeRefused({ cause }: Error): boolean {
  const isRefusal =
    cause instanceof oauth.ResponseBodyError || cause instanceof oauth.AuthorizationResponseError
  return isRefusal && ['invalid_scope', 'not_allowed'].includes(cause.error)
}

function wordsOf(error: unknown): string {
  if (error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError) {
    return (error.error_description ?? error.error).replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, 200)
  }
  if (error instanceof oauth.OperationProcessingError) return error.message
  const { name, message } = error as Error
  return name === 'TimeoutError' ? 'it did not answer in time' : `it can not be reached (${message})`
}

/** The tokens of an answer. Throws 400 where there is no ID token among them. */
export function grantedIn({ id_token, access_token, refresh_token }: oauth.TokenEndpointResponse): Granted {
  if (id_token === undefined)
    throw badRequest('The provider gave no ID token; sign in again with `svc login`.')
  return { id_token, access_token, refresh_token }
}

/** What a refresh token grants. */
export async function refreshed({ issuer, client_id, refresh_token }: SavedLogin): Promise<Granted> {
  const { client, options, server } = clientOf(issuer, client_id)
  const as = await server()
  const none = oauth.None()
  const response = oauth.refreshTokenGrantRequest(as, client, none, refresh_token!, options)
  return grantedIn(
    await inWords(issuer, oauth.processRefreshTokenResponse(as, client, await inWords(issuer, response))),
  )
}

/** Has the provider forget a refresh token (RFC 7009), where it can. */
export async function revokeRefreshToken({ issuer, client_id, refresh_token }: SavedLogin): Promise<void> {
  if (refresh_token === undefined) return
  const { client, options, server } = clientOf(issuer, client_id)
  const as = await server()
  if (as.revocation_endpoint === undefined) return
  const response = await inWords(
    issuer,
    oauth.revocationRequest(as, client, oauth.None(), refresh_token, options),
  )
  await inWords(issuer, oauth.processRevocationResponse(response))
}

/** Scopes to ask for. Where it `staysIn`, one of them gets a refresh token from a provider that knows it. */
export function scopeText(
  { scopes_supported = [] }: oauth.AuthorizationServer,
  { scopes, staysIn }: { readonly scopes: readonly string[]; readonly staysIn: boolean },
): string {
  const offline = staysIn && scopes_supported.includes('offline_access') ? ['offline_access'] : []
  return [...new Set(['openid', ...scopes, ...offline])].join(' ')
}
