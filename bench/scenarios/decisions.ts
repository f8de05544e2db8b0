import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgres } from '../../src/sql/postgres/node.ts'
import { startEmbedded } from '../../test/support/databases/embedded_postgres.ts'
import { type Figure, type Scenario, median, percentile } from '../harness.ts'
import { benchRelease, benchServices, fillEvents } from '../ledger.ts'
import { load, startBenchServer } from '../load.ts'

/** Runs of each of the two releases that are promoted in turn. */
const RUNS = 30_000
const CLIENTS = [1, 8, 32]

/** Promotions in one place on PostgreSQL with its default settings, by clients that don't pause. */
export const decisionsScenario: Scenario = {
  name: 'decisions',
  about: `POST /v1/promote on PostgreSQL, ${2 * RUNS} runs of evidence, one place, one server`,
  run: async ({ quick }, report) => {
    const tell = (figure: Omit<Figure, 'scenario'>): void => report({ scenario: 'decisions', ...figure })
    const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
    const database = await startEmbedded([])
    try {
      const sql = openPostgres({ url: database.url })
      const services = await benchServices(sql)
      const releases = [await benchRelease(services, '1'), await benchRelease(services, '2')] as const
      await fillEvents(services, releases, 0, quick ? 200 : RUNS, Date.now())
      await sql.close()
      const server = await startBenchServer('service', folder, database.url)
      try {
        let turn = 0
        const body = (): string =>
          JSON.stringify({
            release_id: releases[turn++ % 2],
            environment: 'local',
            window: '7d',
            reason: 'bench',
          })
        const target = { url: `${server.url}/v1/promote`, method: 'POST', body }
        await load(target, 2, quick ? 0.2 : 3)
        for (const clients of CLIENTS) {
          const seconds = quick ? 0.2 : 10
          const times = await load(target, clients, seconds)
          const by = `promote, ${clients} ${clients === 1 ? 'client' : 'clients'}`
          tell({ what: by, value: times.length / seconds, unit: 'req/s' })
          tell({ what: `${by}, p50`, value: median(times), unit: 'ms' })
          tell({ what: `${by}, p99`, value: percentile(times, 0.99), unit: 'ms' })
        }
      } finally {
        await server.stop()
      }
    } finally {
      await database.stop()
      await rm(folder, { recursive: true, force: true })
    }
  },
}
