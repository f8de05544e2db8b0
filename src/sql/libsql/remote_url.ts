import { SqlError } from '../port.ts'

/** What the URL of a remote libSQL database says. */
export interface RemoteUrl {
  /** Without token and settings. */
  readonly address: string
  readonly token: string | undefined
  /** How long an operation may take in all. */
  readonly queryTimeoutMs: number
}

const REMOTE = /^(?:libsql|https?):\/\//i

export function isRemoteUrl(url: string): boolean {
  return REMOTE.test(url.trim())
}

/**
 * Reads `libsql://host?authToken=…&tls=0&query_timeout=30`; `libsql` means `https`. Throws {@link SqlError} that names
 * the part at fault, and never holds the URL itself: it may have a token in it.
 */
export function readRemoteUrl(text: string): RemoteUrl {
  const url = parse(text)
  if (url.username !== '' || url.password !== '') {
    throw problem(
      'has a user or password; libSQL takes a token, as authToken=… or SERVICE_DATABASE_AUTH_TOKEN',
    )
  }
  const take = (name: string): string | undefined => {
    const value = url.searchParams.get(name)
    url.searchParams.delete(name)
    return value === null || value === '' ? undefined : value
  }
  const [token, seconds] = [take('authToken'), take('query_timeout') ?? '30']
  const queryTimeoutMs = 1000 * Number(seconds)
  if (!Number.isInteger(queryTimeoutMs) || queryTimeoutMs <= 0) {
    throw problem(`has query_timeout=${seconds}, which is no whole number above 0`)
  }
  const tls = take('tls')
  if (tls !== undefined && tls !== '0' && tls !== '1') throw problem(`has tls=${tls}; it must be 0 or 1`)
  const [unknown] = url.searchParams.keys()
  if (unknown !== undefined) throw problem(`has ${unknown}=…; known are authToken, query_timeout and tls`)
  const scheme = url.protocol === 'libsql:' ? (tls === '0' ? 'http:' : 'https:') : url.protocol
  if (url.protocol !== 'libsql:' && tls !== undefined && (tls === '1') !== (scheme === 'https:')) {
    throw problem(`has tls=${tls} and ${scheme}//`)
  }
  // The driver puts its paths in place of whatever is behind the last slash.
  return { address: `${scheme}//${url.host}${url.pathname.replace(/\/?$/, '/')}`, token, queryTimeoutMs }
}

/** The database for people: its host and path, never a token. */
export function remoteName(text: string): string {
  try {
    const { protocol, host, pathname } = parse(text)
    return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
  } catch {
    return 'libSQL'
  }
}

function parse(text: string): URL {
  const url = URL.canParse(text.trim()) && isRemoteUrl(text) ? new URL(text.trim()) : undefined
  if (url === undefined || url.host === '') throw problem('is not a valid libsql://, https:// or http:// URL')
  return url
}

function problem(text: string): SqlError {
  return new SqlError('unavailable', `the database URL ${text}`)
}
