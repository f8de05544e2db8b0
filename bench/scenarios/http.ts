import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Scenario, median, percentile } from '../harness.ts'
import { benchRelease, benchEvent, servedLedger } from '../ledger.ts'
import { type BenchServer, load, startBenchServer } from '../load.ts'

const CONNECTIONS = 16

/** Requests per second against the same adapter without the service, and health while others write. */
export const httpScenario: Scenario = {
  name: 'http',
  about: `requests per second over ${CONNECTIONS} connections, against the same adapter with nothing on it`,
  run: async ({ quick }, report) => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
    await addReleases(folder, 20)
    const service = await startBenchServer('service', folder)
    const bare = await startBenchServer('bare', folder)
    try {
      const seconds = quick ? 0.2 : 2
      const rounds = quick ? 1 : 5
      for (const [what, path, barePath, atLeast] of [
        ['GET /health', '/health', '/constant', 0.9],
        ['GET /v1/releases, 20 rows', '/v1/releases', '/query', 0.7],
      ] as const) {
        const ratios: number[] = []
        const rates: number[] = []
        for (let round = 0; round < rounds; round++) {
          // In turn, so that a change of the machine's speed meets both.
          const limit = (await load({ url: bare.url + barePath }, CONNECTIONS, seconds)).length
          const own = (await load({ url: service.url + path }, CONNECTIONS, seconds)).length
          ratios.push(own / limit)
          rates.push(own / seconds)
        }
        report({ scenario: 'http', what, value: median(rates), unit: 'req/s' })
        report({
          scenario: 'http',
          what: `${what} / bare`,
          value: median(ratios),
          unit: 'x',
          target: { atLeast },
        })
      }
      await healthWhileIngesting(service, quick, (value, events) => {
        report({ scenario: 'http', what: 'ingest meanwhile', value: events, unit: 'events/s' })
        report({
          scenario: 'http',
          what: 'GET /health while ingesting, p99',
          value,
          unit: 'ms',
          target: { atMost: 25 },
        })
      })
    } finally {
      await Promise.all([service.stop(), bare.stop()])
      await rm(folder, { recursive: true, force: true })
    }
  },
}

async function addReleases(folder: string, count: number): Promise<void> {
  const { services, close } = await servedLedger(folder)
  for (let index = 0; index < count; index++) await benchRelease(services, String(index))
  await close()
}

async function healthWhileIngesting(
  { url }: BenchServer,
  quick: boolean,
  report: (p99: number, eventsPerSecond: number) => void,
): Promise<void> {
  const seconds = quick ? 0.5 : 10
  let sent = 0
  const body = (): string => {
    const now = Date.now()
    const events = Array.from({ length: 500 }, () => benchEvent('rel_x', sent++, now))
    return JSON.stringify({ events })
  }
  const ingest = load({ url: `${url}/v1/events`, method: 'POST', body }, 4, seconds)
  const times = await load({ url: `${url}/health` }, 1, seconds)
  const requests = (await ingest).length
  report(percentile(times, 0.99), (requests * 500) / seconds)
}
