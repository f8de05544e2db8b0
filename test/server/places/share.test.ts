import { expect, test } from 'vitest'
import { rowsOf, sql } from '../../../src/sql/port.ts'
import { importPrices, register } from '../../support/services/builders.ts'
import { ok, setPolicy } from '../../support/services/requests.ts'
import { testService } from '../../support/services/service.ts'

test('boards evaluate places for a share of the time, and each place in its turn', async () => {
  const service = await testService()
  const clock = { elapsed: 0 }
  // Who evaluates lets others in first: that takes 60 ms here, and nothing else takes any.
  const nextTurn = async (): Promise<void> => void (clock.elapsed += 60)
  Object.assign(service.context, { nextTurn, elapsed: () => clock.elapsed })
  await importPrices(service)
  const agents = ['a', 'b', 'c', 'd', 'e']
  for (const agent of agents) await register(service, { agent })

  /** What a board evaluates now. */
  async function evaluated(): Promise<string[]> {
    await ok(service.call('GET /v1/board'))
    const found = sql`SELECT agent_id FROM place_answers WHERE evaluated_at = ${service.clock.now}`
    await expect.poll(() => service.context.memo.keptPlaces.isBusy).toBe(false)
    return (await rowsOf(service.sql, found)).map(({ agent_id }) => String(agent_id))
  }

  expect(await evaluated()).toHaveLength(2)
  service.clock.now += 1000
  expect(await evaluated()).toHaveLength(0)
  const turns: string[] = []
  for (let round = 0; round < 10; round++) {
    // Each change of the policy makes outdated what is known of all places.
    await setPolicy(service, { max_cost_per_run_usd: 1 + round })
    service.clock.now += 1000
    clock.elapsed += 1100
    turns.push(...(await evaluated()))
  }
  expect(turns).toHaveLength(10)
  expect(turns.slice(5).toSorted()).toEqual(agents)
})

test('a place that is read again and again rests in between', async () => {
  const service = await testService()
  const clock = { elapsed: 0 }
  const snapshot: typeof service.sql.snapshot = statements => {
    clock.elapsed += 200
    return service.sql.snapshot(statements)
  }
  Object.assign(service.context, { sql: { ...service.sql, snapshot }, elapsed: () => clock.elapsed })
  await importPrices(service)
  await register(service, { agent: 'a' })
  const began = performance.now()
  for (let times = 0; times < 2; times++) await ok(service.call('GET /v1/places/a/local'))
  expect(performance.now() - began).toBeGreaterThan(900)
})
