import { performance } from 'node:perf_hooks'
import { EventQueue, ServiceClient } from '../../src/sdk/index.ts'
import { type Scenario, median, percentile } from '../harness.ts'

const BATCH = 500

/** What logging an event costs the program that logs it. */
export const sdkScenario: Scenario = {
  name: 'sdk',
  about: 'EventQueue.add on the thread of the host, while batches go out to a service that answers at once',
  run: async ({ quick }, report) => {
    const client = new ServiceClient('http://service.test', {
      fetch: async () => Response.json({ inserted: BATCH, skipped: 0 }),
    })
    const queue = new EventQueue(client, {
      defaults: { agent_id: 'bot', release_id: 'rel_0123456789ab', tenant_id: 'acme', environment: 'prod' },
    })
    const batches = quick ? 20 : 2000
    const times: number[] = []
    const cpuBefore = process.cpuUsage()
    for (let batch = 0; batch < batches; batch++) {
      const startedAt = performance.now()
      for (let index = 0; index < BATCH; index++) {
        queue.add({
          task_id: 'returns',
          metrics: { success: true, latency_ms: 800 + index },
          usage: {
            model: { provider: 'openai', model: 'gpt-4.1-mini', input_tokens: 1200, output_tokens: index },
          },
        })
      }
      times.push(((performance.now() - startedAt) * 1000) / BATCH)
      await queue.flush()
    }
    const cpu = process.cpuUsage(cpuBefore)
    const { sent, dropped } = await queue.close()
    if (sent !== batches * BATCH) throw new Error(`${sent} sent, ${dropped} dropped`)
    const value = median(times)
    report({ scenario: 'sdk', what: 'add, p50 of batches of 500', value, unit: 'µs', target: { atMost: 5 } })
    report({ scenario: 'sdk', what: 'add, p95', value: percentile(times, 0.95), unit: 'µs' })
    const perEvent = (cpu.user + cpu.system) / sent
    report({ scenario: 'sdk', what: 'CPU per event, sending included', value: perEvent, unit: 'µs' })
  },
}
