/** A cookie of ours. */
export interface Cookie {
  readonly name: string
  readonly value: string
  /** How long the browser keeps it, s; 0 removes it. */
  readonly maxAgeS: number
  /** Whether it also comes with a visit from another site, as the way back from a provider is. Default no. */
  readonly isLax?: boolean
  /** Whether the web UI reads it. Default no. */
  readonly isReadable?: boolean
  /** The path that it is sent to; all of them unless given. */
  readonly path?: string
}

/**
 * The name of a cookie. Behind HTTPS the browser takes one named `__Host-` from this host alone: no other host of the same
 * domain can plant one (cookie tossing). `__Secure-` is for those with a path. On plain HTTP there is no such name.
 */
export function cookieName(name: string, isSecure: boolean, path?: string): string {
  if (!isSecure) return `service-${name}`
  return `${path === undefined ? '__Host-' : '__Secure-'}service-${name}`
}

/** The Set-Cookie header of a cookie. */
export function setCookie({ name, isSecure, ...cookie }: Cookie & { readonly isSecure: boolean }): string {
  const { value, maxAgeS, isLax = false, isReadable = false, path } = cookie
  return [
    `${cookieName(name, isSecure, path)}=${value}`,
    `Path=${path ?? '/'}`,
    `Max-Age=${maxAgeS}`,
    `SameSite=${isLax ? 'Lax' : 'Strict'}`,
    ...(isReadable ? [] : ['HttpOnly']),
    ...(isSecure ? ['Secure'] : []),
  ].join('; ')
}

/** Names and values of the cookies that a request brings; a name may come more than once. */
export function cookiesIn(header: string | null): readonly (readonly [name: string, value: string])[] {
  return (header ?? '').split(';').flatMap(part => {
    const at = part.indexOf('=')
    return at < 0 ? [] : [[part.slice(0, at).trim(), part.slice(at + 1).trim()] as const]
  })
}

/** The values of the cookies of one name. */
export function cookieValues(header: string | null, name: string): string[] {
  return cookiesIn(header).flatMap(([each, value]) => (each === name ? [value] : []))
}
