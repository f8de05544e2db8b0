import { ServiceError } from '../../base/errors.ts'
import type { Log } from '../../ledger/world/ledger.ts'
import type { Memo } from '../../ledger/world/memo.ts'
import type { WorkspaceConfig } from '../../models/documents/workspace.ts'
import type { RequestLike } from '../wire/message.ts'
import { type Access, changes } from './caller.ts'

/** The other end: this machine's command line, which is trusted, or a socket's remote address. */
export type Peer =
  | { readonly kind: 'cli'; readonly actor: string }
  | {
      readonly kind: 'socket'
      readonly address: string | undefined
      readonly port?: number | undefined
    }
  /** A runtime that tells no socket address (Workers): never loopback. */
  | { readonly kind: 'unknown' }

interface LoopbackContext {
  readonly peer: Peer
  readonly workspace: Pick<WorkspaceConfig, 'strict' | 'allowed_hosts' | 'limits'>
  readonly log: Log
  readonly memo: Pick<Memo, 'foreignHosts'>
}

/**
 * Without a token, changes are for this machine only: a loopback socket, no proxy that speaks for another
 * client, a loopback Host, and no page of another origin. Headers can only deny, never admit. Reads are open, but for
 * pages that give their own name this machine's address.
 */
export function admitLoopback(access: Access, request: RequestLike, place: LoopbackContext): void {
  if (access !== 'ingest' && !changes(access)) return admitRead(request, place)
  const { peer, workspace } = place
  const host = hostOf(request)
  const problem =
    peer.kind !== 'socket' || !isLoopback(peer.address ?? '')
      ? 'is allowed from this machine only'
      : !isLocal(request, peer, workspace.limits?.client_header)
        ? 'is not allowed through a proxy'
        : !isLoopback(hostName(host))
          ? `is not allowed with the host name ${hostName(host)}`
          : !isOwnOrigin(request, host)
            ? 'is not allowed from a page of another origin'
            : undefined
  if (problem === undefined) return
  throw new ServiceError(
    403,
    `No token is configured, so ${access === 'ingest' ? 'sending run events' : 'changing anything'} ${problem}; set ` +
      'SERVICE_LOCAL_API_TOKEN on the server.',
  )
}

/** Most foreign names that are logged: a page may ask under any. */
const MOST_LOGGED = 100

/**
 * A page whose name was made to lead to this machine (DNS rebinding) is of our own origin for its browser, which sends
 * no other sign of it than the Host. Where the workspace is strict such a read is refused; else it is logged.
 */
function admitRead(request: RequestLike, { peer, workspace, log, memo }: LoopbackContext): void {
  if (peer.kind !== 'socket' || !isLoopback(peer.address ?? '')) return
  const host = hostOf(request)
  const name = hostName(host).toLowerCase()
  if (isLoopback(name) || workspace.allowed_hosts?.some(allowed => allowed.toLowerCase() === name)) return
  if (isProxied(request, host, peer.port)) return
  if (workspace.strict) {
    throw new ServiceError(
      403,
      `No token is configured, so reading is not allowed with the host name ${name}: any web page could do so. Name it in ` +
        'allowed_hosts of service.yaml, or set SERVICE_LOCAL_API_TOKEN on the server.',
    )
  }
  const { foreignHosts } = memo
  if (foreignHosts.has(name) || foreignHosts.size >= MOST_LOGGED) return
  foreignHosts.add(name)
  log('warn', 'read under a foreign host name without a token: a proxy, or a page that rebinds its name', {
    host: name,
  })
}

/**
 * Whether a proxy asks for somebody. A page can set the headers of proxies too, but not the port in its Host: that is
 * the one its browser connects to, while a proxy is reached at that of its scheme, which Host leaves out.
 */
function isProxied(request: RequestLike, host: string, port: number | undefined): boolean {
  const says = hasProxyHeader(request) || forwardedClients(request).length > 0
  return says && host === hostName(host) && port !== undefined && port !== 80
}

/** Whether a request comes from this machine itself, and not by way of a proxy on it. */
export function isLocal(request: RequestLike, peer: Peer, clientHeader: ClientHeader): boolean {
  if (peer.kind === 'cli') return true
  return (
    peer.kind === 'socket' &&
    isLoopback(peer.address ?? '') &&
    !hasProxyHeader(request) &&
    forwardedClients(request).every(isLoopback) &&
    (clientHeader == null || clientsIn(clientHeader, request).every(isLoopback))
  )
}

/** The header in which the workspace says that the proxy on this machine names its client. */
type ClientHeader = string | null | undefined

/**
 * By what an address is limited: the client that the proxy on this machine names last, or who is connected. Where the
 * workspace says in which header that is, others come from whoever likes to write them.
 */
export function addressOf(request: RequestLike, peer: Peer, clientHeader: ClientHeader): string {
  if (peer.kind !== 'socket') return networkOf(request.headers.get('cf-connecting-ip') ?? 'unknown')
  if (!isLoopback(peer.address ?? '')) return networkOf(peer.address ?? 'unknown')
  const clients = clientHeader == null ? forwardedClients(request) : clientsIn(clientHeader, request)
  return networkOf(clients.at(-1) ?? 'proxied')
}

/** Whoever has an IPv6 address has the 2^64 around it too. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [start = '', end] = address.split('::')
  const groups = start.split(':').filter(group => group !== '')
  const missing = end === undefined ? 0 : 8 - groups.length - end.split(':').filter(Boolean).length
  return [...groups, ...Array<string>(Math.max(0, missing)).fill('0')].slice(0, 4).join(':')
}

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1', 'localhost'])

export function isLoopback(address: string): boolean {
  return LOOPBACK.has(address.toLowerCase())
}

export function hostOf(request: RequestLike): string {
  return request.headers.get('host') ?? new URL(request.url).host
}

/** Whether a browser asks for a page of ours, which is known by this host; what is no browser says nothing else. */
export function isOwnOrigin({ headers }: RequestLike, host: string): boolean {
  const site = headers.get('sec-fetch-site')?.toLowerCase()
  if (site === 'cross-site' || site === 'same-site') return false
  const origin = headers.get('origin')
  return origin === null || origin === `http://${host}` || origin === `https://${host}`
}

/** Headers in which proxies name their client, or the host that the client called. */
const CLIENT_HEADERS = [
  'x-original-forwarded-for',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'cf-pseudo-ipv4',
  'fastly-client-ip',
  'fly-client-ip',
  'x-appengine-user-ip',
  'x-azure-clientip',
  'x-azure-socketip',
  'x-envoy-external-address',
  'x-nf-client-connection-ip',
  'x-vercel-forwarded-for',
  'do-connecting-ip',
  'proxy-client-ip',
  'wl-proxy-client-ip',
  'x-proxyuser-ip',
  'x-remote-ip',
  'x-remote-addr',
  'client-ip',
  'x-originating-ip',
  'x-sucuri-clientip',
  'incap-client-ip',
  'ali-cdn-real-ip',
  'x-host',
  'x-forwarded-host',
  'x-original-host',
  // The nearest proxy adds itself at the end of this one, so it comes last.
  'x-forwarded-for',
]

/** What a proxy adds that names nobody. */
const PROXY_HEADERS = [
  'via',
  'x-forwarded',
  'x-rewrite-url',
  'x-scheme',
  'x-url-scheme',
  'x-real-port',
  'front-end-https',
  'cdn-loop',
  'akamai-origin-hop',
  // A Worker that calls by itself sends others that begin so.
  'cf-ray',
  'cf-visitor',
  'cf-ipcountry',
]

/** Families of such headers, of which there are ever more. */
const PROXY_FAMILIES =
  /^(?:x-forwarded-|x-original-|x-envoy-|x-azure-|x-arr-|x-amz-cf-|x-vercel-|x-appengine-|fastly-|fly-)/

/** The one that the specification gives to proxies: it denies nothing. */
const OF_THE_SPECIFICATION = 'x-forwarded-user'

/** Whether a proxy has been at work, whoever it asks for. */
function hasProxyHeader({ headers }: RequestLike): boolean {
  if (PROXY_HEADERS.some(name => headers.get(name) !== null)) return true
  if ([...headers.keys()].some(isOfProxy)) return true
  const forwarded = headers.get('forwarded')
  // `host=…;proto=…` alone says that it came by a proxy, and not for whom.
  return forwarded !== null && !/\bfor\s*=/i.test(forwarded)
}

function isOfProxy(header: string): boolean {
  const name = header.toLowerCase()
  return PROXY_FAMILIES.test(name) && name !== OF_THE_SPECIFICATION && !CLIENT_HEADERS.includes(name)
}

/** The clients that forwarding headers name, without ports and brackets; the nearest proxy's last. */
function forwardedClients(request: RequestLike): string[] {
  return ['forwarded', ...CLIENT_HEADERS].flatMap(name => clientsIn(name, request))
}

/** The clients that one such header names, the nearest proxy's last. */
function clientsIn(header: string, { headers }: RequestLike): string[] {
  const value = headers.get(header) ?? ''
  const isForwarded = header.toLowerCase() === 'forwarded'
  const named = isForwarded
    ? [...value.matchAll(/\bfor\s*=\s*("[^"]*"|[^;,\s]+)/gi)].map(match => match[1]!.replaceAll('"', ''))
    : value.split(',')
  return named.map(client => hostName(client.trim())).filter(client => client !== '')
}

/** `[::1]:80` → `::1`, `localhost:80` → `localhost`, `::1` → `::1`. */
function hostName(host: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(host)
  if (bracketed !== null) return bracketed[1]!
  return host.split(':').length === 2 ? host.split(':')[0]! : host
}
