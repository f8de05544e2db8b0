import { describe, expect, test } from 'vitest'
import { DUE } from '../../../../src/features/rollouts/rows.ts'
import { checkRollouts } from '../../../../src/features/rollouts/tick.ts'
import { leaseDue } from '../../../../src/ledger/world/due.ts'
import { eventCutoff } from '../../../../src/features/retention/prune.ts'
import { sumsQuery } from '../../../../src/features/rollouts/sums.ts'
import { join, raw, sql } from '../../../../src/sql/port.ts'
import { ask } from '../../../../src/sql/query.ts'
import { eventOf, register } from '../../../support/services/builders.ts'
import {
  actionsOf,
  failedChecks,
  ingest,
  ok,
  pointerOf,
  promote,
  setPolicy,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON } from '../../../support/services/service.ts'
import {
  HOUR_MS,
  MINUTE_MS,
  pass,
  rolloutOf,
  rolloutScene,
  start,
  traffic,
} from '../../../support/rollouts/scene.ts'

const DAY_MS = 24 * HOUR_MS

/** Several processes, what one of them leaves behind, and clocks that jump. */
export function rolloutFaultsContract(makeService: MakeService): void {
  test('of several processes that check at the same time one goes on, once', async () => {
    const scene = await rolloutScene(makeService)
    const { service, candidate } = scene
    await ok(start(scene, { steps: '10%:10m,50%:30m' }))
    await traffic(scene, 10, {})
    await Promise.all(Array.from({ length: 4 }, () => checkRollouts(service.context)))
    expect(await rolloutOf(scene)).toMatchObject({ step: 1, checks: 1 })
    await traffic(scene, 60, {})
    await Promise.all(Array.from({ length: 4 }, () => checkRollouts(service.context)))
    expect(await rolloutOf(scene)).toMatchObject({ state: 'completed', checks: 2 })
    expect(await actionsOf(service)).toHaveLength(2)
    expect(await pointerOf(service)).toBe(candidate)
  })

  test('what a process left behind another goes on with when its lease is over', async () => {
    const scene = await rolloutScene(makeService)
    const { service } = scene
    await ok(start(scene, { steps: '10%:10m,50%:1h' }))
    service.clock.now += 10 * MINUTE_MS
    expect((await leaseDue(service.context, DUE))?.row.checks).toBe(0)
    await checkRollouts(service.context)
    expect(await rolloutOf(scene)).toMatchObject({ step: 0, checks: 0 })
    service.clock.now += MINUTE_MS
    await checkRollouts(service.context)
    expect(await rolloutOf(scene)).toMatchObject({ step: 1, checks: 1 })
  })

  test('one that an older server did not end is ended by the next check', async () => {
    const scene = await rolloutScene(makeService)
    const { service } = scene
    const third = await register(service, { version: '3' })
    await setPolicy(service, { max_cost_increase_pct: 1, on_inconclusive: 'pass' })
    await ok(start(scene))
    await ok(promote(service, third, { window: '2h' }))
    await service.sql.batch([
      sql`UPDATE rollouts SET state = 'running', ended_at = NULL, because = NULL, changed_by = 'ann'`,
    ])
    service.clock.now += MINUTE_MS
    await checkRollouts(service.context)
    expect(await rolloutOf(scene)).toMatchObject({
      state: 'superseded',
      because: `${third} is live now`,
    })
    expect(await pointerOf(service)).toBe(third)
  })

  describe('a clock that jumps', () => {
    test('forward takes a step for over, and promotes nothing without runs', async () => {
      const scene = await rolloutScene(makeService)
      const { service } = scene
      await ok(start(scene, { steps: '10%:10m,50%:1h', max_duration: '5d' }))
      service.clock.now += DAY_MS
      for (let check = 0; check < 3; check++) {
        service.clock.now += 2 * HOUR_MS
        await checkRollouts(service.context)
      }
      expect(await rolloutOf(scene)).toMatchObject({ state: 'running', step: 1 })
      expect(await pointerOf(service)).toBe(scene.baseline)
    })

    test('back makes it wait, and nothing else', async () => {
      const scene = await rolloutScene(makeService, undefined, { sharesClock: true })
      const { service } = scene
      await ok(start(scene, { steps: '10%:10m,50%:1h' }))
      await pass(scene, 5, {}, 5)
      service.clock.now -= DAY_MS
      await checkRollouts(service.context)
      const { state, step, last_check } = await rolloutOf(scene)
      expect({ state, step }).toEqual({ state: 'running', step: 0 })
      expect(last_check.holds).toEqual([expect.stringMatching(/^this machine's clock says/)])
    })

    test('of the server alone makes it wait too', async () => {
      const scene = await rolloutScene(makeService)
      const { service } = scene
      await ok(start(scene, { steps: '10%:10m,50%:1h' }))
      service.clock.now += 20 * MINUTE_MS
      service.clock.ahead = 2 * HOUR_MS
      await checkRollouts(service.context)
      const { step, last_check } = await rolloutOf(scene)
      expect(step).toBe(0)
      expect(last_check.holds).toEqual([expect.stringMatching(/^the server's clock says/)])
    })
  })

  test('the doctor warns where nobody checks, and finds sums that are none of runs', async () => {
    const scene = await rolloutScene(makeService)
    const { service } = scene
    await ok(start(scene, { steps: '50%:1h' }))
    await pass(scene, 20, {}, 20)
    const check = async (name: string, deep: boolean) =>
      (await ok(service.call('GET /v1/doctor', { query: { deep: String(deep) } }))).checks.find(
        (each: { name: string }) => each.name === name,
      )
    expect(await check('rollouts', false)).toEqual({ name: 'rollouts', ok: true, detail: '1 are open' })
    expect(await check('rollout_sums', true)).toMatchObject({ ok: true })
    await service.sql.batch([sql`UPDATE rollout_sums SET runs = runs + 7 WHERE side = 1`])
    const wrong = await check('rollout_sums', true)
    expect(wrong).toMatchObject({ ok: false })
    expect(wrong.detail).toMatch(
      /^rol_\w+: rollout_sums 0 1 \d+ \d+ sums 0, \d+, .*; abort it and begin another one$/,
    )
    service.clock.now += 12 * MINUTE_MS
    expect(await check('rollouts', false)).toMatchObject({ warning: true })
  })

  test('sums beyond 2^53 are read to the digit', async () => {
    const { service, baseline } = await rolloutScene(makeService)
    await ingest(service, [eventOf({ release_id: baseline, run_id: 'first', at: service.clock.now })])
    const large = [
      0,
      1,
      2 ** 45 - 1,
      2 ** 45,
      2 ** 45 + 1,
      2 ** 53 + 2,
      3 * 2 ** 60 + 2 ** 20,
      2 ** 90 + 2 ** 45,
    ]
    const numbers = (columns: readonly string[]) => raw(columns.map(name => `, ${name}`).join(''))
    const insert = (
      table: string,
      counts: readonly string[],
      sums: readonly string[],
      squares: readonly string[],
    ) =>
      large.map((square, bucket) => {
        // A sum of whole numbers in a bucket is below 2^63.
        const sum = Math.min(square, 2 ** 62)
        const values = [...counts.map(() => 0), ...sums.map(() => sum), ...squares.map(() => square)]
        return sql`INSERT INTO ${raw(table)} (rollout, step, side, bucket, variant${numbers([...counts, ...sums, ...squares])})
          SELECT 7, 0, 1, ${bucket}, min(id)${join(
            values.map(value => sql`, ${value}`),
            '',
          )} FROM variants`
      })
    const ofOne = ['input_sq', 'output_sq', 'cached_sq', 'input_output', 'input_cached', 'output_cached']
    await service.sql.batch([
      ...insert(
        'rollout_sums',
        ['strays', 'runs', 'errors', 'latency_count'],
        ['latency_sum', 'input_sum', 'output_sum', 'cached_sum'],
        ['latency_sq', ...ofOne],
      ),
      ...insert(
        'rollout_parts',
        ['parts'],
        ['input_sum', 'output_sum', 'cached_sum', 'write_sum'],
        [...ofOne, 'write_sq', 'input_write', 'output_write', 'cached_write'],
      ),
    ])
    const { aggregates, parts = [] } = (await ask(service.sql, sumsQuery(7))).aggregates(0, 'candidate')
    const total = (values: readonly number[]) => values.reduce((sum, value) => sum + BigInt(value), 0n)
    for (const aggregate of [...aggregates, ...parts].filter(({ input_tokens }) => input_tokens > 0)) {
      expect(aggregate.input_tokens).toBe(Math.min(large[aggregate.block]!, 2 ** 62))
    }
    const all = total(large)
    expect(total(aggregates.map(aggregate => aggregate.latency_sum_ms2))).toBe(all)
    for (const [own, count] of [
      [aggregates, 6],
      [parts, 10],
    ] as const) {
      const products = Array.from({ length: count }, (_, index) =>
        total(own.map(aggregate => aggregate.token_products[index] ?? 0)),
      )
      expect(products).toEqual(products.map(() => all))
      expect(total(own.map(aggregate => aggregate.output_tokens))).toBe(
        total(large.map(value => Math.min(value, 2 ** 62))),
      )
    }
  })

  test('events that came before it count nowhere, whatever they are dated', async () => {
    const scene = await rolloutScene(makeService)
    const { service, baseline } = scene
    const at = service.clock.now + 30 * MINUTE_MS
    await ingest(service, [eventOf({ release_id: baseline, run_id: 'early', at, latency: 50 })])
    await ok(start(scene, { steps: '10%:10m,50%:2h' }))
    await pass(scene, 40, {}, 20)
    expect(await rolloutOf(scene)).toMatchObject({ step: 1 })
    await ingest(service, [eventOf({ release_id: baseline, run_id: 'later', at, latency: 50 })])
    await pass(scene, 20, {}, 20)
    const { last_check } = await rolloutOf(scene)
    const { baseline: b, candidate: c } = last_check.runs
    expect(last_check.missing_share).toBeCloseTo(1 / (b + c + 1), 9)
    expect(await failedChecks(service, true)).toEqual([])
  })

  test("another key for users' units is found by the doctor: it would split them anew", async () => {
    const scene = await rolloutScene(makeService)
    const { service } = scene
    await ok(start(scene, { by: 'user', steps: '50%:1h' }))
    const { split } = await ok(service.call('GET /v1/pointers/bot/local'))
    expect(split.assignment_key).toMatch(/^[0-9a-f]{60}$/)
    expect(await failedChecks(service, true)).toEqual([])
    await service.sql.batch([sql`UPDATE rollout_mark SET assignment_key = ${'0'.repeat(60)}`])
    expect(await failedChecks(service, true)).toEqual([
      ['rollout_key', expect.stringMatching(/^does not match log_seq \d+/)],
    ])
  })

  test('runs that it is decided by are not pruned while it runs', async () => {
    const scene = await rolloutScene(makeService)
    const { service } = scene
    await ok(start(scene, { max_duration: '5d' }))
    service.clock.now += 3 * DAY_MS
    expect(await eventCutoff(service.context, '1d')).toBe(Math.floor(NOON / DAY_MS) * DAY_MS)
  })
}
