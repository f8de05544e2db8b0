import { expect } from 'vitest'
import { raw, rowsOf, sql } from '../../src/sql/port.ts'
import { openPostgres } from '../../src/sql/postgres/node.ts'
import { type Running, start } from '../support/processes/processes.ts'
import { scaled } from '../support/scale.ts'
import type { Place } from './programs/support.ts'

/** Of the places between two statements of a check, one in so many is tried. */
const STEP = scaled(23, 1)

/** What is due to be checked, and what must be true of its ledger when the check was made in the end. */
interface Due {
  readonly place: Place
  readonly check: () => Promise<void>
}

/** Kills a check between any two statements, each time in a ledger of its own, and lets another process look after it. */
export async function killedAnywhere({
  what,
  laterMs,
  prepare,
}: {
  readonly what: 'watches' | 'rollouts'
  /** How much later than the wall clock it checks. */
  readonly laterMs: number
  readonly prepare: () => Promise<Due>
}): Promise<void> {
  let whole: number | undefined
  let killed = 0
  for (let stopAt = 0; whole === undefined; stopAt += STEP) {
    const { place, check } = await prepare()
    const dying = start('check.ts', { place, what, stopAt, laterMs })
    if (place.databaseUrl !== undefined) await killAsleep(dying, place.databaseUrl)
    const { signal, stderr } = await dying.ended
    expect(stderr).toBe('')
    if (signal === 'SIGKILL') killed += 1
    else whole = (dying.lines[0] as { statements: number }).statements
    // Whatever it left, leases are over by then. It may have left nothing to do.
    const next = start('check.ts', { place, what, stopAt: -1, laterMs: laterMs + 65_000 })
    expect(await next.ended).toMatchObject({ code: 0, stderr: '' })
    await check()
  }
  expect(killed).toBeGreaterThanOrEqual(Math.floor(whole / STEP))
  expect(whole).toBeGreaterThan(20)
}

/** Kills a program that sleeps in the database, and then its session, which would not notice. */
async function killAsleep({ child, ended }: Running, databaseUrl: string): Promise<void> {
  const db = openPostgres({ url: `${databaseUrl}?max=1` })
  const asleep = raw(`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
    AND query LIKE 'SELECT pg_sleep%'`)
  let isOver = false
  void ended.then(() => (isOver = true))
  await expect.poll(async () => isOver || (await rowsOf(db, asleep)).length > 0, { interval: 10 }).toBe(true)
  child.kill('SIGKILL')
  await ended
  for (const { pid } of await rowsOf(db, asleep))
    await rowsOf(db, sql`SELECT pg_terminate_backend(${pid!}::int)`)
  await db.close()
}
