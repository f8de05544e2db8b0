import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgres } from '../../src/sql/postgres/node.ts'
import { startEmbedded } from '../../test/support/databases/embedded_postgres.ts'
import { type Figure, type Scenario, median, percentile } from '../harness.ts'
import { benchRelease, benchServices, fillEvents } from '../ledger.ts'
import { type BenchServer, load, startBenchServer } from '../load.ts'

/** Runs of each of the two releases that are promoted in turn. */
const RUNS = 30_000
const CLIENTS = [1, 8, 32, 128]
const SERVERS = [1, 3]

/** Promotions in one place on PostgreSQL with its default settings, by clients that don't pause. */
export const decisionsScenario: Scenario = {
  name: 'decisions',
  about: `POST /v1/promote on PostgreSQL, ${2 * RUNS} runs of evidence, one place, one server and three`,
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
      let turn = 0
      const body = (): string =>
        JSON.stringify({
          release_id: releases[turn++ % 2],
          environment: 'local',
          window: '7d',
          reason: 'bench',
        })
      const target = ({ url }: BenchServer) => ({ url: `${url}/v1/promote`, method: 'POST', body })
      const servers: BenchServer[] = []
      try {
        for (const count of SERVERS) {
          while (servers.length < count) {
            const server = await startBenchServer('service', folder, database.url)
            servers.push(server)
            await load(target(server), 2, quick ? 0.2 : 3)
          }
          for (const clients of CLIENTS.filter(many => many >= count)) {
            const seconds = quick ? 0.2 : 10
            const times = await Promise.all(
              servers.map((server, index) =>
                load(target(server), Math.floor((clients + index) / count), seconds),
              ),
            )
            const all = times.flat()
            const by = `promote, ${count} × svc serve, ${clients} ${clients === 1 ? 'client' : 'clients'}`
            tell({ what: by, value: all.length / seconds, unit: 'req/s' })
            tell({ what: `${by}, p50`, value: median(all), unit: 'ms' })
            tell({ what: `${by}, p99`, value: percentile(all, 0.99), unit: 'ms' })
          }
        }
      } finally {
        for (const server of servers) await server.stop()
      }
    } finally {
      await database.stop()
      await rm(folder, { recursive: true, force: true })
    }
  },
}
