import { type Client, type InStatement, createClient } from '@libsql/client/http'
import { CLOCKS, type Result, type Sql, SqlError, type Statement } from '../port.ts'
import { isUndone, toSqlError } from './remote_errors.ts'
import { readRemoteUrl } from './remote_url.ts'
import { toResult } from './rows.ts'

export interface RemoteOptions {
  /** `libsql://`, `https://` or `http://`, with `authToken` in its query where none is given apart. */
  readonly url: string
  readonly authToken?: string | undefined
  /** Called before a try is repeated, with why. */
  readonly onRetry?: (reason: string) => void
}

const MAX_TRIES = 5
/** For migrations, repairs and copies. */
const PATIENT_MS = 600_000
const MAX_REQUESTS = 100

/**
 * A SQLite database behind libsql-server, or Turso, by HTTP. Each operation is one request and a transaction of its
 * own, so nothing rests on a session. Throws {@link SqlError} for a URL that can't be read.
 */
export function openRemoteLibsql({ url, authToken, onRetry }: RemoteOptions): Sql {
  const { address, token = authToken, queryTimeoutMs } = readRemoteUrl(url)
  const open = (timeoutMs: number): Client =>
    createClient({
      url: address,
      ...(token === undefined ? {} : { authToken: token }),
      concurrency: MAX_REQUESTS,
      fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(timeoutMs) }),
    })

  const underWay = new Set<Promise<unknown>>()
  let isClosed = false
  function operate<T>(operation: () => Promise<T>): Promise<T> {
    if (isClosed) return Promise.reject(new SqlError('unavailable', 'the ledger is closed'))
    const done = operation().finally(() => underWay.delete(done))
    underWay.add(done)
    return done
  }

  function facade(timeoutMs: number): Omit<Sql, 'patient' | 'close'> {
    const client = open(timeoutMs)
    const insist = <T>(attempt: () => Promise<T>): Promise<T> =>
      operate(() => persistently(onRetry, timeoutMs, attempt))
    const read = (statements: readonly Statement[]): Promise<Result[]> =>
      insist(async () => (await client.batch(statements.map(toLibsql), 'read')).map(toResult))
    return {
      dialect: 'sqlite',
      clock: CLOCKS.sqlite,
      query: async statement => (await read([statement]))[0]!,
      snapshot: statements => (statements.length === 0 ? Promise.resolve([]) : read(statements)),
      batch: statements => insist(() => writeOnce(client, statements.map(toLibsql))),
    }
  }

  // There is no connection to end, only requests to wait for.
  const close = async (): Promise<void> => {
    isClosed = true
    await Promise.allSettled(underWay)
  }
  return { ...facade(queryTimeoutMs), patient: { ...facade(PATIENT_MS), close }, close }
}

/** One transaction. Where the answer is lost nothing tells whether it was done. */
async function writeOnce(client: Client, statements: InStatement[]): Promise<Result[]> {
  try {
    return (await client.batch(statements, 'write')).map(toResult)
  } catch (error) {
    const failure = toSqlError(error)
    if (failure.kind !== 'unavailable' || isUndone(error)) throw failure
    throw new SqlError('uncertain', failure.message, error)
  }
}

/** Tries again, with growing pauses, what another writer or a server on its way back kept from being done. */
async function persistently<T>(
  onRetry: RemoteOptions['onRetry'],
  timeoutMs: number,
  attempt: () => Promise<T>,
): Promise<T> {
  const until = performance.now() + timeoutMs
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      const failure = toSqlError(error)
      const mayPass =
        failure.kind === 'busy' || (failure.kind === 'unavailable' && !isUndone(failure.cause, 'for good'))
      const pauseMs = 50 * 2 ** tries * (0.5 + Math.random() / 2)
      if (!mayPass || tries === MAX_TRIES || performance.now() + pauseMs >= until) throw failure
      onRetry?.(failure.message)
      await new Promise(resolve => setTimeout(resolve, pauseMs))
    }
  }
}

/** A number would arrive as a double, whatever it is. */
function toLibsql({ text, params }: Statement): InStatement {
  return { sql: text, args: params.map(param => (Number.isSafeInteger(param) ? BigInt(param!) : param)) }
}
