import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { checkRollout } from '../../src/features/rollouts/check_rollout.ts'
import { rolloutStatement } from '../../src/features/rollouts/rows.ts'
import { assignBy } from '../../src/sdk/assign.ts'
import type { Services } from '../../src/runtime/services.ts'
import { type Row, raw, rowsOf, sql } from '../../src/sql/port.ts'
import { benchClient } from '../client.ts'
import { type Figure, type Scenario, median, percentile, timesOf } from '../harness.ts'
import { benchRelease, fillEvents, servedLedger } from '../ledger.ts'
import { startBenchServer } from '../load.ts'

const BATCH = 500
/** Runs of all steps together whose sums a check reads. */
const SUMMED_RUNS = 10_000_000
const [STEPS, SIDES, BUCKETS] = [5, 2, 100]

/** What a rollout costs programs that ask, and the server that checks. */
export const rolloutsScenario: Scenario = {
  name: 'rollouts',
  about: 'assignment by the SDK, GET /v1/pointers of a split over HTTP in turn with /health, and a check',
  run: async ({ quick }, report) => {
    const tell = (figure: Omit<Figure, 'scenario'>): void => report({ scenario: 'rollouts', ...figure })
    for (const [by, what] of [
      ['session', 'assignment, p50 of batches of 500'],
      ['user', 'the same by user, whose name is hashed first'],
    ] as const) {
      const target = by === 'session' ? { target: { atMost: 5 } } : {}
      tell({ what, value: median(assignmentTimes(by, quick ? 20 : 400)), unit: 'µs', ...target })
    }
    const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
    const { services, close } = await servedLedger(folder)
    const [baseline, candidate] = [await benchRelease(services, '1'), await benchRelease(services, '2')]
    await fillEvents(services, [baseline], 0, 20_000, Date.now())
    const server = await startBenchServer('service', folder)
    const client = benchClient(server.url)
    try {
      const place = { environment: 'local', reason: 'bench' }
      await client.call('POST', '/v1/promote', { release_id: baseline, window: '7d', ...place })
      const limits = {
        max_latency_increase_pct: 0.1,
        max_cost_increase_pct: 0.1,
        max_error_rate_increase: 0.02,
      }
      await client.call('PUT', '/v1/policy', limits)
      const started = await client.call('POST', '/v1/rollouts', { release_id: candidate, ...place })
      const { rollout_id } = JSON.parse(started) as { rollout_id: string }

      const path = '/v1/pointers/bench/local'
      const calls: Record<'health' | 'pointer', number[]> = { health: [], pointer: [] }
      for (let round = 0; round < (quick ? 1 : 20); round++) {
        calls.health.push(...(await timesOf(quick ? 3 : 100, () => client.call('GET', '/health'))))
        calls.pointer.push(...(await timesOf(quick ? 3 : 100, () => client.call('GET', path))))
      }
      const [health, pointer] = [median(calls.health), median(calls.pointer)]
      tell({ what: 'GET /health, p50', value: health, unit: 'ms' })
      tell({ what: 'GET /v1/pointers of a split, p50', value: pointer, unit: 'ms' })
      tell({ what: 'the same: of GET /health', value: pointer / health, unit: 'x', target: { atMost: 1.3 } })

      const row = await fillSums(services, rollout_id)
      const claimed = { row, lease: '', now: Date.now() }
      const checks = await timesOf(quick ? 3 : 101, () => checkRollout(services, claimed))
      const { facts } = await checkRollout(services, claimed)
      const { baseline_runs, candidate_runs } = facts.metrics.error_rate
      if (baseline_runs + candidate_runs < 0.7 * SUMMED_RUNS) throw new Error('the check saw too few runs')
      const what = `a check of the sums of ${SUMMED_RUNS.toLocaleString('en-US')} runs, p50`
      tell({ what, value: median(checks), unit: 'ms', target: { atMost: 15 } })
      tell({ what: 'the same, p95', value: percentile(checks, 0.95), unit: 'ms' })
    } finally {
      client.close()
      await server.stop()
      await close()
      await rm(folder, { recursive: true, force: true })
    }
  },
}

function assignmentTimes(by: 'session' | 'user', batches: number): number[] {
  const arm = { release_id: 'rel_0123456789ab', version: '1', checksum: '0'.repeat(64) }
  const of = { rollout_id: 'rol_0123456789ab', by, share: 0.05, lease_s: 60, assignment_key: 'k'.repeat(60) }
  const split = { ...of, baseline: arm, candidate: arm }
  return Array.from({ length: batches }, (_, batch) => {
    const startedAt = performance.now()
    for (let index = 0; index < BATCH; index++) assignBy(split, `session-${batch}-${index}`)
    return ((performance.now() - startedAt) * 1000) / BATCH
  })
}

/** Puts a rollout into its last step, with sums of as many runs as buckets and models make rows for. */
async function fillSums({ sql: db }: Services, rolloutId: string): Promise<Row> {
  const [row] = await rowsOf(db, rolloutStatement(db, rolloutId))
  const variants = await rowsOf(db, sql`SELECT id FROM variants ORDER BY id`)
  const runs = Math.round(SUMMED_RUNS / (STEPS * SIDES * BUCKETS * variants.length))
  const steps = JSON.parse(String(row!.steps_json)) as { started_at: string | null }[]
  const last = {
    steps_json: JSON.stringify(steps.map(step => ({ ...step, started_at: steps[0]!.started_at }))),
  }
  const columns = (await rowsOf(db, raw("SELECT name FROM pragma_table_info('rollout_sums')"))).map(
    ({ name }) => String(name),
  )
  const aggregates: Row[] = []
  for (let step = 0; step < STEPS; step++) {
    for (let side = 0; side < SIDES; side++) {
      for (let bucket = 0; bucket < BUCKETS; bucket++) {
        for (const { id } of variants) {
          const level = 1000 + ((bucket * 37 + side * 11) % 100)
          aggregates.push({ rollout: row!.seq!, step, side, bucket, variant: id!, runs, level })
        }
      }
    }
  }
  const valueOf = (column: string, aggregate: Row): number => {
    const [n, level] = [Number(aggregate.runs), Number(aggregate.level)]
    if (column in aggregate) return Number(aggregate[column])
    if (column === 'strays') return 0
    if (column === 'errors') return Math.round(n / 50)
    if (column === 'latency_count') return n
    // Sums of whole numbers are whole.
    return column.endsWith('_sum') ? n * level : Math.round(1.2 * n * level * level)
  }
  const json = JSON.stringify(aggregates.map(aggregate => columns.map(column => valueOf(column, aggregate))))
  const listed = columns.map((_, index) => `value ->> ${index}`).join(', ')
  await db.batch([
    sql`INSERT INTO rollout_sums (${raw(columns.join(', '))}) SELECT ${raw(listed)} FROM json_each(${json})`,
  ])
  return { ...row!, ...last, step: STEPS - 1 }
}
