import { performance } from 'node:perf_hooks'
import { expect, test, vi } from 'vitest'
import { countRequest } from '../../../src/ledger/world/tally.ts'
import { gently } from '../../../src/runtime/pace.ts'
import { eventOf, importPrices, register } from '../../support/services/builders.ts'
import { ingest, ok, promote } from '../../support/services/requests.ts'
import { testService } from '../../support/services/service.ts'

test('background work rests while others store events, decide or send requests, and only then', async () => {
  const service = await testService()
  const clock = vi.spyOn(performance, 'now')
  let now = 0
  clock.mockImplementation(() => now)
  const sleeps: number[] = []
  const pace = gently(service.context, undefined, async ms => void sleeps.push(ms))
  const restAfter = async (passed: number) => {
    now += passed
    await pace(async () => void (now += 20))
    return sleeps.at(-1)
  }
  await importPrices(service)
  const release_id = await register(service)
  // Who has just begun doesn't know yet whether there are others.
  expect(await restAfter(0)).toBe(180)
  expect(await restAfter(500)).toBe(180)
  expect(await restAfter(600)).toBe(0)
  await ingest(service, [eventOf({ release_id, run_id: 'a' })])
  expect(await restAfter(0)).toBe(180)
  expect(await restAfter(2000)).toBe(0)
  await ok(promote(service, release_id))
  expect(await restAfter(0)).toBe(180)
  expect(await restAfter(2000)).toBe(0)
  countRequest(service.context.tally, { route: '/v1/diff', method: 'POST', status: 200, seconds: 1 })
  expect(await restAfter(0)).toBe(180)
  expect(await restAfter(2000)).toBe(0)
  clock.mockRestore()
})
