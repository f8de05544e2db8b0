import type { LibsqlOptions } from './libsql.ts'
import { type PackedResult, unpack } from './rows.ts'
import { type Thread, restartingThread, startThread, threadWhenNeeded } from './thread.ts'
import { callerMs } from './wait.ts'
import { CLOCKS, type Damage, type Sql, type Usage } from '../port.ts'

/** How long the thread of long reads is kept for the next one, ms. */
const IDLE_MS = 10_000

/**
 * The libsql adapter in a thread of its own: the driver works and waits synchronously, and a server must answer
 * while it commits. Long reads have another one: readers of a write-ahead log never keep its writer waiting.
 */
export async function openLibsqlWorker(options: LibsqlOptions): Promise<Sql> {
  const thread = await restartingThread(() => startThread(options))
  const background = threadWhenNeeded(() => startThread(options), IDLE_MS)
  return {
    dialect: 'sqlite',
    clock: CLOCKS.sqlite,
    sharesClock: true,
    timeoutMs: callerMs(options),
    ...readsOf(thread),
    batch: async (statements, asked) =>
      ((await thread.call('batch', statements, asked)) as PackedResult[]).map(unpack),
    check: (read, access) => thread.call('check', { read, access }) as Promise<void>,
    usage: () => thread.call('usage', undefined) as Promise<Usage>,
    backup: path => thread.call('backup', path) as Promise<void>,
    damage: part => background.call('damage', part) as Promise<Damage>,
    background: readsOf(background),
    close: async () => {
      await Promise.all([thread.close(), background.close()])
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
