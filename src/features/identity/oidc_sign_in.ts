import { ServiceError, badRequest } from '../../base/errors.ts'
import { withoutSlashes } from '../../base/text.ts'
import { durationMs } from '../../base/time.ts'
import { addressOf, isLocal } from '../../http/access/loopback.ts'
import type { Called } from '../../http/access/context.ts'
import type { RequestLike } from '../../http/wire/message.ts'
import { readClock, requireClock } from '../../ledger/trail/clock.ts'
import { unabandoned } from '../../sql/deadline.ts'
import { countSignIn } from '../../ledger/world/tally.ts'
import { CSRF_COOKIE, SESSION_COOKIE, isSecure } from './oidc_callers.ts'
import { type Attempt, newAttempt } from './oidc_client.ts'
import {
  type Provider,
  allClaims,
  cliClientOf,
  granted,
  providersOf,
  signInUrl,
  signOutUrl,
} from './oidc_provider.ts'
import { signingKey } from './known.ts'
import { claimedIssuer, verifiedClaims, vouchedFor } from './oidc_tokens.ts'
import type { SessionKind } from './models.ts'
import { csrfToken, nonceFor, sealed, unsealed } from './rules_credential.ts'
import { type Cookie, cookieName, cookieValues, cookiesIn, setCookie } from './rules_cookies.ts'
import {
  type From,
  type Opened,
  endSession,
  openSession,
  noteRefusal,
  revokedAt,
  wasProof,
} from './sessions.ts'

/** The headers of a request. */
type Headers = RequestLike['headers']

/** Where a browser goes next, and what it keeps. */
export interface Onward {
  readonly location: string
  readonly cookies: readonly string[]
}

/** How long a person has to sign in, ms; and how many attempts, one a tab, a browser keeps. */
const ATTEMPT_MS = 10 * 60_000
const MOST_ATTEMPTS = 5

/** What the browser keeps of an attempt, sealed. */
interface StoredAttempt extends Attempt {
  readonly provider: string
  /** The query of the page to come back to. */
  readonly to: string
  /** By the database's clock, epoch ms. */
  readonly at: number
}

/** Sends a browser to a provider. Each tab has an attempt of its own. */
export async function beginSignIn(
  context: Called,
  provider: Provider,
  { to, headers }: { readonly to: string; readonly headers: Headers },
): Promise<Onward> {
  requireHttps(context, provider, headers)
  const attempt = newAttempt()
  const location = await signInUrl(provider, attempt, context)
  const clock = await readClock(context)
  requireClock(clock)
  const kept: StoredAttempt = { ...attempt, provider: provider.name, to: pageQuery(to), at: clock.now }
  const value = await sealed(await signingKey(context), kept)
  const secure = isSecure(context.workspace)
  const older = cookiesIn(headers.get('cookie')).filter(([name]) =>
    name.startsWith(cookieName(ATTEMPT, secure)),
  )
  const dropped =
    older.length < MOST_ATTEMPTS ? [] : older.map(([name]) => name.slice(cookieName('', secure).length))
  return {
    location,
    cookies: cookiesOf(context, [
      ...dropped.map(name => removed(name)),
      { name: attemptCookie(attempt.state), value, maxAgeS: ATTEMPT_MS / 1000, isLax: true },
    ]),
  }
}

const ATTEMPT = 'sign-in-'

function attemptCookie(state: string): string {
  return ATTEMPT + state.slice(0, 12).replaceAll(/[^\w-]/g, '')
}

/** Pages differ by their query alone, so nothing else leads anywhere: no other path, and no other site. */
function pageQuery(to: string): string {
  return /^\?[!-~]{0,1000}$/.test(to) ? to : ''
}

/** Takes the answer of a provider, which a browser brings back, and opens a session. */
export async function finishSignIn(
  context: Called,
  provider: Provider,
  { parameters, headers }: { readonly parameters: URLSearchParams; readonly headers: Headers },
): Promise<Onward> {
  return counted(context, async () => {
    requireHttps(context, provider, headers)
    const kept = await keptAttempt(context, provider, { state: parameters.get('state') ?? '', headers })
    const { id_token = '', access_token } = await granted(provider, kept, parameters, context)
    const of = { audience: provider.login.client_id, what: 'ID' } as const
    const claims = await verifiedClaims(id_token, provider.issuer, of, context).catch(asAnswer)
    const { session, credential } = await admit(context, provider, {
      kind: 'browser',
      claims: await allClaims(provider, claims, access_token, context),
      proof: kept.nonce,
      replaces: await sessionBefore(context, headers),
      headers,
    })
    const maxAgeS = Math.ceil((session.expires_at - session.created_at) / 1000)
    const key = await signingKey(context)
    const csrf = await csrfToken(key, credential)
    return {
      location: `${provider.base}/${kept.to}`,
      cookies: cookiesOf(context, [
        { name: SESSION_COOKIE, value: credential, maxAgeS },
        { name: CSRF_COOKIE, value: csrf, maxAgeS, isReadable: true },
        { name: ID_COOKIE, value: await sealed(key, { id: session.session_id }), maxAgeS, isLax: true },
        hintCookie(context, id_token, maxAgeS),
        removed(attemptCookie(kept.state)),
      ]),
    }
  })
}

/** What the provider gave is no credential of the browser. */
function asAnswer(error: unknown): never {
  if (error instanceof ServiceError && error.status === 401)
    throw badRequest(`${error.message} Sign in again.`)
  throw error
}

/** What this browser keeps of an attempt. Throws 400 where it keeps nothing that we made for this provider lately. */
async function keptAttempt(
  context: Called,
  provider: Provider,
  { state, headers }: { readonly state: string; readonly headers: Headers },
): Promise<StoredAttempt> {
  const name = cookieName(attemptCookie(state), isSecure(context.workspace))
  const values = cookieValues(headers.get('cookie'), name)
  const kept = values.length === 1 ? await unsealed(await signingKey(context), values[0]!) : undefined
  if (kept === undefined) {
    throw badRequest(
      'This browser did not begin this sign-in, or it took longer than 10 minutes, or it blocks cookies. Sign in again.',
    )
  }
  const clock = await readClock(context)
  requireClock(clock)
  const attempt = kept as StoredAttempt
  if (attempt.provider !== provider.name) {
    throw badRequest(`This sign-in was begun with another provider than ${provider.name}. Sign in again.`)
  }
  if (clock.now - attempt.at > ATTEMPT_MS)
    throw badRequest('Signing in took longer than 10 minutes. Sign in again.')
  return attempt
}

interface Admitted {
  readonly kind: SessionKind
  readonly claims: Readonly<Record<string, unknown>>
  readonly proof: string
  readonly replaces?: string | undefined
  readonly headers: Headers
}

/** Opens a session for whom the claims name. Throws 403, on record, where nothing is open to that one. */
async function admit(context: Called, provider: Provider, given: Admitted): Promise<Opened> {
  const { kind, claims, proof, replaces, headers } = given
  // Providers took their time: what is written has a time of its own.
  const ledger = unabandoned(context)
  const from = cameFrom(context, headers)
  const vouched = await vouchedFor(provider.issuer, claims)
  if ('problem' in vouched) {
    const identity = { issuer: provider.issuer.issuer, subject: String(claims.sub) }
    const isNameless = vouched.status === 401
    const because = isNameless ? `The provider names nobody: ${vouched.problem}.` : vouched.problem
    await noteRefusal(ledger, identity, { because, kind, ...from })
    throw new ServiceError(
      403,
      `${because} Ask the operator of ${isNameless ? 'it' : 'this service for a role'}.`,
    )
  }
  const { session_idle = '2h', session_lasts = '12h' } = provider.login
  return openSession(ledger, {
    kind,
    person: vouched.person,
    proof,
    replaces,
    idle_ms: durationMs(session_idle)!,
    lasts_ms: durationMs(session_lasts)!,
    from,
  })
}

/** The address of the client, of an IPv6 one its network; nothing unless the workspace says that it is kept. */
function cameFrom({ peer, workspace }: Called, headers: Headers): From {
  if (workspace.audit?.addresses !== true) return {}
  const { client_header } = workspace.limits ?? {}
  const request = { headers } as RequestLike
  const isHere = peer.kind === 'socket' && isLocal(request, peer, client_header)
  return { address: isHere ? peer.address! : addressOf(request, peer, client_header) }
}

/** What `svc login` brings. */
export interface Exchange {
  readonly id_token: string
  readonly access_token?: string | undefined
  /** What the nonce of the token was made of. */
  readonly nonce_secret?: string | undefined
}

/** How old an ID token may be that opens a session, s. */
const MOST_AGE_S = 600

/** Opens a session of `svc` for an ID token of its client. */
export async function exchangeIdToken(
  context: Called,
  { id_token, access_token, nonce_secret }: Exchange,
  headers: Headers,
): Promise<Opened> {
  return counted(context, async () => {
    const iss = claimedIssuer(id_token)
    const provider = providersOf(context.workspace).find(({ issuer }) => issuer.issuer === iss)
    const client = provider === undefined ? null : cliClientOf(provider)
    if (provider === undefined || client === null) {
      throw new ServiceError(401, 'This ID token comes from no provider that svc login is set up for here.')
    }
    const claims = await verifiedClaims(id_token, provider.issuer, { audience: client, what: 'ID' }, context)
    const { iat, nonce } = claims
    if (iat === undefined || Math.abs(context.now() / 1000 - iat) > MOST_AGE_S) throw notOurs('it is not new')
    await requireMeantForUs(provider, { nonce, nonce_secret })
    // A refresh token gets one with the nonce of before, or with none.
    const isNew = typeof nonce === 'string' && !(await wasProof(context.sql, nonce))
    if (!isNew) await requireSinceRevoked(context, provider, claims)
    return admit(context, provider, {
      kind: 'cli',
      claims: await allClaims(provider, claims, access_token, context),
      proof: isNew ? nonce : id_token,
      headers,
    })
  })
}

/**
 * `svc` makes the nonce of its secret and the address that it talks to, so that a token which another service was given can't
 * be brought here. A token of the device flow has no nonce.
 */
async function requireMeantForUs(
  { base }: Provider,
  { nonce, nonce_secret = '' }: { readonly nonce: unknown; readonly nonce_secret: string | undefined },
): Promise<void> {
  if (nonce === undefined) return
  if (nonce !== (await nonceFor(base, nonce_secret))) throw notOurs('its nonce was made for another service')
}

/**
 * Who revokes a session also means what could get another one without the person: a refresh token. So what doesn't show that
 * the person has just signed in, by a nonce of its own, has to be from a sign-in after that.
 */
async function requireSinceRevoked(
  { sql }: Called,
  { issuer }: Provider,
  { sub, auth_time }: Readonly<Record<string, unknown>>,
): Promise<void> {
  const revoked = await revokedAt(sql, { issuer: issuer.issuer, subject: String(sub) })
  if (revoked === 0 || (typeof auth_time === 'number' && auth_time * 1000 > revoked)) return
  throw new ServiceError(401, 'A session of yours was revoked: sign in again with `svc login --browser`.')
}

function notOurs(why: string): ServiceError {
  return new ServiceError(401, `This ID token opens no session: ${why}.`)
}

/** Ends the session of a browser or of `svc`; returns where a browser signs out at the provider, and drops its cookies. */
export async function signOut(
  context: Called,
  headers: Headers,
): Promise<{
  readonly ended: number
  readonly provider_url: string | null
  readonly cookies: readonly string[]
}> {
  const { caller } = context
  const actor = { name: caller.name, source: 'oidc' } as const
  const ended =
    caller.session === undefined
      ? 0
      : await endSession(context, caller.session, { because: 'signed_out', actor })
  const provider = providersOf(context.workspace).find(
    ({ issuer }) => issuer.issuer === caller.identity?.issuer,
  )
  const gone = hintCookie(context, '', 0)
  const name = cookieName(HINT, isSecure(context.workspace), gone.path)
  const [hint] = cookieValues(headers.get('cookie'), name)
  const isBrowser = headers.get('authorization') === null
  return {
    ended,
    provider_url:
      provider === undefined || ended === 0 || !isBrowser ? null : await signOutUrl(provider, hint, context),
    cookies: isBrowser
      ? cookiesOf(context, [
          removed(SESSION_COOKIE),
          removed(ID_COOKIE),
          { ...removed(CSRF_COOKIE), isReadable: true },
          gone,
        ])
      : [],
  }
}

/** The ID token, which a provider asks for when somebody signs out. It comes with the one request that needs it. */
const HINT = 'id-token'
/** Browsers keep no more than 4096 bytes. */
const MOST_HINT_CHARS = 3800

function hintCookie({ workspace }: Called, idToken: string, maxAgeS: number): Cookie {
  const path = `${withoutSlashes(URL.parse(workspace.public_url ?? '')?.pathname ?? '')}/v1/session`
  const value = idToken.length > MOST_HINT_CHARS ? '' : idToken
  return { name: HINT, value, maxAgeS: value === '' ? 0 : maxAgeS, path }
}

function removed(name: string): Cookie {
  return { name, value: '', maxAgeS: 0 }
}

function cookiesOf({ workspace }: Called, cookies: readonly Cookie[]): string[] {
  return cookies.map(cookie => setCookie({ ...cookie, isSecure: isSecure(workspace) }))
}

/** Which session a browser has, sealed: the way back from a provider comes without the session's own cookie. */
const ID_COOKIE = 'session-id'

/** The id of the session that a browser has already. */
async function sessionBefore(context: Called, headers: Headers): Promise<string | undefined> {
  const name = cookieName(ID_COOKIE, isSecure(context.workspace))
  const [value = ''] = cookieValues(headers.get('cookie'), name)
  const { id } = ((await unsealed(await signingKey(context), value)) ?? {}) as { id?: string }
  return id
}

/** Cookies of HTTPS don't come over HTTP. Throws 400 where it is known that the browser asks so. */
function requireHttps({ workspace }: Called, { base }: Provider, headers: Headers): void {
  const scheme = headers.get('x-forwarded-proto')?.split(',').at(-1)?.trim().toLowerCase()
  if (scheme !== 'http' || !isSecure(workspace)) return
  throw badRequest(`People sign in over HTTPS only: open ${base}/ instead.`)
}

/** Counts how sign-ins come out: what proves nobody is in no log. */
async function counted<T>({ tally }: Called, work: () => Promise<T>): Promise<T> {
  try {
    const opened = await work()
    countSignIn(tally, 'opened')
    return opened
  } catch (error) {
    const status = error instanceof ServiceError ? error.status : 500
    countSignIn(tally, status === 403 ? 'refused' : 'failed')
    throw error
  }
}
