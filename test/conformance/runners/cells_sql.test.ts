import postgres from 'postgres'
import { onTestFinished, expect, test } from 'vitest'
import { seededRandom } from '../../../src/base/numbers.ts'
import { HOUR_MS } from '../../../src/base/time.ts'
import { queriesOf } from '../../../src/features/cells/rules_sql.ts'
import { engineRuns, headerOf, linesOf } from '../../support/cells/cells.ts'
import { temporaryDatabase } from '../../support/databases/postgres.ts'
import { randomLog } from '../../support/databases/random_log.ts'
import { importPrices, register } from '../../support/services/builders.ts'
import { diffOf, ingest, ok } from '../../support/services/requests.ts'
import { NOON, testService } from '../../support/services/service.ts'

test('the queries for PostgreSQL make the cells that our own ingest sums', async () => {
  const [events, cells] = [await scene(), await scene()]
  const log = randomLog(seededRandom(7), events.ids, 2000)
    .filter(({ at, other, written }) => at < NOON && other === undefined && written === 0)
    .map(({ json }) => json)
  await ingest(events.service, log)
  const runs = engineRuns(log).map(run => ({
    release_id: run.release_id,
    environment: run.environment,
    agent_id: run.agent_id,
    provider: run.usage[0]!.provider,
    model: run.usage[0]!.model,
    ts_ms: run.at,
    is_end: true,
    success: run.success,
    latency_ms: run.latency,
    input_tokens: run.usage[0]!.input,
    output_tokens: run.usage[0]!.output,
    cached_input_tokens: run.usage[0]!.cached,
  }))
  const client = postgres(await temporaryDatabase(), { max: 1, onnotice: () => {} })
  onTestFinished(() => client.end())
  await client.unsafe(`CREATE TEMPORARY TABLE runs (release_id text, environment text, agent_id text, provider text,
    model text, ts_ms bigint, is_end boolean, success boolean, latency_ms bigint, input_tokens bigint,
    output_tokens bigint, cached_input_tokens bigint)`)
  for (let at = 0; at < runs.length; at += 500)
    await client`INSERT INTO runs ${client(runs.slice(at, at + 500))}`
  const [from, to] = [NOON - 96 * HOUR_MS, NOON]
  const lines: Record<string, unknown>[] = []
  for (const { sql } of queriesOf('postgres')) {
    const filled = sql
      .replaceAll('{table}', 'runs')
      .replaceAll('{from_ms}', `${from}`)
      .replaceAll('{to_ms}', `${to}`)
    for (const { row_to_json: line } of await client.unsafe(filled))
      lines.push(line as Record<string, unknown>)
  }
  expect(lines.length).toBeGreaterThan(500)
  await ok(cells.service.call('POST /v1/cells', { body: linesOf(headerOf(from, to), lines) }))
  for (const window of ['3d', '24h', '1h']) {
    const [expected, found] = [
      await diffOf(events.service, events.ids, { window, tails: true }),
      await diffOf(cells.service, cells.ids, { window, tails: true }),
    ]
    expect(withoutStrata(found)).toEqual(withoutStrata(expected))
  }
})

async function scene() {
  const service = await testService()
  await importPrices(service)
  const ids = [await register(service, { version: '1' }), await register(service, { version: '2' })] as const
  return { service, ids }
}

/** A table of runs has no tenants and tasks. */
function withoutStrata(report: object): unknown {
  return JSON.parse(
    JSON.stringify(report, (key, value: unknown) =>
      ['evaluated_at', 'hot_spots', 'strata'].includes(key) ? undefined : value,
    ),
  )
}
