import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Longest URL of a receiver, characters. */
const MAX_URL_CHARS = 2048

/** Why a text can't be the URL of a receiver, or undefined. Names are looked up when something is sent, not here. */
export function urlProblem(text: string, denyPrivate: boolean): string | undefined {
  if (text.length > MAX_URL_CHARS) return `must be at most ${MAX_URL_CHARS} characters long`
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must be an http or https URL'
  if (url.username !== '' || url.password !== '') return 'must not contain a user or password'
  const problem = hostProblem(url.hostname, denyPrivate)
  return problem === undefined ? undefined : `must not lead to ${problem}`
}

/** What is wrong with the host of a URL if it is an address; a name is undefined. */
export function hostProblem(hostname: string, denyPrivate: boolean): string | undefined {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return ipaddr.isValid(host) ? addressProblem(host, denyPrivate) : undefined
}

/**
 * Why nothing may be sent to an address, e.g. `169.254.169.254, a link-local address`, or undefined. Link-local and
 * metadata addresses are always refused; with `denyPrivate` everything that isn't public. An IPv6 address that
 * carries an IPv4 one is judged by that; of a translation whose prefix only its network knows, all are refused.
 */
export function addressProblem(text: string, denyPrivate: boolean): string | undefined {
  if (!ipaddr.isValid(text)) return `${text}, which is not an address`
  const address = ipaddr.parse(text)
  if (isLocalTranslation(address)) return `${text}, an address of a local NAT64, which may lead anywhere`
  const reached = address.kind() === 'ipv6' ? reachedThrough(address as ipaddr.IPv6) : [address]
  const kind = reached.map(each => refusedKind(each, denyPrivate)).find(found => found !== undefined)
  return kind === undefined ? undefined : `${text}, ${kind}`
}

function refusedKind(address: Address, denyPrivate: boolean): string | undefined {
  const range = address.range()
  if (range === 'linkLocal') return 'a link-local address'
  if (METADATA.has(address.toString())) return 'a cloud metadata address'
  if (range === 'multicast' || range === 'broadcast') return `a ${range} address`
  if (!denyPrivate || (range === 'unicast' && isAllocated(address))) return undefined
  return `${range === 'unspecified' || range === 'loopback' ? 'a loopback' : 'a private or reserved'} address, which webhooks.deny_private forbids`
}

/** Of IPv6 only 2000::/3 is given out (RFC 4291, 2.4); the library takes for unicast whatever has no other name. */
function isAllocated(address: Address): boolean {
  return address.kind() === 'ipv4' || ((address as ipaddr.IPv6).parts[0]! & 0xe000) === 0x2000
}

/** Where clouds hand out credentials, other than the link-local 169.254.169.254 that most of them share. */
const METADATA = new Set(
  [
    '168.63.129.16', // Azure
    '100.100.100.200', // Alibaba
    '192.0.0.192', // Oracle
    'fd00:ec2::254', // AWS
    'fd20:ce::254', // Google
    'fd00:42::42', // Scaleway
  ].map(text => ipaddr.parse(text).toString()),
)

/** The addresses that an IPv6 address means: those of its tunnels and translations, or itself. */
function reachedThrough(address: ipaddr.IPv6): Address[] {
  const { parts } = address
  const range = address.range()
  if (range === 'ipv4Mapped' || range === 'rfc6145' || range === 'rfc6052')
    return [ipv4(parts[6]!, parts[7]!)]
  if (range === '6to4') return [ipv4(parts[1]!, parts[2]!)]
  if (range === 'teredo') return [ipv4(parts[6]! ^ 0xffff, parts[7]! ^ 0xffff)]
  const isCompatible = parts.slice(0, 6).every(part => part === 0) && parts[6] !== 0
  if (isCompatible) return [ipv4(parts[6]!, parts[7]!)]
  const isIsatap = (parts[4]! & 0xfdff) === 0 && parts[5] === 0x5efe
  return isIsatap ? [address, ipv4(parts[6]!, parts[7]!)] : [address]
}

/** 64:ff9b:1::/48: where in it the IPv4 address is, goes by the length of the network's own prefix (RFC 8215, RFC 6052). */
function isLocalTranslation(address: Address): boolean {
  const { parts } = address as ipaddr.IPv6
  return address.kind() === 'ipv6' && parts[0] === 0x64 && parts[1] === 0xff9b && parts[2] === 1
}

function ipv4(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff])
}
