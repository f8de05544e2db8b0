import { type LibsqlOptions, openLibsql } from './libsql.ts'
import { type PackedResult, unpack } from './rows.ts'
import { restartingThread, startThread, threadWhenNeeded } from './thread.ts'
import { callerMs } from './wait.ts'
import { type CallOptions, type Damage, type Sql, type Usage, raw } from '../port.ts'
import { LOCAL_CLOCK } from '../dialect.ts'

/** How long the thread of long reads is kept for the next one, ms. */
const IDLE_MS = 10_000

/**
 * The libsql adapter in a thread of its own: the driver works and waits synchronously, and a server must answer
 * while it commits. Long reads have another one: readers of a write-ahead log never keep its writer waiting.
 */
export async function openLibsqlWorker(options: LibsqlOptions): Promise<Sql> {
  const thread = await restartingThread(() => startThread(options))
  const background = threadWhenNeeded(() => startThread(options), IDLE_MS)
  const threadFor = ({ isBackground = false }: CallOptions) => (isBackground ? background : thread)
  const query: Sql['query'] = async (statement, given = {}) =>
    unpack((await threadFor(given).call('query', statement, given)) as PackedResult)
  // Opened along with the thread's, so that both have the same file; it waits for no lock.
  const here = await openLibsql({ path: options.path, busyTimeoutMs: 0, lockRetryMs: 0 })
  await here.query(raw('SELECT 1')).catch(() => {})
  let isOpen = true
  return {
    dialect: 'sqlite',
    clock: LOCAL_CLOCK,
    options: { timeoutMs: callerMs(options) },
    query: (statement, given) =>
      given?.isPointRead === true && isOpen
        ? // What can't be read here at once, the thread waits for, or says what is wrong.
          here.query(statement, given).catch(() => query(statement, given))
        : query(statement, given),
    snapshot: async (statements, given = {}) =>
      ((await threadFor(given).call('snapshot', statements, given)) as PackedResult[]).map(unpack),
    batch: async (statements, given) =>
      ((await thread.call('batch', statements, given)) as PackedResult[]).map(unpack),
    check: (read, access) => thread.call('check', { read, access }) as Promise<void>,
    extras: {
      isInOrder: true,
      usage: () => thread.call('usage', undefined) as Promise<Usage>,
      backup: path => thread.call('backup', path) as Promise<void>,
      damage: part => background.call('damage', part) as Promise<Damage>,
    },
    close: async () => {
      isOpen = false
      await Promise.all([thread.close(), background.close(), here.close()])
    },
  }
}
