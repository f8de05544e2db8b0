import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import * as oauth from 'oauth4webapi'
import { ServiceError, badRequest } from '../../base/errors.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import {
  type Profile,
  type SavedLogin,
  readProfile,
  saveProfile,
  withLock,
} from '../../cli/service/profiles.ts'
import { checkedUrl, remoteApi } from '../../cli/service/remote.ts'
import { type Io, stderrLog } from '../../cli/terminal/io.ts'
import { safe } from '../../cli/terminal/text.ts'
import { readEnvironment } from '../../runtime/environment.ts'
import type { OpenedSession, WhoAmI } from './models.ts'
import {
  type Client,
  authorizationUrl,
  clientOf,
  discovered,
  inWords,
  isScopeRefused,
  newAttempt,
  redeemed,
  scopeText,
} from './oidc_client.ts'
import { nonceFor } from './rules_credential.ts'

type WayIn = WhoAmI['sign_in'][number]

/** Signs in to a service and keeps the session in a profile. */
export async function login({ options, io }: Invocation): Promise<number> {
  const name = profileOf(options.text('profile'), io)
  const url = await urlOf(name, options.text('url'), io)
  const api = apiOf({ url, token: undefined }, io)
  const { sign_in, public_url } = await callJson(api, 'GET /v1/session')
  const way = chosen(sign_in, options.text('with'), url)
  if (public_url !== null && checkedUrl(public_url) !== url) {
    throw badRequest(
      `${url} says that its address is ${public_url}, and a sign-in is valid for one address: give --url ${public_url}`,
    )
  }
  const nonce_secret = randomBytes(32).toString('base64url')
  const nonce = await nonceFor(url, nonce_secret)
  const client = clientOf(way.issuer, way.cli_client_id!)
  const server = await inWords(client, discovered(client.issuer))
  const takesCodes = server.device_authorization_endpoint !== undefined
  const flow = options.flag('browser') === true || !takesCodes ? inBrowser : byCode
  const offline = server.scopes_supported?.includes('offline_access') === true ? ['offline_access'] : []
  const wanted = { client, server, nonce, scopes: [...way.scopes, ...offline] }
  const granted = await flow(wanted, io).catch((error: Error) => {
    if (!isScopeRefused(error)) throw error
    // Some list offline_access for every client, and refuse it to this one or to this person.
    io.err(`svc: ${safe(way.issuer)} refuses a scope. Sign in again, without offline_access.\n`)
    return flow({ ...wanted, scopes: way.scopes }, io)
  })
  const { issuer, cli_client_id } = way
  const kept = { issuer, client_id: cli_client_id!, nonce_secret, refresh_token: granted.refresh_token }
  const session = await exchange(api, granted, nonce_secret)
  await saveProfile(name, { url, token: session.token, login: kept }, io)
  io.out(`signed in as ${safe(session.name)} (${session.role})\n`)
  io.err(`svc: use it with --profile ${name} or SERVICE_PROFILE=${name}; it ends ${session.expires_at}\n`)
  return 0
}

/** Ends the session of a profile; the profile keeps its URL. */
export async function logout({ options, io }: Invocation): Promise<number> {
  const name = profileOf(options.text('profile'), io)
  const profile = await readProfile(name, io)
  if (profile.login === undefined) throw badRequest(`Nobody is signed in by the profile ${name}.`)
  const problems = await Promise.all([
    problemOf(callJson(apiOf(profile, io), 'DELETE /v1/session')),
    problemOf(revokeRefreshToken(profile.login)),
  ])
  // Whatever became of that, nothing is left here to be used.
  await saveProfile(name, { url: profile.url, token: undefined }, io)
  for (const problem of problems.filter(text => text !== undefined))
    io.err(`svc: warning: ${safe(problem)}\n`)
  io.out(`signed out of ${safe(profile.url)}\n`)
  return problems[0] === undefined ? 0 : 1
}

/** Another token for a profile, by its refresh token; undefined where a person has to sign in. */
export function renew(name: string, refused: string | undefined, io: Io): Promise<string | undefined> {
  // Providers take a refresh token that is used twice for a stolen one.
  return withLock(name, io, () => renewAlone(name, refused, io))
}

async function renewAlone(name: string, refused: string | undefined, io: Io): Promise<string | undefined> {
  const profile = await readProfile(name, io)
  const { login: kept, token: known } = profile
  if (known !== refused) return known
  if (kept?.refresh_token === undefined) return undefined
  try {
    const granted = await refreshed(kept)
    // The one before may be of no use any more, whatever comes of the rest.
    const next = { ...kept, refresh_token: granted.refresh_token ?? kept.refresh_token }
    await saveProfile(name, { ...profile, login: next }, io)
    const { token } = await exchange(apiOf({ ...profile, token: undefined }, io), granted, kept.nonce_secret)
    await saveProfile(name, { ...profile, token, login: next }, io)
    return token
  } catch (error) {
    io.err(`svc: the session of ${name} was not renewed: ${safe((error as Error).message)}\n`)
    return undefined
  }
}

function exchange(
  api: Api,
  { id_token, access_token }: { readonly id_token: string; readonly access_token: string },
  nonce_secret: string,
): Promise<OpenedSession> {
  return callJson(api, 'POST /v1/sessions', { body: { id_token, access_token, nonce_secret } })
}

function profileOf(given: string | undefined, { env }: Io): string {
  const name = given ?? readEnvironment(env).serviceProfile
  if (name !== undefined) return name
  throw badRequest(
    'The session is stored in a profile: name it with --profile NAME, and --url URL if it is new.',
  )
}

async function urlOf(name: string, given: string | undefined, io: Io): Promise<string> {
  if (given !== undefined) return checkedUrl(given)
  return checkedUrl((await readProfile(name, io)).url)
}

function apiOf({ url, token }: Pick<Profile, 'url' | 'token'>, io: Io): Api {
  return remoteApi(url, token, readEnvironment(io.env).actor, quiet(io))
}

/** Which service is meant, the person has just said. */
function quiet(io: Io): ReturnType<typeof stderrLog> {
  const log = stderrLog(io)
  return (level, message, fields) =>
    message.startsWith('sending to') ? undefined : log(level, message, fields)
}

/** The way to sign in. Throws 400 where there is none, or nobody has said which. */
function chosen(ways: readonly WayIn[], wanted: string | undefined, url: string): WayIn {
  const usable = ways.filter(({ cli_client_id }) => cli_client_id !== null)
  const names = usable.map(({ name }) => name).join(', ')
  if (usable.length === 0) {
    throw badRequest(
      ways.length === 0
        ? `Nobody can sign in at ${url}: its service.yaml has no auth.oidc[].login.`
        : `svc login is not set up at ${url}: its service.yaml needs auth.oidc[].login.cli_client_id, a public client.`,
    )
  }
  const found = wanted === undefined ? usable : usable.filter(({ name }) => name === wanted)
  if (found.length === 0)
    throw badRequest(`${url} has no way to sign in called ${wanted}; there are ${names}.`)
  if (found.length > 1)
    throw badRequest(`${url} has several ways to sign in: name one with --with, ${names}.`)
  return found[0]!
}

async function problemOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (error instanceof ServiceError && error.status === 401) return undefined
    return (error as Error).message
  }
}

/** A provider that a person signs in with, and our client there. */
interface Way {
  readonly client: Client
  readonly server: oauth.AuthorizationServer
  readonly scopes: readonly string[]
  readonly nonce: string
}

/** What a provider grants to a person at a command line. */
interface Granted {
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
async function byCode({ client: us, server, scopes, nonce }: Way, io: Io): Promise<Granted> {
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
  io.err('Continue only if you started this yourself.\n')
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
async function inBrowser({ client, server, scopes, nonce }: Way, io: Io): Promise<Granted> {
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

async function refreshed({ issuer, client_id, refresh_token }: SavedLogin): Promise<Granted> {
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
async function revokeRefreshToken({ issuer, client_id, refresh_token }: SavedLogin): Promise<void> {
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
