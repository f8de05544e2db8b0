import type { Log } from '../ledger/world/ledger.ts'
import { isoTime } from '../base/time.ts'

export type LogFormat = 'json' | 'text' | 'off'

interface RequestLine {
  readonly request_id: string
  readonly method: string
  /** Without the query, which may hold what identifies people. */
  readonly path: string
  readonly status: number
  readonly duration_ms: number
  readonly peer: string | null
}

export interface ServerLog {
  readonly log: Log
  readonly request: (line: RequestLine) => void
}

/** Logs of a server: one line per request and per message, as JSON or for people. `off` leaves only errors. */
export function serverLog(format: LogFormat, write: (text: string) => void, now: () => number): ServerLog {
  const line = (level: string, message: string, fields: Readonly<Record<string, unknown>>): void => {
    const plain = Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, loggable(value)]))
    const text =
      format === 'json'
        ? JSON.stringify({ time: isoTime(now()), level, message, ...plain })
        : [isoTime(now()), level, message, ...Object.entries(plain).map(pairText)].join(' ')
    write(`${text}\n`)
  }
  return {
    log: (level, message, fields = {}) => {
      if (format !== 'off' || level === 'error') line(level, message, fields)
    },
    request: ({ request_id, method, path, status, duration_ms, peer }) => {
      if (format === 'off') return
      if (format === 'json') line('info', 'request', { request_id, method, path, status, duration_ms, peer })
      else
        write(
          `${isoTime(now())} ${method} ${JSON.stringify(path).slice(1, -1)} ${status} ${duration_ms} ms ${request_id}\n`,
        )
    },
  }
}

/** Errors with their stack and cause; never what a request carried. */
function loggable(value: unknown): unknown {
  if (!(value instanceof Error)) return value
  const cause = value.cause instanceof Error ? ` (cause: ${value.cause.message})` : ''
  return `${value.stack ?? value.message}${cause}`
}

/** Quoted, so that what a request carried can't pass for a line of the log. */
function pairText([key, value]: [string, unknown]): string {
  return `${key}=${typeof value === 'string' && /^[\w.:-]*$/.test(value) ? value : quoted(value)}`
}

function quoted(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u007F-\u009F\u2028\u2029]/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
