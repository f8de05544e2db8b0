import { ClientError } from './errors.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface ClientOptions {
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string | undefined
  /** Who asks, for the audit trail (X-Service-Actor). */
  readonly actor?: string | undefined
  /** How long a request may take, ms. Default 5000. */
  readonly timeoutMs?: number
  /** How often a request is sent again after a failure of the network. Default 0. */
  readonly maxRetries?: number
  /** Pause before the first retry, ms; doubles with each. Default 100. */
  readonly retryBackoffMs?: number
  /** Most events in one request. Default 500. */
  readonly chunkSize?: number
  /** Used instead of the global `fetch`. */
  readonly fetch?: Fetch
}

/** What messages call what the transport was given, and what to do about a time-out. */
export interface Wording {
  readonly url: string
  readonly token: string
  readonly timeout: string
}

export const OPTION_NAMES: Wording = {
  url: 'The base URL',
  token: '`token`',
  timeout: 'raise timeoutMs, or check the service',
}

/** The base URL without a slash at its end. Throws for an invalid URL, and for one with credentials, query or fragment. */
export function checkUrl(given: string, names: Wording = OPTION_NAMES): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    // Not repeated where it may hold a password.
    const shown = given.includes('@') ? '' : ` (it is '${given}')`
    throw new ClientError('configuration', `${names.url} must be an http or https URL${shown}.`)
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    const message = `${names.url} must have no user, query or fragment; the token goes in ${names.token}.`
    throw new ClientError('configuration', message)
  }
  return url.href.replace(/(?<!\/)\/+$/, '')
}

export function checkToken(token: string | undefined, names: Wording = OPTION_NAMES): string | undefined {
  const trimmed = token?.trim()
  if (trimmed === undefined || trimmed === '') return undefined
  if (/^[\u0021-\u007E]+$/.test(trimmed)) return trimmed
  throw new ClientError('configuration', `${names.token} must be of ASCII characters without blanks.`)
}

/** Throws where an option is not a number of at least `least`. */
export function checkNumber(name: string, value: number, least: number): number {
  if (Number.isFinite(value) && value >= least) return value
  throw new ClientError(
    'configuration',
    `\`${name}\` must be a number of at least ${least} (it is ${value}).`,
  )
}

/** What became of events. */
export interface Ingested {
  readonly inserted: number
  readonly skipped: number
  /** What the service has to say of them, such as fields that no event has: left out where there is nothing. */
  readonly warnings?: readonly string[]
}
