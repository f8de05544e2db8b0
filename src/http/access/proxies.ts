import type { RequestLike } from '../wire/message.ts'

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
export function hasProxyHeader({ headers }: RequestLike): boolean {
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
export function forwardedClients(request: RequestLike): string[] {
  return ['forwarded', ...CLIENT_HEADERS].flatMap(name => clientsIn(name, request))
}

/** The clients that one such header names, the nearest proxy's last. */
export function clientsIn(header: string, { headers }: RequestLike): string[] {
  const value = headers.get(header) ?? ''
  const isForwarded = header.toLowerCase() === 'forwarded'
  const named = isForwarded
    ? [...value.matchAll(/\bfor\s*=\s*("[^"]*"|[^;,\s]+)/gi)].map(match => match[1]!.replaceAll('"', ''))
    : value.split(',')
  return named.map(client => hostName(client.trim())).filter(client => client !== '')
}

/** `[::1]:80` → `::1`, `localhost:80` → `localhost`, `::1` → `::1`. */
export function hostName(host: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(host)
  if (bracketed !== null) return bracketed[1]!
  return host.split(':').length === 2 ? host.split(':')[0]! : host
}
