import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../src/base/numbers.ts'
import { HOUR_MS } from '../../../src/base/time.ts'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { engineRuns, headerOf, merged } from '../../support/aggregates/aggregates.ts'
import { type EngineTable, runClickHouse, runDuckDb, runPostgres } from '../../support/aggregates/engines.ts'
import { langfuseTables, otelTable, randomTraces, traceEvents } from '../../support/aggregates/traces.ts'
import { raw } from '../../../src/sql/port.ts'
import { randomLog } from '../../support/databases/random_log.ts'
import { scaled } from '../../support/scale.ts'
import { importPrices, register } from '../../support/services/builders.ts'
import { diffOf, ingest, ok, setPolicy } from '../../support/services/requests.ts'
import { NOON, type TestService, testService } from '../../support/services/service.ts'

/** Words of each engine for a whole number, a text and a truth, none of which is null but where it says so. */
const TYPES = {
  postgres: {
    int: 'bigint',
    text: 'text',
    bool: 'boolean',
    real: 'double precision',
    or: (type: string) => type,
  },
  duckdb: { int: 'BIGINT', text: 'VARCHAR', bool: 'BOOLEAN', real: 'DOUBLE', or: (type: string) => type },
  clickhouse: {
    int: 'Int64',
    text: 'String',
    bool: 'Bool',
    real: 'Float64',
    or: (type: string) => `Nullable(${type})`,
  },
} as const
type Tried = keyof typeof TYPES

const RUN = { postgres: runPostgres, duckdb: runDuckDb, clickhouse: runClickHouse } as const
const SPAN = { from_ms: NOON - 96 * HOUR_MS, to_ms: NOON }
const SEEDS = scaled([7], [1, 2, 3, 4, 5])

// The other engines are 70 MB and 900 MB: `npm run prove -- engines` brings them.
describe.each(scaled<Tried[]>(['postgres'], ['postgres', 'duckdb', 'clickhouse']))('%s', engine => {
  test.each(SEEDS)('makes the aggregates of tables of runs that our own ingest sums, seed %d', async seed => {
    const [events, aggregates] = [await scene(), await scene()]
    const random = seededRandom(seed)
    const log = randomLog(random, events.ids, scaled(600, 2000))
      .filter(({ at }) => at < NOON)
      .map(({ json }) => ({ ...json, scores: { helpful: random(), short: random() * 3 - 1 } }))
    await ingest(events.service, log)
    await forgetFailed(events.service)
    await importFrom(aggregates.service, engine, [engine], tablesOf(engine, log))
    await expectSameDiffs(events, aggregates)
  })
})

describe.runIf(scaled(false, true))('traces in clickhouse', () => {
  test.each(SEEDS)(
    'of the OpenTelemetry exporter make the aggregates that their events sum, seed %d',
    async seed => {
      const [events, aggregates] = [await scene(), await scene()]
      const traces = randomTraces(seededRandom(seed), 1000)
      await ingest(
        events.service,
        traceEvents(traces, events.ids).map(event => ({ ...event, scores: undefined })),
      )
      const tables = [otelTable(traces), releasesTable(aggregates.ids)]
      await importFrom(aggregates.service, 'clickhouse', ['clickhouse-otel', 'clickhouse'], tables)
      await expectSameDiffs(events, aggregates)
    },
  )

  test.each(SEEDS)('of Langfuse make the aggregates that their events sum, seed %d', async seed => {
    const [events, aggregates] = [await scene(), await scene()]
    const traces = randomTraces(seededRandom(seed), 1000)
    await ingest(events.service, traceEvents(traces, events.ids))
    const tables = [...langfuseTables(traces), releasesTable(aggregates.ids)]
    await importFrom(aggregates.service, 'clickhouse', ['clickhouse-langfuse', 'clickhouse'], tables)
    await expectSameDiffs(events, aggregates)
  })
})

async function scene() {
  const service = await testService()
  await importPrices(service)
  await setPolicy(service, { min_scores: { helpful: 0.1, short: 0.1 } })
  const ids = [
    await register(service, { version: '1' }),
    await register(service, { version: '2', model: 'm2' }),
  ] as const
  return { service, ids }
}

/** Imported sums don't tell failed runs apart, so the others are compared over all runs too. */
async function forgetFailed({ context }: TestService): Promise<void> {
  for (const table of ['rollup_minutes', 'rollup_hours']) {
    await context.sql.batch([
      raw(`UPDATE ${table} SET failed_count = 0, failed_latency_sum = 0, failed_input_sum = 0`),
    ])
  }
}

async function importFrom(
  service: TestService,
  engine: Tried,
  files: readonly string[],
  tables: readonly EngineTable[],
): Promise<void> {
  const statements = files.flatMap(statementsOf)
  const header = JSON.stringify(headerOf(SPAN.from_ms, SPAN.to_ms))
  const body = `${header}\n${await RUN[engine](tables, statements)}`
  await ok(service.call('POST /v1/aggregates', { body }))
  const kinds = new Set(body.split('\n').map(line => /"aggregate": ?"(\w+)"/.exec(line)?.[1]))
  const scores = files.includes('clickhouse-otel') ? [] : ['scores']
  expect(kinds).toEqual(new Set([undefined, 'runs', 'latency', 'parts', ...scores]))
}

/** The statements of a file of examples/aggregates, with the parameters that its engine's client fills in. */
function statementsOf(file: string): string[] {
  const text = readFileSync(join(ROOT_PATH, 'examples/aggregates', `${file}.sql`), 'utf8')
  return text
    .replaceAll(/\{(from_ms|to_ms):Int64\}|getvariable\('(\w+)'\)|:(from_ms|to_ms)\b/g, (_, ...names) =>
      String(SPAN[names.find(name => name !== undefined) as keyof typeof SPAN]),
    )
    .replaceAll('{project:String}', `'it\\'s'`)
    .split(/;\n/)
    .filter(statement => statement.trim() !== '')
}

/** A row per registered release, which is what traces name runs by. */
function releasesTable(ids: readonly string[]): EngineTable {
  return {
    name: 'releases',
    columns:
      'agent_id String, version String, release_id String, model String, provider String) ENGINE = MergeTree ORDER BY (agent_id',
    rows: ids.map((release_id, index) => ({
      agent_id: 'bot',
      version: String(index + 1),
      release_id,
      model: `m${index + 1}`,
      provider: 'acme',
    })),
  }
}

/** Expects that both have the same figures; a table of runs has no tenants and tasks. */
async function expectSameDiffs(one: Awaited<ReturnType<typeof scene>>, other: typeof one): Promise<void> {
  for (const window of ['3d', '24h', '1h']) {
    for (const environment of ['local', 'prod']) {
      const body = { window, environment, tails: true }
      const [expected, found] = [
        figures(await diffOf(one.service, one.ids, body)),
        figures(await diffOf(other.service, other.ids, body)),
      ]
      expect(found).toEqual(expected)
    }
  }
}

function figures(report: object): unknown {
  return JSON.parse(
    JSON.stringify(report, (key, value: unknown) =>
      ['evaluated_at', 'segment_regressions', 'segments'].includes(key)
        ? undefined
        : key === 'warnings'
          ? (value as string[]).filter(text => !text.includes('summed by tenant and task'))
          : value,
    ),
  )
}

/** Tables with the columns that docs/aggregates.md names. */
function tablesOf(engine: Tried, log: readonly Record<string, unknown>[]): EngineTable[] {
  const { int, text, bool, real, or } = TYPES[engine]
  const rest = engine === 'clickhouse' ? ') ENGINE = MergeTree ORDER BY (ts_ms' : ''
  const place = `release_id ${text}, environment ${text}, ts_ms ${int}`
  const model = `agent_id ${text}, provider ${text}, model ${text}`
  const tokens = `input_tokens ${int}, output_tokens ${int}, cached_input_tokens ${int}`
  const runs = engineRuns(log)
  const of = ({ release_id, environment, at: ts_ms }: (typeof runs)[number]) => ({
    release_id,
    environment,
    ts_ms,
  })
  const used = ({
    provider,
    model: name,
    input,
    output,
    cached,
  }: (typeof runs)[number]['usage'][number]) => ({
    provider,
    model: name,
    input_tokens: input,
    output_tokens: output,
    cached_input_tokens: cached,
  })
  return [
    {
      name: 'runs',
      columns: `${place}, ${model}, ${tokens}, is_end ${bool}, success ${bool}, latency_ms ${or(int)}${rest}`,
      rows: runs.map(run => ({
        ...of(run),
        agent_id: run.agent_id,
        ...used(run.usage[0]!),
        is_end: run.isEnd,
        success: run.success,
        latency_ms: run.latency,
      })),
    },
    {
      name: 'run_parts',
      columns: `${place}, ${model}, ${tokens}, cache_write_input_tokens ${int}${rest}`,
      rows: runs.flatMap(run => {
        const [own, ...others] = run.usage
        const written = own!.written === 0 ? [] : [{ ...own!, input: 0, output: 0, cached: 0 }]
        return merged([...written, ...others]).map(part => ({
          ...of(run),
          agent_id: run.agent_id,
          ...used(part),
          cache_write_input_tokens: part.written,
        }))
      }),
    },
    {
      name: 'run_scores',
      columns: `${place}, name ${text}, score ${real}${rest}`,
      rows: runs.flatMap(run =>
        Object.entries(run.scores).map(([name, score]) => ({ ...of(run), name, score })),
      ),
    },
  ]
}
