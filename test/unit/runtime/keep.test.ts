import { expect, onTestFinished, test, vi } from 'vitest'
import { runUpkeep } from '../../../src/runtime/keep.ts'
import type { Services } from '../../../src/runtime/services.ts'
import { plainLedger } from '../../support/ledgers/plain_ledger.ts'

test('events are summed every ten seconds, and the rest of the upkeep is done once a minute', async () => {
  const done: string[] = []
  const features = {
    upkeep: [async () => async () => void done.push('upkeep')],
    sums: [async () => ({ catchUp: async () => void done.push('sums') })],
  }
  let elapsed = 0
  const ledger = await plainLedger()
  const services = { ...ledger, features, version: '1', elapsed: () => elapsed }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const runner = runUpkeep(services as unknown as Services, { firstMs: 0 })
  onTestFinished(async () => {
    vi.useRealTimers()
    await runner.stop()
  })
  for (let call = 1; call <= 8; call++) {
    await vi.advanceTimersByTimeAsync(elapsed === 0 ? 0 : 10_000)
    while (done.length < call) await new Promise(setImmediate)
    // The next look is due once this one has ended.
    while (vi.getTimerCount() === 0) await new Promise(setImmediate)
    elapsed += 10_000
  }
  expect(done).toEqual(['upkeep', 'sums', 'sums', 'sums', 'sums', 'sums', 'upkeep', 'sums'])
})
