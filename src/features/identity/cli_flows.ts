import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import * as oauth from 'oauth4webapi'
import { badRequest } from '../../base/errors.ts'
import type { Io } from '../../cli/terminal/io.ts'
import { safe } from '../../cli/terminal/text.ts'
import { type Client, type Granted, grantedIn, inWords, scopeText } from './cli_provider.ts'

interface Wanted {
  readonly scopes: readonly string[]
  /** Whether to ask for a refresh token. */
  readonly staysIn: boolean
  readonly nonce: string
}

/** Signs in on whatever device: the person opens an address there and confirms a code (RFC 8628). */
export async function byCode(client: Client, { nonce, ...wanted }: Wanted, io: Io): Promise<Granted> {
  const { issuer, client: own, options, server } = client
  const as = await server()
  const parameters = { scope: scopeText(as, wanted), nonce }
  const requested = oauth.deviceAuthorizationRequest(as, own, oauth.None(), parameters, options)
  const device = await inWords(
    issuer,
    requested.then(response => oauth.processDeviceAuthorizationResponse(as, own, response)),
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
      .deviceCodeGrantRequest(as, own, oauth.None(), device_code, options)
      .catch(() => undefined)
    if (response === undefined) continue
    try {
      return grantedIn(await oauth.processDeviceCodeResponse(as, own, response))
    } catch (error) {
      const code = error instanceof oauth.ResponseBodyError ? error.error : undefined
      if (code === 'slow_down') seconds += 5
      else if (code !== 'authorization_pending') return inWords(issuer, Promise.reject(error as Error))
    }
  }
  throw badRequest(`Nobody confirmed ${user_code} in time; begin again with \`svc login\`.`)
}

/** How long a person has to sign in, ms. */
const WAIT_MS = 5 * 60_000

/** Signs in by a browser on this machine, which comes back to a port of it (RFC 8252). */
export async function inBrowser(client: Client, { nonce, ...wanted }: Wanted, io: Io): Promise<Granted> {
  const { issuer, client: own, options, server } = client
  const as = await server()
  if (as.authorization_endpoint === undefined) throw badRequest(`${issuer} has no page to sign in.`)
  const state = oauth.generateRandomState()
  const verifier = oauth.generateRandomCodeVerifier()
  const listening = await listen(state)
  try {
    const url = new URL(as.authorization_endpoint)
    const scope = scopeText(as, wanted)
    const parameters = {
      client_id: own.client_id,
      redirect_uri: listening.redirectUri,
      response_type: 'code',
      scope,
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      // A refresh token is given with consent alone (OpenID Connect Core 1.0, 11).
      ...(scope.includes('offline_access') ? { prompt: 'consent' } : {}),
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    io.err(`Sign in at ${safe(url.href)}\n`)
    if (io.errIsTty) openPage(url.href)
    const back = await Promise.race([listening.back, late()])
    const granted = (async () => {
      const checked = oauth.validateAuthResponse(as, own, back, state)
      const response = await oauth.authorizationCodeGrantRequest(
        as,
        own,
        oauth.None(),
        checked,
        listening.redirectUri,
        verifier,
        options,
      )
      const expected = { expectedNonce: nonce, requireIdToken: true }
      return oauth.processAuthorizationCodeResponse(as, own, response, expected)
    })()
    return grantedIn(await inWords(issuer, granted))
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
