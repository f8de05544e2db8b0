import { writeSync } from 'node:fs'
import { checkRollouts } from '../../../src/features/rollouts/tick.ts'
import { checkWatches } from '../../../src/features/watch/tick.ts'
import { CLOCK } from '../../../src/sql/dialect.ts'
import { type Sql, type Statement, raw, sql as sqlText } from '../../../src/sql/port.ts'
import { type Place, input, open } from './support.ts'

const CHECKS = { watches: checkWatches, rollouts: checkRollouts }

/**
 * Checks watches or rollouts as a server would, some time later, and ends before the statement with this number: on SQLite it kills
 * itself, on PostgreSQL it sleeps there until the test kills it. Within a batch it is in the midst of a transaction.
 */
const { place, what, stopAt, laterMs } = input<{
  place: Place
  what: keyof typeof CHECKS
  stopAt: number
  laterMs: number
}>()
const services = await open(place)
const { sql } = services
let statements = 0

const stop: Statement = {
  sqlite: {
    // The adapter reads a statement when it runs it, so those before it are done.
    get text(): string {
      process.kill(process.pid, 'SIGKILL')
      throw new Error('it was killed')
    },
    params: [],
  },
  postgres: { text: 'SELECT pg_sleep(600)', params: [] },
}[sql.dialect]

/** The statements with one in front of the chosen one that takes until the kill comes. */
function stopping(all: readonly Statement[]): Statement[] {
  const index = stopAt - statements
  statements += all.length
  if (index < 0 || index >= all.length) return [...all]
  return [...all.slice(0, index), stop, ...all.slice(index)]
}

const stoppingSql: Sql = {
  ...sql,
  clock: sqlText`(${CLOCK} + ${raw(String(laterMs))})`,
  query: async statement => (await stoppingSql.snapshot([statement]))[0]!,
  snapshot: all => sql.snapshot(stopping(all)),
  batch: (all, options) => sql.batch(stopping(all), options),
}

await CHECKS[what]({ ...services, sql: stoppingSql, now: () => Date.now() + laterMs })
writeSync(1, `${JSON.stringify({ statements })}\n`)
await sql.close()
