import { type LibsqlOptions, openLibsql } from './libsql.ts'
import { type PackedResult, unpack } from './rows.ts'
import { type Thread, restartingThread, startThread, threadWhenNeeded } from './thread.ts'
import { callerMs } from './wait.ts'
import { type Damage, type Sql, type Usage, raw } from '../port.ts'
import { CLOCK } from '../dialect.ts'

/** How long the thread of long reads is kept for the next one, ms. */
const IDLE_MS = 10_000

/**
 * The libsql adapter in a thread of its own: the driver works and waits synchronously, and a server must answer
 * while it commits. Long reads have another one: readers of a write-ahead log never keep its writer waiting.
 */
export async function openLibsqlWorker(options: LibsqlOptions): Promise<Sql> {
  const thread = await restartingThread(() => startThread(options))
  const background = threadWhenNeeded(() => startThread(options), IDLE_MS)
  const inThread = readsOf(thread)
  // Opened along with the thread's, so that both have the same file; it waits for no lock.
  const here = await openLibsql({ path: options.path, busyTimeoutMs: 0, lockRetryMs: 0 })
  await here.query(raw('SELECT 1')).catch(() => {})
  let isOpen = true
  return {
    dialect: 'sqlite',
    clock: CLOCK,
    sharesClock: true,
    timeoutMs: callerMs(options),
    ...inThread,
    query: (statement, deadline) =>
      statement.isPointRead === true && isOpen
        ? // What can't be read here at once, the thread waits for, or says what is wrong.
          here.query(statement, deadline).catch(() => inThread.query(statement, deadline))
        : inThread.query(statement, deadline),
    batch: async (statements, limits) =>
      ((await thread.call('batch', statements, limits)) as PackedResult[]).map(unpack),
    check: (read, access) => thread.call('check', { read, access }) as Promise<void>,
    usage: () => thread.call('usage', undefined) as Promise<Usage>,
    file: {
      backup: path => thread.call('backup', path) as Promise<void>,
      damage: part => background.call('damage', part) as Promise<Damage>,
    },
    background: readsOf(background),
    close: async () => {
      isOpen = false
      await Promise.all([thread.close(), background.close(), here.close()])
    },
  }
}

function readsOf(thread: Pick<Thread, 'call'>): Pick<Sql, 'query' | 'snapshot'> {
  return {
    query: async (statement, deadline) =>
      unpack((await thread.call('query', statement, { deadline })) as PackedResult),
    snapshot: async (statements, deadline) =>
      ((await thread.call('snapshot', statements, { deadline })) as PackedResult[]).map(unpack),
  }
}
