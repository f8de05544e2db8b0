import { parentPort, workerData } from 'node:worker_threads'
import { type LibsqlOptions, openLibsql } from './libsql.ts'
import { pack } from './rows.ts'
import type { Abandoned, Check, ErrorFacts, Message, ThreadCall } from './thread.ts'
import { monotonicMs } from './wait.ts'
import { type Deadline, type Sql, SqlError, type Statement } from '../port.ts'

const port = parentPort!
const post = (message: Message): void => port.postMessage(message)

void open()

async function open(): Promise<void> {
  try {
    const sql = await openLibsql({
      ...(workerData as LibsqlOptions),
      onLocked: waitedMs => post({ kind: 'locked', waitedMs }),
    })
    port.on('message', (said: ThreadCall | Abandoned) => {
      if ('abandoned' in said) underWay.get(said.abandoned)?.abort()
      else void answer(sql, said)
    })
    post({ kind: 'opened' })
  } catch (error) {
    post({ kind: 'failed', error: factsOf(error) })
  }
}

/** Writes whose callers may give them up. */
const underWay = new Map<number, AbortController>()

async function answer(sql: Sql, call: ThreadCall): Promise<void> {
  const { id } = call
  try {
    post({ kind: 'done', id, value: await run(sql, call) })
  } catch (error) {
    post({ kind: 'threw', id, error: factsOf(error) })
  }
  underWay.delete(id)
}

function deadlineOf({ id, method, until }: ThreadCall): Deadline | undefined {
  if (until === undefined) return undefined
  const leftMs = (): number => until - monotonicMs()
  if (method !== 'batch') return { leftMs }
  const caller = new AbortController()
  underWay.set(id, caller)
  return { leftMs, signal: caller.signal }
}

async function run(sql: Sql, call: ThreadCall): Promise<unknown> {
  const { method, argument, durable = false } = call
  const deadline = deadlineOf(call)
  switch (method) {
    case 'query':
      return pack(await sql.query(argument as Statement, { deadline }))
    case 'snapshot':
      return (await sql.snapshot(argument as Statement[], { deadline })).map(pack)
    case 'batch':
      return (await sql.batch(argument as Statement[], { durable, deadline })).map(pack)
    case 'check': {
      const { read, access } = argument as Check
      return sql.check(read, access)
    }
    case 'usage':
      return sql.extras!.usage!()
    case 'backup':
      return sql.extras!.backup!(argument as string)
    case 'damage':
      return sql.extras!.damage!(argument as number)
    case 'close':
      return sql.close()
  }
}

function factsOf(error: unknown): ErrorFacts {
  const cause = error instanceof SqlError ? error.cause : error
  return {
    kind: error instanceof SqlError ? error.kind : 'other',
    message: error instanceof Error ? error.message : String(error),
    reason: error instanceof SqlError ? error.reason : undefined,
    // Of what is thrown only an error can cross.
    cause: cause instanceof Error ? cause : undefined,
  }
}
