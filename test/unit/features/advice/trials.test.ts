import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { liveOf, templateText } from '../../../../src/features/advice/template_text.ts'
import { randomOf } from '../../../../tools/calibration/traffic.ts'
import { trialRun } from '../../../support/scenarios/trials.ts'
import { eventOf, importPrices, register } from '../../../support/services/builders.ts'
import { NOON, type TestService, testService } from '../../../support/services/service.ts'

const SEEDS = 20
const RISES = { live: 0, same: 0, costly: 0.3, broken: 0 }

/** 100 runs of 3 s of each of three releases in five minutes, of which the first is promoted. Returns the others. */
async function tried(service: TestService, agent_id: string, seed: number): Promise<string[]> {
  const random = randomOf(seed, 'trial')
  const ids: string[] = []
  for (const [version, rise] of Object.entries(RISES)) {
    const release_id = await register(service, { agent: agent_id, version })
    ids.push(release_id)
    const events = Array.from({ length: 100 }, (_, index) => {
      const {
        input_tokens: input,
        output_tokens: output,
        latency_ms: latency,
        success,
      } = trialRun(random, rise)
      const isSuccess = version === 'broken' ? random.uniform() >= 0.5 : success
      const at = NOON - 330_000 + 3_000 * index + latency
      const run_id = `${release_id}-${index}`
      return eventOf({ agent_id, release_id, run_id, at, latency, input, output, success: isSuccess })
    })
    await service.call('POST /v1/events', { body: { events } })
  }
  const body = { release_id: ids.shift(), environment: 'local', window: '1h', reason: 'first' }
  await service.call('POST /v1/promote', { body })
  return ids
}

test('the gate tells an unchanged release from one that costs 30 % more, or half of whose runs fail, by 100 runs of each under the template for ci', async () => {
  const verdicts: Record<string, string[]> = {}
  const service = await testService()
  await importPrices(service)
  for (let seed = 0; seed < SEEDS; seed++) {
    const agent_id = `bot${seed}`
    const ids = await tried(service, agent_id, seed)
    const query = { agent_id, environment: 'local' }
    const { body: advice } = await service.call('GET /v1/policy/advice', { query })
    for (const live of [undefined, liveOf(advice)]) {
      await service.call('PUT /v1/policy', { body: parse(templateText('ci', live)) })
      for (const [index, release_id] of ids.entries()) {
        const { body } = await service.call(`GET /v1/gate/${agent_id}/local`, {
          query: { window: '1h', release_id },
        })
        const trial = `${['same', 'dear', 'broken'][index]} by ${live === undefined ? 'changes' : 'both'}`
        ;(verdicts[trial] ??= []).push(body.verdict)
      }
    }
  }
  for (const [trial, all] of Object.entries(verdicts)) {
    const passed = all.filter(verdict => verdict === 'pass').length
    expect([trial, all.length]).toEqual([trial, SEEDS])
    if (trial.startsWith('same')) expect(passed, trial).toBeGreaterThanOrEqual(19)
    else expect(passed, trial).toBeLessThanOrEqual(trial.startsWith('dear') ? 2 : 0)
  }
  expect(Object.keys(verdicts)).toHaveLength(6)
})
