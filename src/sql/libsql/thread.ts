import { Worker } from 'node:worker_threads'
import { monotonicMs } from './wait.ts'
import { requireTime } from '../deadline.ts'
import { type BatchOptions, SqlError, type SqlErrorKind, type Statement } from '../port.ts'
import type { LibsqlOptions } from './libsql.ts'

/** What the two sides say to each other. */
export interface ThreadCall {
  readonly id: number
  readonly method: 'query' | 'snapshot' | 'batch' | 'check' | 'usage' | 'backup' | 'damage' | 'close'
  readonly argument: Statement | readonly Statement[] | Check | string | number | undefined
  readonly durable?: boolean | undefined
  /** When its caller gives up, by `monotonicMs`, which all threads share. */
  readonly until?: number | undefined
}

/** Says that the caller of a call is gone. */
export interface Abandoned {
  readonly abandoned: number
}

/** The arguments of `Sql.check`. */
export interface Check {
  readonly read: Statement
  readonly access: 'read' | 'write'
}

export type Message =
  | { readonly kind: 'opened' }
  | { readonly kind: 'failed'; readonly error: ErrorFacts }
  | { readonly kind: 'locked'; readonly waitedMs: number }
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'threw'; readonly id: number; readonly error: ErrorFacts }

/** An error as it crosses threads. */
export interface ErrorFacts {
  readonly kind: SqlErrorKind
  readonly message: string
  readonly reason: string | undefined
  readonly cause: Error | undefined
}

/** The libsql adapter in a thread of its own. */
export interface Thread {
  /** Has it run a method of the adapter. */
  call(
    method: ThreadCall['method'],
    argument: ThreadCall['argument'],
    options?: BatchOptions,
  ): Promise<unknown>
  /** Whether it has ended, for whatever reason: each call fails from then on. */
  isLost(): boolean
  close(): Promise<void>
}

export async function startThread({ onLocked, ...options }: LibsqlOptions): Promise<Thread> {
  const worker = new Worker(new URL('./libsql_thread.ts', import.meta.url), {
    workerData: options,
    // What passes through is large and soon gone, so its space would grow to no use.
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  })
  const waiting = new Map<number, Waiting>()
  let lost: SqlError | undefined
  let calls = 0

  function failAll(error: SqlError): void {
    lost = error
    // What was being written may have been committed.
    for (const { reject, method } of waiting.values()) reject(method === 'batch' ? uncertain(error) : error)
    waiting.clear()
  }

  async function call(
    method: ThreadCall['method'],
    given: ThreadCall['argument'],
    { durable, deadline }: BatchOptions = {},
  ): Promise<unknown> {
    if (lost !== undefined) throw lost
    requireTime(deadline)
    const id = calls++
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    waiting.set(id, { resolve, reject, method })
    const argument = toThread(given)
    const until = deadline && monotonicMs() + deadline.leftMs()
    worker.postMessage({ id, method, argument, durable, until } satisfies ThreadCall)
    // Reads are soon over.
    if (method !== 'batch' || deadline?.signal === undefined) return promise
    const { signal } = deadline
    const abandon = (): void => worker.postMessage({ abandoned: id } satisfies Abandoned)
    signal.addEventListener('abort', abandon)
    return promise.finally(() => signal.removeEventListener('abort', abandon))
  }

  await new Promise<void>((resolve, reject) => {
    worker.on('message', (message: Message) => {
      if (message.kind === 'opened') resolve()
      else if (message.kind === 'failed') reject(toError(message.error))
      else if (message.kind === 'locked') onLocked?.(message.waitedMs)
      else {
        const waiter = waiting.get(message.id)
        waiting.delete(message.id)
        if (message.kind === 'done') waiter?.resolve(message.value)
        else waiter?.reject(toError(message.error))
      }
    })
    worker.on('error', error => {
      const reason = 'its thread failed, and is started again'
      const failure = new SqlError(
        'unavailable',
        `the thread of the ledger failed: ${error.message}`,
        error,
        reason,
      )
      reject(failure)
      failAll(failure)
    })
    worker.on('exit', () => {
      reject(CLOSED)
      failAll(CLOSED)
    })
  })

  let closing: Promise<void> | undefined
  return {
    call,
    isLost: () => lost !== undefined,
    close: () => (closing ??= call('close', undefined).then(async () => void (await worker.terminate()))),
  }
}

/** Without what PostgreSQL takes instead: a function can't cross. */
function toThread(given: ThreadCall['argument']): ThreadCall['argument'] {
  if (typeof given !== 'object') return given
  if ('read' in given) return { ...given, read: bare(given.read) }
  return 'text' in given ? bare(given) : given.map(bare)
}

function bare(statement: Statement): Statement {
  return { ...statement, postgres: undefined }
}

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  readonly method: ThreadCall['method']
}

function uncertain({ message, cause }: SqlError): SqlError {
  return new SqlError('uncertain', message, cause)
}

const CLOSED = new SqlError('unavailable', 'the ledger is closed')

function toError({ kind, message, cause, reason }: ErrorFacts): SqlError {
  return new SqlError(kind, message, cause, reason)
}

/** A thread that is started again, by the next call, when it has failed: it ran out of memory, say. */
export async function restartingThread(start: () => Promise<Thread>): Promise<Omit<Thread, 'isLost'>> {
  let thread = await start()
  let starting: Promise<Thread> | undefined
  let closing: Promise<void> | undefined

  /** Of several that find it lost, the first starts the next one. */
  function restarted(): Promise<Thread> {
    starting ??= start()
      .then(started => (thread = started))
      .finally(() => (starting = undefined))
    return starting
  }

  async function close(): Promise<void> {
    await starting?.catch(() => {})
    if (!thread.isLost()) await thread.close()
  }

  return {
    call: async (method, argument, options) => {
      if (closing !== undefined) throw CLOSED
      const living = thread.isLost() ? await restarted() : thread
      return living.call(method, argument, options)
    },
    close: () => (closing ??= close()),
  }
}

/** A thread that is started by its first call, and ended when it has had none for `idleMs`: its cache is memory. */
export function threadWhenNeeded(start: () => Promise<Thread>, idleMs: number): Omit<Thread, 'isLost'> {
  let running: Promise<Thread> | undefined
  let underWay = 0
  let timer: NodeJS.Timeout | undefined
  let closed = false

  async function end(): Promise<void> {
    clearTimeout(timer)
    const thread = running
    running = undefined
    // One that could not be started, or that failed, has nothing to close.
    await thread?.then(started => started.close()).catch(() => {})
  }

  return {
    call: async (method, argument, options) => {
      if (closed) throw CLOSED
      clearTimeout(timer)
      const thread = (running ??= start())
      underWay += 1
      try {
        return await (await thread).call(method, argument, options)
      } catch (error) {
        // One that could not be started, or that failed, makes room for the next.
        if (running === thread && (await thread.then(started => started.isLost()).catch(() => true))) {
          running = undefined
        }
        throw error
      } finally {
        underWay -= 1
        if (underWay === 0 && !closed) timer = setTimeout(() => void end(), idleMs).unref()
      }
    },
    close: async () => {
      closed = true
      await end()
    },
  }
}
