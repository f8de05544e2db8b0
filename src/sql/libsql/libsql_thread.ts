import { parentPort, workerData } from 'node:worker_threads'
import { type LibsqlOptions, openLibsql } from './libsql.ts'
import { pack } from './packed.ts'
import type { ThreadCall, Check, ErrorFacts, Message } from './thread.ts'
import { type Sql, SqlError, type Statement } from '../port.ts'

const port = parentPort!
const post = (message: Message): void => port.postMessage(message)

void open()

async function open(): Promise<void> {
  try {
    const sql = await openLibsql({
      ...(workerData as LibsqlOptions),
      onLocked: waitedMs => post({ kind: 'locked', waitedMs }),
    })
    port.on('message', (call: ThreadCall) => void answer(sql, call))
    post({ kind: 'opened' })
  } catch (error) {
    post({ kind: 'failed', error: factsOf(error) })
  }
}

async function answer(sql: Sql, call: ThreadCall): Promise<void> {
  const { id } = call
  try {
    post({ kind: 'done', id, value: await run(sql, call) })
  } catch (error) {
    post({ kind: 'threw', id, error: factsOf(error) })
  }
}

async function run(sql: Sql, { method, argument, batchOptions }: ThreadCall): Promise<unknown> {
  switch (method) {
    case 'query':
      return pack(await sql.query(argument as Statement))
    case 'snapshot':
      return (await sql.snapshot(argument as Statement[])).map(pack)
    case 'batch':
      return (await sql.batch(argument as Statement[], batchOptions)).map(pack)
    case 'check': {
      const { read, access } = argument as Check
      return sql.check(read, access)
    }
    case 'usage':
      return sql.usage!()
    case 'backup':
      return sql.backup!(argument as string)
    case 'damage':
      return sql.damage!(argument as number)
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
