import type { RequestLike } from '../message.ts'

/** Where proxies say for whom they ask, or under which name they were asked. */
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
  'x-forwarded-host',
  'x-original-host',
  // The nearest proxy adds itself at the end of this one, so it comes last.
  'x-forwarded-for',
]

/** What a proxy adds that names nobody. X-Forwarded-User is not among them: the specification gives it to proxies. */
const PROXY_HEADERS = [
  'via',
  'x-forwarded',
  'x-forwarded-by',
  'x-forwarded-email',
  'x-forwarded-groups',
  'x-forwarded-path',
  'x-forwarded-port',
  'x-forwarded-preferred-username',
  'x-forwarded-prefix',
  'x-forwarded-proto',
  'x-forwarded-protocol',
  'x-forwarded-scheme',
  'x-forwarded-server',
  'x-forwarded-ssl',
  'x-forwarded-uri',
  'x-forwarded-url',
  'x-forwarded-access-token',
  'x-original-proto',
  'x-original-uri',
  'x-original-url',
  'x-original-method',
  'x-rewrite-url',
  'x-scheme',
  'x-url-scheme',
  'x-real-port',
  'front-end-https',
  'x-arr-log-id',
  'x-arr-ssl',
  'x-amz-cf-id',
  'x-azure-ref',
  'x-azure-fdid',
  'x-envoy-attempt-count',
  'x-envoy-expected-rq-timeout-ms',
  'x-envoy-internal',
  'x-envoy-original-path',
  'x-vercel-id',
  'cdn-loop',
  'cf-ray',
  'cf-visitor',
  'fastly-ff',
  'fly-forwarded-proto',
  'akamai-origin-hop',
]

/** Whether a proxy has been at work, whoever it asks for. */
export function hasProxyHeader({ headers }: RequestLike): boolean {
  if (PROXY_HEADERS.some(name => headers.get(name) !== null)) return true
  const forwarded = headers.get('forwarded')
  // `host=…;proto=…` alone says that it came by a proxy, and not for whom.
  return forwarded !== null && !/\bfor\s*=/i.test(forwarded)
}

/** The clients that forwarding headers name, without ports and brackets; the nearest proxy's last. */
export function forwardedClients({ headers }: RequestLike): string[] {
  const lists = CLIENT_HEADERS.map(name => headers.get(name)).filter(value => value !== null)
  const forwarded = [...(headers.get('forwarded') ?? '').matchAll(/\bfor\s*=\s*("[^"]*"|[^;,\s]+)/gi)]
  return [...forwarded.map(match => match[1]!.replaceAll('"', '')), ...lists.flatMap(list => list.split(','))]
    .map(client => hostName(client.trim()))
    .filter(client => client !== '')
}

/** `[::1]:80` → `::1`, `localhost:80` → `localhost`, `::1` → `::1`. */
export function hostName(host: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(host)
  if (bracketed !== null) return bracketed[1]!
  return host.split(':').length === 2 ? host.split(':')[0]! : host
}
