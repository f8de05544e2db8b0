import { ServiceError } from '../../base/errors.ts'
import { equalTexts } from '../../base/bytes.ts'
import type { Caller } from '../../http/access/caller.ts'
import type { AccessContext } from '../../http/access/context.ts'
import { hostOf, isOwnOrigin } from '../../http/access/loopback.ts'
import type { RequestLike } from '../../http/wire/message.ts'
import { ROLE_ALLOWS } from '../../models/names.ts'
import { requireClock } from '../../ledger/trail/clock.ts'
import { knownTokens, noteUse } from '../../ledger/tokens/known.ts'
import {
  claimedIssuer,
  isJwt,
  issuersOf,
  rolesHash,
  unauthorized,
  verifiedClaims,
  vouchedFor,
} from './oidc_tokens.ts'
import type { SessionKind } from './models.ts'
import { isSessionText } from './rules_credential.ts'
import { cookieName, cookieValues } from './rules_cookies.ts'
import { csrfOf, nowBy, seenSession, signedSession } from './known.ts'
import { type Person, overBecause, sessionHash } from './rows.ts'

/** The caller of a Bearer token: a JSON Web Token of an issuer, or the session of `svc login`. */
export async function byToken(token: string, facts: AccessContext): Promise<Caller | undefined> {
  if (isSessionText(token)) return callerOf(token, 'cli', facts)
  if (!isJwt(token)) return undefined
  const iss = claimedIssuer(token)
  let refusal: unknown
  // One issuer may be trusted for several audiences.
  for (const issuer of issuersOf(facts.workspace)) {
    if (issuer.issuer !== iss || issuer.audience === undefined) continue
    try {
      const claims = await verifiedClaims(token, issuer, { audience: issuer.audience }, facts)
      const vouched = await vouchedFor(issuer, claims)
      if ('problem' in vouched) {
        throw vouched.status === 401 ? unauthorized(vouched.problem) : new ServiceError(403, vouched.problem)
      }
      // It has an end.
      requireClock((await knownTokens(facts)).clock)
      return toCaller(vouched.person)
    } catch (error) {
      refusal ??= error
    }
  }
  if (refusal !== undefined) throw refusal
  return undefined
}

function toCaller({ issuer, subject, name, role, agents, environments }: Person): Caller {
  return {
    kind: 'oidc',
    name,
    allows: ROLE_ALLOWS[role],
    scope: { agents, environments },
    identity: { issuer, subject },
  }
}

/** What says which session is meant, in a browser. */
export const SESSION_COOKIE = 'session'
export const CSRF_COOKIE = 'csrf'
/** The header in which the web UI repeats what the cookie of that name holds. */
export const CSRF_HEADER = 'x-service-csrf'

/** The caller of a request that brings the cookie of a session. What changes something has to come from the web UI. */
export async function bySession(request: RequestLike, facts: AccessContext): Promise<Caller | undefined> {
  const credential = sessionCookie(request, facts)
  if (credential === undefined) return undefined
  if (request.method !== 'GET' && request.method !== 'HEAD') await requireOwnPage(request, credential, facts)
  return callerOf(credential, 'browser', facts)
}

/** The session that a browser sends. Throws 401 for two: somebody else may have put one of them there. */
export function sessionCookie(
  { headers }: RequestLike,
  { workspace }: Pick<AccessContext, 'workspace'>,
): string | undefined {
  const name = cookieName(SESSION_COOKIE, isSecure(workspace))
  const [credential, another] = cookieValues(headers.get('cookie'), name)
  if (another !== undefined) throw signInAgain('Two sessions came with one request')
  return credential
}

/** Whether people reach the service by HTTPS. */
export function isSecure({ public_url }: AccessContext['workspace']): boolean {
  return public_url?.startsWith('https:') === true
}

/**
 * A page of another origin can have a browser send its cookies, but it can read neither them nor our answers: so it doesn't
 * know the token that belongs to the session. Throws 403 without it.
 */
async function requireOwnPage(request: RequestLike, credential: string, facts: AccessContext): Promise<void> {
  const wanted = await csrfOf(facts, credential)
  if (wanted === undefined) throw signInAgain(UNKNOWN)
  // A proxy may have changed the Host.
  const hosts = [hostOf(request), URL.parse(facts.workspace.public_url ?? '')?.host ?? '']
  const isOurs = hosts.some(host => isOwnOrigin(request, host))
  if (isOurs && equalTexts(request.headers.get(CSRF_HEADER) ?? '', wanted)) return
  throw new ServiceError(
    403,
    `This request does not come from the web UI: it lacks the ${CSRF_HEADER} of the session. Reload the page.`,
  )
}

async function callerOf(
  credential: string,
  kind: SessionKind,
  facts: AccessContext,
): Promise<Caller | undefined> {
  const id = await signedSession(facts, kind, credential)
  const seen = id === undefined ? undefined : await seenSession(facts, id)
  if (seen?.session === undefined) throw signInAgain(UNKNOWN)
  const { session, clock } = seen
  if (session.hash !== (await sessionHash(credential, session))) throw signInAgain(UNKNOWN)
  requireClock(clock)
  const because = overBecause(session, nowBy(seen, facts.elapsed()))
  if (because !== undefined) throw signInAgain(`The session has ended: ${ENDED[because]}`)
  const hashes = issuersOf(facts.workspace)
    .filter(({ issuer, login }) => issuer === session.issuer && login != null)
    .map(rolesHash)
  if (!(await Promise.all(hashes)).includes(session.roles_hash)) {
    throw signInAgain('service.yaml changed the roles of people since')
  }
  const write = noteUse(facts, 'sessions', session.session_id)
  if (write !== undefined) facts.afterwards(write)
  return { ...toCaller(session), session: session.session_id }
}

const UNKNOWN = 'This session is unknown here'

const ENDED = {
  signed_out: 'you signed out',
  revoked: 'it was revoked',
  replaced: 'you signed in again',
  idle: 'it was not used for a while',
  expired: 'its time has ended',
} as const

function signInAgain(why: string): ServiceError {
  return new ServiceError(401, `${why}; sign in again.`, { headers: { 'www-authenticate': 'Bearer' } })
}
