import { ServiceError } from '../../base/errors.ts'
import { isNamedToken, tokenDigits } from '../../base/token_text.ts'
import type { KnownTokens } from '../../ledger/world/token_cache.ts'
import { freshTokens, grantOf, knownTokens, noteUse } from '../../ledger/tokens/known.ts'
import type { AccessControl, AccessContext, Identify, Mode, Required } from './context.ts'
import { ROLE_ALLOWS } from '../../models/names.ts'
import { type Caller, type Access, NOBODY, changes, commandLine, ALL_ACCESS } from './caller.ts'
import { limitCaller, limitStranger } from './limits.ts'
import { admitLoopback } from './loopback.ts'
import type { RequestLike } from '../wire/message.ts'
import { digestOf } from '../../base/bytes.ts'
import { EVERYTHING } from '../../ledger/world/scope.ts'

export type { Access } from './caller.ts'
export type { AccessControl, Mode } from './context.ts'
export type { Peer } from './loopback.ts'

interface Options {
  /** Nobody may change anything, with 503: another server takes what this one refuses. */
  readonly readOnly?: boolean
  /** Who callers are by an identity provider. */
  readonly identify?: Identify | undefined
}

/** One check for all endpoints. The tokens of the environment are read here once; later changes have no effect. */
export function accessControl(tokens: Tokens, { readOnly = false, identify }: Options = {}): AccessControl {
  const shared = sharedTokens(tokens)

  /** What can be said without asking the ledger. */
  function modeAtOnce(facts: AccessContext): Mode | undefined {
    if (shared.configured || namedOnly(facts) || identify !== undefined) return 'bearer'
    const known = freshTokens(facts)
    return known && modeOf(known)
  }

  /** Throws where the ledger does not say. */
  async function modeNow(facts: AccessContext): Promise<Mode> {
    return modeAtOnce(facts) ?? modeOf(await knownTokens(facts))
  }

  /** Undefined where there is no such credential. Throws 401 where it can be said what is wrong with it. */
  async function identified(presented: string, facts: AccessContext): Promise<Caller | undefined> {
    if (!namedOnly(facts)) {
      const caller = await shared.callerOf(presented)
      if (caller !== undefined) return caller
    }
    if (isNamedToken(presented)) return bearerOfToken(presented, facts)
    return identify?.byToken(presented, facts)
  }

  /** A token is meant where there is one: then the cookie of a session says nothing. */
  async function callerOf(
    presented: Presented | undefined,
    request: RequestLike,
    facts: AccessContext,
  ): Promise<Caller | undefined> {
    if (presented === undefined) return identify?.bySession(request, facts)
    const caller = await identified(presented.token, facts)
    if (caller === undefined || !presented.readsOnly) return caller
    return caller.allows.includes('read') ? { ...caller, allows: ['read'], grants: caller.allows } : undefined
  }

  /** One whose credential can't be taken counts as a stranger, for whatever reason that is. */
  async function callerLimited(
    presented: Presented | undefined,
    request: RequestLike,
    facts: AccessContext,
  ): Promise<Caller | undefined> {
    try {
      return await callerOf(presented, request, facts)
    } catch (error) {
      limitStranger(request, facts)
      throw error
    }
  }

  async function admit(required: Required, request: RequestLike, facts: AccessContext): Promise<Caller> {
    const { peer } = facts
    if (peer.kind === 'cli') return commandLine(peer.actor)
    const access =
      required.closable === true && namedOnly(facts) ? 'read' : (required.raised ?? required.access)
    if (access === 'open') {
      if (required.unlimited !== true) limitStranger(request, facts)
      return NOBODY
    }
    const presented = presentedBy(request)
    const caller = await callerLimited(presented, request, facts)
    if (caller === undefined) {
      limitStranger(request, facts)
      if ((await modeNow(facts)) === 'bearer') throw unauthorized(refusalOf(presented?.token, facts))
      admitLoopback(access, request, facts)
      return NOBODY
    }
    limitCaller(caller, request, facts)
    if (mayDo(access, caller.allows)) return caller
    if (presented?.readsOnly === true && mayDo(access, caller.grants ?? []))
      throw new ServiceError(403, READS_ONLY)
    throw new ServiceError(
      403,
      `${caller.session === undefined ? 'This token' : 'Your role'} may not ${PURPOSE[access]}. ` +
        `That needs ${ROLES[access]}.`,
    )
  }

  async function whoIs(request: RequestLike, facts: AccessContext): Promise<Caller | undefined> {
    if (facts.peer.kind === 'cli') return commandLine(facts.peer.actor)
    return callerOf(presentedBy(request), request, facts)
  }

  return {
    mode: async facts => modeAtOnce(facts) ?? soon(modeNow(facts), lastMode(facts)),
    whoIs,
    readerOf: async (request, facts) => {
      const caller = await whoIs(request, facts).catch(() => undefined)
      if (caller !== undefined) return caller.allows.includes('read') ? caller : undefined
      return (await modeNow(facts).catch(() => 'bearer')) === 'loopback' ? NOBODY : undefined
    },
    admit: async (required, request, facts) => {
      const caller = await admit(required, request, facts)
      if (!readOnly || !(changes(required.access) || required.access === 'ingest')) return caller
      throw new ServiceError(503, READ_ONLY, { headers: { 'Retry-After': '5' } })
    },
  }
}

function mayDo(access: Access, allows: readonly Access[]): boolean {
  return allows.includes(access) || (access === 'aggregates' && allows.includes('admin'))
}

const READS_ONLY =
  'The token is valid, but as the password of Basic it only reads; send it as `Authorization: Bearer TOKEN`.'

/** Tokens that are over keep it closed: time, or a clock that was set ahead, must not open what somebody closed. */
function modeOf({ anyLeft }: KnownTokens): Mode {
  return anyLeft ? 'bearer' : 'loopback'
}

/** Without any word of the ledger it is the mode without a token, which opens nothing to others. */
function lastMode({ memo }: AccessContext): Mode {
  return memo.tokens.known === undefined ? 'loopback' : modeOf(memo.tokens.known)
}

/** How long monitoring waits for the ledger at most, ms. */
const SOON_MS = 500

async function soon<T>(answer: Promise<T>, otherwise: T): Promise<T> {
  const late = Promise.withResolvers<T>()
  const timer = setTimeout(() => late.resolve(otherwise), SOON_MS)
  return Promise.race([answer.catch(() => otherwise), late.promise]).finally(() => clearTimeout(timer))
}

const READ_ONLY =
  'This server only reads (svc serve --read-only), so nothing was changed; use the server that writes.'

const PURPOSE = {
  read: 'read',
  ingest: 'send run events',
  write: 'change anything',
  admin: 'manage policies, prices, webhooks and tokens, or maintain the ledger',
  aggregates: 'send aggregates',
} as const

/** Who may do that, as `svc token create --role` names it. */
const ROLES = {
  read: 'the role read, write or admin',
  ingest: 'the role ingest or admin',
  write: 'the role write or admin',
  admin: 'the role admin',
  aggregates: 'a token for their source, or the role admin',
} as const

function namedOnly({ workspace: { auth } }: AccessContext): boolean {
  return auth === 'named' || auth?.mode === 'named'
}

interface Presented {
  readonly token: string
  /** Whether it opens reads alone, whatever else it is good for. */
  readonly readsOnly: boolean
}

/**
 * The Bearer token, or the password of Basic, which is in the URL of callers that send no header of their own.
 * Browsers send such a password by themselves once they know it, so it is good for reading alone.
 */
function presentedBy({ headers }: RequestLike): Presented | undefined {
  const given = headers.get('authorization') ?? ''
  const bearer = /^Bearer +(\S+) *$/i.exec(given)?.[1]
  if (bearer !== undefined) return { token: bearer, readsOnly: false }
  const basic = /^Basic +([\w+/]+=*) *$/i.exec(given)?.[1]
  const password = basic === undefined ? undefined : passwordOf(basic)
  return password === undefined ? undefined : { token: password, readsOnly: true }
}

/** What follows the colon (RFC 7617). */
function passwordOf(encoded: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(encoded), char => char.charCodeAt(0))
    return /^[^:]*:(\S+)$/.exec(new TextDecoder().decode(bytes))?.[1]
  } catch {
    return undefined
  }
}

/** Whoever has a named credential, from what was read of them lately. Its use is noted now and then. */
async function bearerOfToken(presented: string, facts: AccessContext): Promise<Caller | undefined> {
  if (tokenDigits(presented) === undefined) return undefined
  const grant = await grantOf(await knownTokens(facts), presented, facts.elapsed())
  if (grant === undefined) return undefined
  const write = noteUse(facts, 'tokens', grant.tokenId)
  if (write !== undefined) facts.afterwards(write)
  const { name, role, source, ...scope } = grant
  const { agents, environments } = scope
  const caller = { kind: 'token', name, scope: { agents, environments } } as const
  return source === null
    ? { ...caller, allows: ROLE_ALLOWS[role] }
    : { ...caller, allows: ['aggregates'], source }
}

function refusalOf(presented: string | undefined, facts: AccessContext): string {
  if (presented === undefined) return 'A Bearer token is required.'
  if (isNamedToken(presented)) {
    return tokenDigits(presented) === undefined
      ? 'The Bearer token is mistyped: its checksum is wrong.'
      : 'The Bearer token is not valid: unknown, expired or revoked.'
  }
  if (namedOnly(facts)) {
    return 'The Bearer token is not valid: this workspace accepts only named tokens (auth: named).'
  }
  return 'The Bearer token is not valid.'
}

/** Returns a 401 that names the scheme of credentials. */
export function unauthorized(detail: string): ServiceError {
  return new ServiceError(401, detail, { headers: { 'www-authenticate': 'Bearer' } })
}

/** Secrets as the operator set them; blank ones count as unset. */
export interface Tokens {
  readonly main?: string | undefined
  /** Accepted in addition to the main one while that is being rotated. */
  readonly previous?: string | undefined
  /** Good for ingest only. */
  readonly ingest?: string | undefined
  /** Good for reads only. */
  readonly read?: string | undefined
}

interface SharedTokens {
  /** Whether the main one is set; the others are nothing without it. */
  readonly configured: boolean
  callerOf(presented: string): Promise<Caller | undefined>
}

/** The tokens of the server's environment (specification, Authentication). */
function sharedTokens(tokens: Tokens): SharedTokens {
  const isSet = (token: string | undefined): token is string => token !== undefined && token.trim() !== ''
  if (!isSet(tokens.main)) return { configured: false, callerOf: async () => undefined }
  const grants: readonly [name: string, token: string | undefined, allows: readonly Access[]][] = [
    ['main', tokens.main, ALL_ACCESS],
    ['previous', tokens.previous, ALL_ACCESS],
    ['ingest', tokens.ingest, ['ingest']],
    ['read', tokens.read, ['read']],
  ]
  const known = Promise.all(
    grants
      .filter(([, token]) => isSet(token))
      .map(async ([name, token, allows]) => ({
        name,
        digest: await digestOf(new TextEncoder().encode(token!.trim())),
        allows,
      })),
  )
  return {
    configured: true,
    callerOf: async presented => {
      const digest = await digestOf(new TextEncoder().encode(presented))
      const matches = (await known).filter(token => equalDigests(token.digest, digest))
      if (matches.length === 0) return undefined
      // One secret may be set in several variables.
      const allows = [...new Set(matches.flatMap(match => match.allows))]
      return { kind: 'shared', name: matches[0]!.name, allows, scope: EVERYTHING }
    },
  }
}

/** Takes the same time wherever the digests differ. */
function equalDigests(a: Uint8Array, b: Uint8Array): boolean {
  let difference = 0
  for (const [index, byte] of a.entries()) difference |= byte ^ b[index]!
  return difference === 0
}
