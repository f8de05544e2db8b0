import { describe, expect, test } from 'vitest'
import { type Sql, rowsOf, sql } from '../../src/sql/port.ts'
import { PRICES } from '../support/services/builders.ts'
import { PLACES } from './places.ts'
import { start } from '../support/processes/processes.ts'
import { scaled } from '../support/scale.ts'
import { type Place, call, open } from './programs/support.ts'
import { registered } from './registered.ts'
import { expectSound } from './verify.ts'

const KILLS = scaled(2, 200)

async function prepare(place: Place): Promise<string[]> {
  const services = await open(place)
  await call(services, 'POST /v1/pricing', { table: PRICES })
  const releases = await registered(services, ['1', '2'])
  await services.sql.close()
  return releases
}

/** Starts a program, kills it without warning some lines in, and returns what it had acknowledged. */
async function killMidway(program: string, input: unknown, after: number): Promise<unknown[]> {
  const running = start(program, input)
  await running.printed(after)
  // A few more moments, so that the kill falls anywhere in a batch.
  await new Promise(resolve => setTimeout(resolve, Math.random() * 40))
  running.child.kill('SIGKILL')
  const { signal, stderr } = await running.ended
  expect(stderr).toBe('')
  expect(signal).toBe('SIGKILL')
  return running.lines
}

describe.each(scaled(PLACES.slice(0, 1), PLACES))('on %s', (_name, makePlace) => {
  test('a kill during ingest loses nothing that was acknowledged and leaves no half batch', async () => {
    const place = await makePlace()
    const [release_id] = await prepare(place)
    const acknowledged: { name: string; batch: number; inserted: number }[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const name = `kill${kill}`
      const lines = await killMidway('ingest.ts', { place, release_id, name }, 1 + (kill % 4))
      for (const line of lines as { batch: number; inserted: number }[]) acknowledged.push({ name, ...line })
    }
    const services = await open(place)
    const stored = await storedRuns(services.sql)
    for (const { name, batch, inserted } of acknowledged) {
      expect(inserted).toBe(700)
      for (const index of [0, 350, 699]) expect(stored.has(`${name}-${batch}-${index}`)).toBe(true)
    }
    // A request of 700 is two chunks, 500 and 200, each of them whole or absent.
    const perBatch = new Map<string, number>()
    for (const run of stored) {
      const batch = run.slice(0, run.lastIndexOf('-'))
      perBatch.set(batch, (perBatch.get(batch) ?? 0) + 1)
    }
    expect([...new Set(perBatch.values())].filter(count => count !== 700 && count !== 500)).toEqual([])
    await expectSound(services.sql)
    await services.sql.close()
  })
})

describe.each(scaled(PLACES.slice(1), PLACES))('on %s', (_name, makePlace) => {
  test('a kill during promotions loses no acknowledged decision and breaks no chain', async () => {
    const place = await makePlace()
    const releases = await prepare(place)
    const acknowledged: string[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const lines = await killMidway('promote.ts', { place, releases }, 3 + kill)
      for (const line of lines as { body: { action_id: string } }[]) acknowledged.push(line.body.action_id)
    }
    const services = await open(place)
    const actions = await expectSound(services.sql)
    const stored = new Set(actions.map(action => action.action_id))
    expect(acknowledged.filter(id => !stored.has(id))).toEqual([])
    expect(acknowledged.length).toBeGreaterThanOrEqual(KILLS * 3)
    await services.sql.close()
  })
})

/** All of them at once: by pages, the million that the long form stores would take a quarter of an hour to read. */
async function storedRuns(db: Sql): Promise<Set<string>> {
  const rows = await rowsOf(db, sql`SELECT run_id FROM run_events`)
  return new Set(rows.map(row => String(row.run_id)))
}
