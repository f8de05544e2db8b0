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

/** The base URL without a slash at its end. Throws where it is none, or says more than where the service is. */
export function checkUrl(given: string): string {
  let url: URL
  try {
    url = new URL(given)
  } catch (error) {
    throw new ClientError(
      'configuration',
      `The base URL must be an http or https URL (it is '${given}').`,
      error,
    )
  }
  if (!/^https?:$/.test(url.protocol)) {
    throw new ClientError('configuration', `The base URL must be an http or https URL (it is '${given}').`)
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    const message = 'The base URL must have no user, query or fragment; the token goes in `token`.'
    throw new ClientError('configuration', message)
  }
  return url.href.replace(/\/+$/, '')
}

export function checkToken(token: string | undefined): string | undefined {
  const trimmed = token?.trim()
  if (trimmed === undefined || trimmed === '') return undefined
  if (/^[\u0021-\u007E]+$/.test(trimmed)) return trimmed
  throw new ClientError('configuration', '`token` must be of ASCII characters without blanks.')
}

/** Throws where an option is not a number of at least `least`. */
export function checkNumber(name: string, value: number, least: number): number {
  if (Number.isFinite(value) && value >= least) return value
  throw new ClientError(
    'configuration',
    `\`${name}\` must be a number of at least ${least} (it is ${value}).`,
  )
}
