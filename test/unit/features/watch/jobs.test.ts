import { expect, test } from 'vitest'
import { runWatches } from '../../../../src/features/watch/jobs.ts'
import { testService } from '../../../support/services/service.ts'
import { promotedScene, runs, watchOf } from '../../../support/watches/scene.ts'

test('what runs beside a server checks what is due, and tells that there is something to send', async () => {
  const here = await promotedScene(testService, { watch: { for: '1h', auto_rollback: true } })
  const { service, candidate } = here
  await runs(service, candidate, 60, service.clock.now, { latency: 150 })
  service.clock.now += 60_000
  const { promise: filled, resolve } = Promise.withResolvers<void>()
  const runner = runWatches({ ...service.context, outboxFilled: resolve })
  await filled
  await runner.stop()
  expect(await watchOf(here)).toMatchObject({ state: 'rolled_back', checks: 1 })
})

test('what is stopped checks no more, and a ledger that fails is checked again later', async () => {
  const { service } = await promotedScene(testService, {})
  const { promise: failed, resolve } = Promise.withResolvers<string>()
  const broken = {
    ...service.context,
    sql: { ...service.sql, query: () => Promise.reject(new Error('away')) },
    log: (_level: string, message: string) => resolve(message),
  }
  const runner = runWatches(broken)
  expect(await failed).toBe("watches can't be checked")
  await runner.stop()
})
