import { ServiceError } from '../base/errors.ts'
import type { RequestLike } from './message.ts'

/** Who may call an endpoint (specification, Authentication). */
export type Access = 'open' | 'read' | 'ingest' | 'write'

/** Secrets as the operator set them; blank ones count as unset. */
export interface Tokens {
  readonly main?: string | undefined
  /** Accepted beside the main one while it is being rotated. */
  readonly previous?: string | undefined
  /** Good for ingest only. */
  readonly ingest?: string | undefined
  /** Good for reads only. */
  readonly read?: string | undefined
}

/** The other end: this machine's command line, which is trusted, or a socket's remote address. */
export type Peer =
  | { readonly kind: 'cli'; readonly actor: string }
  | { readonly kind: 'socket'; readonly address: string | undefined }
  /** A runtime that tells no socket address (Workers): never loopback. */
  | { readonly kind: 'unknown' }

export interface AccessControl {
  readonly mode: 'loopback' | 'bearer'
  /** Throws 401 or 403 where the caller may not. */
  admit(access: Access, request: RequestLike, peer: Peer): Promise<void>
}

/**
 * One check for all endpoints. Tokens are read here once; later changes have no effect. With `readOnly` nobody may
 * change anything, with 503: another server takes what this one refuses.
 */
export function accessControl(tokens: Tokens, { readOnly = false } = {}): AccessControl {
  const control = tokenControl(tokens)
  if (!readOnly) return control
  return {
    mode: control.mode,
    admit: async (access, request, peer) => {
      await control.admit(access, request, peer)
      if (access === 'open' || access === 'read') return
      throw new ServiceError(503, READ_ONLY, { headers: { 'Retry-After': '5' } })
    },
  }
}

const READ_ONLY =
  'This server only reads (svc serve --read-only), so nothing was changed; send it to the server that writes.'

function tokenControl(tokens: Tokens): AccessControl {
  const isSet = (token: string | undefined): token is string => token !== undefined && token.trim() !== ''
  if (!isSet(tokens.main)) {
    return {
      mode: 'loopback',
      admit: async (access, request, peer) => admitLoopback(access, request, peer),
    }
  }
  const grants = [
    [tokens.main, ['read', 'ingest', 'write']],
    [tokens.previous, ['read', 'ingest', 'write']],
    [tokens.ingest, ['ingest']],
    [tokens.read, ['read']],
  ] as const
  const known = Promise.all(
    grants
      .filter(([token]) => isSet(token))
      .map(async ([token, allows]) => ({ digest: await digestOf(token!.trim()), allows })),
  )
  return {
    mode: 'bearer',
    admit: async (access, request, peer) => {
      if (access === 'open' || peer.kind === 'cli') return
      const presented = presentedToken(access, request)
      if (presented === undefined) throw unauthorized('A Bearer token is required.')
      const digest = await digestOf(presented)
      const matches = (await known).filter(token => equalDigests(token.digest, digest))
      if (matches.length === 0) throw unauthorized('The Bearer token is not valid.')
      if (matches.some(({ allows }) => (allows as readonly Access[]).includes(access))) return
      throw new ServiceError(403, `This token is not good for ${PURPOSE[access]}.`)
    },
  }
}

/**
 * The Bearer token, or for reading the password of Basic, which stands in the URL of callers that send no header of
 * their own. Browsers send a Basic password by themselves once they know it, so it is good for nothing else.
 */
function presentedToken(access: Access, { headers }: RequestLike): string | undefined {
  const given = headers.get('authorization') ?? ''
  const bearer = /^Bearer +(\S+) *$/i.exec(given)?.[1]
  if (bearer !== undefined || access !== 'read') return bearer
  const basic = /^Basic +([\w+/]+=*) *$/i.exec(given)?.[1]
  return basic === undefined ? undefined : passwordOf(basic)
}

/** What stands behind the colon (RFC 7617). */
function passwordOf(encoded: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(encoded), char => char.charCodeAt(0))
    return /^[^:]*:(\S+)$/.exec(new TextDecoder().decode(bytes))?.[1]
  } catch {
    return undefined
  }
}

const PURPOSE = { read: 'reading', ingest: 'sending run events', write: 'changing anything' } as const

function unauthorized(detail: string): ServiceError {
  return new ServiceError(401, detail, { headers: { 'www-authenticate': 'Bearer' } })
}

/**
 * Without a token, changes are for this machine only: a loopback socket, no proxy that speaks for another
 * client, a loopback Host, and no page of another origin. Headers can only deny, never admit.
 */
function admitLoopback(access: Access, request: RequestLike, peer: Peer): void {
  if (access === 'open' || access === 'read' || peer.kind === 'cli') return
  const host = request.headers.get('host') ?? new URL(request.url).host
  const problem =
    peer.kind !== 'socket' || !isLoopback(peer.address ?? '')
      ? 'is allowed from this machine only'
      : !forwardedClients(request).every(isLoopback)
        ? 'is not allowed through a proxy'
        : !isLoopback(hostName(host))
          ? `is not allowed with the host name ${hostName(host)}`
          : !isOwnOrigin(request, host)
            ? 'is not allowed from a page of another origin'
            : undefined
  if (problem === undefined) return
  throw new ServiceError(
    403,
    `No token is configured, so ${PURPOSE[access]} ${problem}; set SERVICE_LOCAL_API_TOKEN on the server.`,
  )
}

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1', 'localhost'])

function isLoopback(address: string): boolean {
  return LOOPBACK.has(address.toLowerCase())
}

/** Where proxies say for whom they ask, or under which name they were asked. */
const CLIENT_HEADERS = [
  'x-forwarded-for',
  'x-original-forwarded-for',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
  'fly-client-ip',
  'x-forwarded-host',
]

/** The clients that forwarding headers name, without ports and brackets. */
function forwardedClients({ headers }: RequestLike): string[] {
  const lists = CLIENT_HEADERS.map(name => headers.get(name)).filter(value => value !== null)
  const forwarded = [...(headers.get('forwarded') ?? '').matchAll(/\bfor\s*=\s*("[^"]*"|[^;,\s]+)/gi)]
  return [...lists.flatMap(list => list.split(',')), ...forwarded.map(match => match[1]!.replaceAll('"', ''))]
    .map(client => hostName(client.trim()))
    .filter(client => client !== '')
}

/** `[::1]:80` → `::1`, `localhost:80` → `localhost`, `::1` → `::1`. */
function hostName(host: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(host)
  if (bracketed !== null) return bracketed[1]!
  return host.split(':').length === 2 ? host.split(':')[0]! : host
}

function isOwnOrigin({ headers }: RequestLike, host: string): boolean {
  const site = headers.get('sec-fetch-site')?.toLowerCase()
  if (site === 'cross-site' || site === 'same-site') return false
  const origin = headers.get('origin')
  return origin === null || origin === `http://${host}` || origin === `https://${host}`
}

async function digestOf(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}

/** Takes the same time wherever the digests differ. */
function equalDigests(a: Uint8Array, b: Uint8Array): boolean {
  let difference = 0
  for (const [index, byte] of a.entries()) difference |= byte ^ b[index]!
  return difference === 0
}
