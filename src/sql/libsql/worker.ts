import { Worker } from 'node:worker_threads'
import type { LibsqlOptions } from './libsql.ts'
import {
  CLOCKS,
  type Result,
  type Sql,
  SqlError,
  type SqlErrorKind,
  type Statement,
  type Usage,
} from '../port.ts'

/** What the two sides say to each other. */
export interface Call {
  readonly id: number
  readonly method: 'query' | 'snapshot' | 'batch' | 'check' | 'usage' | 'backup' | 'close'
  readonly argument: Statement | readonly Statement[] | Check | string | undefined
}

/** The arguments of {@link Sql.check}. */
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
}

/**
 * The libsql adapter in a thread of its own: the driver works and waits synchronously, and a server must answer
 * while it commits.
 */
export async function openLibsqlWorker({ onLocked, ...options }: LibsqlOptions): Promise<Sql> {
  const worker = new Worker(new URL('./libsql_thread.ts', import.meta.url), {
    workerData: options,
    // What passes through is large and soon gone, so its space would grow to no use.
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  })
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>()
  let lost: SqlError | undefined
  let calls = 0

  function failAll(error: SqlError): void {
    lost = error
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  function send(method: Call['method'], argument: Call['argument']): Promise<unknown> {
    if (lost !== undefined) return Promise.reject(lost)
    return new Promise((resolve, reject) => {
      const id = calls++
      waiting.set(id, { resolve, reject })
      worker.postMessage({ id, method, argument } satisfies Call)
    })
  }

  await new Promise<void>((resolve, reject) => {
    worker.on('message', (message: Message) => {
      if (message.kind === 'opened') resolve()
      else if (message.kind === 'failed') reject(toError(message.error))
      else if (message.kind === 'locked') onLocked?.(message.waitedMs)
      else {
        const call = waiting.get(message.id)
        waiting.delete(message.id)
        if (message.kind === 'done') call?.resolve(message.value)
        else call?.reject(toError(message.error))
      }
    })
    worker.on('error', error => {
      const failure = new SqlError('unavailable', `the thread of the ledger failed: ${error.message}`, error)
      reject(failure)
      failAll(failure)
    })
    worker.on('exit', () => failAll(new SqlError('unavailable', 'the ledger is closed')))
  })

  return {
    dialect: 'sqlite',
    clock: CLOCKS.sqlite,
    query: statement => send('query', statement) as Promise<Result>,
    snapshot: statements => send('snapshot', statements) as Promise<Result[]>,
    batch: statements => send('batch', statements) as Promise<Result[]>,
    check: (read, access) => send('check', { read, access }) as Promise<void>,
    usage: () => send('usage', undefined) as Promise<Usage>,
    backup: path => send('backup', path) as Promise<void>,
    close: async () => {
      await send('close', undefined)
      await worker.terminate()
    },
  }
}

function toError({ kind, message, reason }: ErrorFacts): SqlError {
  return new SqlError(kind, message, undefined, reason)
}
