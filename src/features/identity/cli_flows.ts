import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import * as oauth from 'oauth4webapi'
import { badRequest } from '../../base/errors.ts'
import type { SavedLogin } from '../../cli/service/profiles.ts'
import type { Io } from '../../cli/terminal/io.ts'
import { safe } from '../../cli/terminal/text.ts'
import {
  type Client,
  authorizationUrl,
  clientOf,
  discovered,
  inWords,
  newAttempt,
  redeemed,
  scopeText,
} from './oidc_client.ts'

/** A provider that a person signs in with, and our client there. */
export interface Way {
  readonly client: Client
  readonly server: oauth.AuthorizationServer
  readonly scopes: readonly string[]
  readonly nonce: string
}

/** What a provider grants to a person at a command line. */
export interface Granted {
  readonly id_token: string
  readonly access_token: string
  readonly refresh_token: string | undefined
}

/** The tokens of an answer. Throws 400 where there is no ID token among them. */
function grantedIn({ id_token, access_token, refresh_token }: oauth.TokenEndpointResponse): Granted {
  if (id_token === undefined)
    throw badRequest('The provider gave no ID token; sign in again with `svc login`.')
  return { id_token, access_token, refresh_token }
}

/** Signs in on whatever device: the person opens an address there and confirms a code (RFC 8628). */
export async function byCode({ client: us, server, scopes, nonce }: Way, io: Io): Promise<Granted> {
  const { client, options } = us
  const parameters = { scope: scopeText(scopes), nonce }
  const requested = oauth.deviceAuthorizationRequest(server, client, oauth.None(), parameters, options)
  const device = await inWords(
    us,
    requested.then(response => oauth.processDeviceAuthorizationResponse(server, client, response)),
  )
  const { device_code, user_code, verification_uri, verification_uri_complete } = device
  io.err(`Open ${safe(verification_uri)} and enter ${safe(user_code)}\n`)
  if (verification_uri_complete !== undefined) io.err(`or open ${safe(verification_uri_complete)}\n`)
  io.err('Go on only if you have begun this yourself.\n')
  const end = performance.now() + device.expires_in * 1000
  let seconds = device.interval ?? 5
  for (;;) {
    await wait(seconds * 1000)
    if (performance.now() > end) break
    // A network that was away for a moment ends nothing.
    const response = await oauth
      .deviceCodeGrantRequest(server, client, oauth.None(), device_code, options)
      .catch(() => undefined)
    if (response === undefined) continue
    try {
      return grantedIn(await oauth.processDeviceCodeResponse(server, client, response))
    } catch (error) {
      const code = error instanceof oauth.ResponseBodyError ? error.error : undefined
      if (code === 'slow_down') seconds += 5
      else if (code !== 'authorization_pending') return inWords(us, Promise.reject(error as Error))
    }
  }
  throw badRequest(`Nobody confirmed ${user_code} in time; begin again with \`svc login\`.`)
}

/** How long a person has to sign in, ms. */
const WAIT_MS = 5 * 60_000

/** Signs in by a browser on this machine, which comes back to a port of it (RFC 8252). */
export async function inBrowser({ client, server, scopes, nonce }: Way, io: Io): Promise<Granted> {
  const attempt = newAttempt(nonce)
  const listening = await listen(attempt.state)
  try {
    const us = { ...client, redirectUri: listening.redirectUri }
    const url = await authorizationUrl(server, us, scopes, attempt)
    // A refresh token is given with consent alone (OpenID Connect Core 1.0, 11).
    if (scopes.includes('offline_access')) url.searchParams.set('prompt', 'consent')
    io.err(`Sign in at ${safe(url.href)}\n`)
    if (io.errIsTty) openPage(url.href)
    const back = await Promise.race([listening.back, late()])
    return grantedIn(await inWords(us, redeemed(server, us, oauth.None(), back, attempt)))
  } finally {
    listening.server.close()
    listening.server.closeAllConnections()
  }
}

async function late(): Promise<never> {
  await wait(WAIT_MS, undefined, { ref: false })
  throw badRequest('Nobody signed in within 5 minutes; begin again with `svc login`.')
}

/** Waits on a free port for the browser that brings the answer to this state; others get 404. */
async function listen(
  state: string,
): Promise<{ server: Server; redirectUri: string; back: Promise<URLSearchParams> }> {
  const { promise: back, resolve } = Promise.withResolvers<URLSearchParams>()
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '', 'http://127.0.0.1')
    const isAnswer = url?.pathname === '/callback' && url.searchParams.get('state') === state
    response.writeHead(isAnswer ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8' })
    response.end(isAnswer ? 'Done: close this page, and go back to the command line.\n' : '')
    if (isAnswer) resolve(url.searchParams)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { server, back, redirectUri: `http://127.0.0.1:${port}/callback` }
}

/** Opens the address in the person's browser, where the machine has one. It is printed as well. */
function openPage(url: string): void {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(command!, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  // No shell, to which an ampersand would mean something else.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** What a refresh token grants. */
export async function refreshed({ issuer, client_id, refresh_token }: SavedLogin): Promise<Granted> {
  const us = clientOf(issuer, client_id)
  const { client, options } = us
  const answered = async (): Promise<oauth.TokenEndpointResponse> => {
    const server = await discovered(issuer)
    const response = await oauth.refreshTokenGrantRequest(
      server,
      client,
      oauth.None(),
      refresh_token!,
      options,
    )
    return oauth.processRefreshTokenResponse(server, client, response)
  }
  return grantedIn(await inWords(us, answered()))
}

/** Has the provider forget a refresh token (RFC 7009), where it can. */
export async function revokeRefreshToken({ issuer, client_id, refresh_token }: SavedLogin): Promise<void> {
  if (refresh_token === undefined) return
  const us = clientOf(issuer, client_id)
  const revoked = async (): Promise<void> => {
    const server = await discovered(issuer)
    if (server.revocation_endpoint === undefined) return
    const none = oauth.None()
    const response = await oauth.revocationRequest(server, us.client, none, refresh_token, us.options)
    await oauth.processRevocationResponse(response)
  }
  await inWords(us, revoked())
}
