import { expect, onTestFinished, test } from 'vitest'
import { checkRollouts } from '../../src/features/rollouts/tick.ts'
import { startServer } from '../../src/runtime/node/server.ts'
import { serverLog } from '../../src/runtime/log.ts'
import { installExamples } from '../support/processes/examples.ts'
import { eventOf, importPrices, register } from '../support/services/builders.ts'
import { ingest, ok, pointerOf, promote, setPolicy } from '../support/services/requests.ts'
import { testService } from '../support/services/service.ts'
import { LIMITS, MINUTE_MS, rolloutOf } from '../support/rollouts/scene.ts'

test('an agent whose candidate fails: its rollout aborts, and all sessions get the live release', async () => {
  const service = await testService()
  // A rollout counts runs from two minutes after its start on, and the agent has no clock but the real one.
  const start = Date.now() - 3 * MINUTE_MS
  service.clock.now = start
  await importPrices(service)
  await setPolicy(service, LIMITS)
  const [baseline, candidate] = [
    await register(service, { version: '1' }),
    await register(service, { version: '2' }),
  ]
  const day = Array.from({ length: 480 }, (_, index) =>
    eventOf({ release_id: baseline, run_id: `before-${index}`, at: start - (index + 1) * 2 * MINUTE_MS }),
  )
  await ingest(service, day)
  await ok(promote(service, baseline, { window: '2h' }))
  const body = { release_id: candidate, environment: 'local', reason: 'a better prompt', steps: '50%:1h' }
  await ok(service.call('POST /v1/rollouts', { body }))
  service.clock.now = Date.now()

  const log = serverLog('off', () => undefined, Date.now)
  const served = await startServer(async () => service.context, {
    host: '127.0.0.1',
    port: 0,
    log,
    drainTimeoutMs: 0,
  })
  onTestFinished(() => served.close())
  const project = await installExamples()
  const answer = async (sessions: number) => {
    const args = ['agent/rollout.mjs', 'bot', 'local', String(sessions)]
    const { code, stdout, stderr } = await project.end('node', args, { SERVICE_URL: served.url })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    service.clock.now = Date.now()
    await checkRollouts(service.context)
    return stdout
  }
  expect(await answer(400)).toMatch(/^version 1 answered \d+ sessions\nversion 2 answered \d+ sessions\n$/)
  expect(await rolloutOf({ service })).toMatchObject({
    state: 'aborted',
    because: expect.stringMatching(/error_rate \+\d+\.\d points, at least /),
    last_check: { wrong_share: 0 },
  })
  expect(await answer(20)).toBe('version 1 answered 20 sessions\n')
  expect(await pointerOf(service)).toBe(baseline)
})
