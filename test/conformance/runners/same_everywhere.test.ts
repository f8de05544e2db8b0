import { expect, onTestFinished, test } from 'vitest'
import type { ApiExample } from '../../../src/http/openapi/openapi.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import { importPrices, register } from '../../support/services/builders.ts'
import { postgresService, temporaryDatabase } from '../../support/databases/postgres.ts'
import { seededRandom } from '../../../src/base/numbers.ts'
import { randomLog } from '../../support/databases/random_log.ts'
import { playScenario } from '../../support/scenarios/api.ts'
import { ok, setPolicy } from '../../support/services/requests.ts'
import { scaled } from '../../support/scale.ts'
import { type MakeService, NOON, testService } from '../../support/services/service.ts'
import { workerService } from '../../support/workers/service.ts'
import { ingestInPieces, randomQuery } from '../suite/decisions/diff_equivalence.ts'

const LOGS = scaled(1, 1000)
const EVENTS = 150
const QUERIES = 6
const OPTIONS = { workspace: { diff: { min_candidate_runs: 20, min_baseline_runs: 15, min_low_runs: 4 } } }

const d1 = workerService(fixture => fixture.d1())
const postgresInWorker = workerService(async () => {
  const name = await temporaryDatabase()
  const sql = openPostgres({ url: `${name}?max=2` })
  onTestFinished(() => sql.close())
  return { name, sql }
})

const PLACES: Readonly<Record<string, MakeService>> = {
  'Node and SQLite': testService,
  'Node and PostgreSQL': postgresService,
  'workerd and D1': d1.makeService,
  'workerd and PostgreSQL': postgresInWorker.makeService,
}

const seeds = Array.from({ length: LOGS }, (_, index) => index + 1)

test.each(seeds)('random log %i gives the same diffs on every database and runtime', async seed => {
  const reports: [place: string, reports: unknown][] = []
  for (const [place, make] of Object.entries(PLACES)) reports.push([place, await diffsOf(make, seed)])
  const [[, first], ...others] = reports as [(typeof reports)[number], ...typeof reports]
  for (const [place, other] of others) expect({ place, reports: other }).toEqual({ place, reports: first })
})

test.each([false, true])('every endpoint answers the same story alike, with approval: %s', async approval => {
  const answersByPlace: [place: string, answers: unknown][] = []
  for (const [place, make] of Object.entries(PLACES)) {
    const service = await make({ workspace: { promotion_requires_approval: approval } })
    const cast = {
      plain: service,
      approving: service,
      people: service,
      guarded: service,
      narrow: service,
      down: service,
    }
    answersByPlace.push([place, (await playScenario(cast)).map(comparable)])
  }
  const [[, first], ...others] = answersByPlace as [(typeof answersByPlace)[number], ...typeof answersByPlace]
  for (const [place, other] of others) expect({ place, answers: other }).toEqual({ place, answers: first })
})

/** An answer without what is of one database alone. */
function comparable({ route, status, response }: ApiExample): unknown {
  return { route, status, response: OF_ONE_DATABASE.has(route) ? null : response }
}

const OF_ONE_DATABASE = new Set(['GET /v1/doctor', 'GET /metrics'])

/** What the log of a seed gives: release ids as names, numbers to 12 significant digits. */
async function diffsOf(makeService: MakeService, seed: number): Promise<unknown> {
  const random = seededRandom(seed)
  const service = await makeService(OPTIONS)
  await importPrices(service)
  await setPolicy(service, { max_cost_per_run_usd: 60, max_latency_ms: 2500, max_error_rate: 0.2 })
  const releases = [await register(service), await register(service, { model: 'm2' })]
  await ingestInPieces(service, randomLog(random, releases, EVENTS), random)
  const reports: unknown[] = []
  for (let query = 0; query < QUERIES; query++) {
    service.clock.now = NOON + Math.floor((random() - 0.3) * 200_000)
    const report = await ok(service.call('POST /v1/diff', { body: randomQuery(random, releases).body }))
    const text = JSON.stringify(report, (_, value: unknown) =>
      typeof value === 'number' ? Number(value.toPrecision(12)) : value,
    )
    reports.push(JSON.parse(text.replaceAll(releases[0]!, 'baseline').replaceAll(releases[1]!, 'candidate')))
  }
  return reports
}
