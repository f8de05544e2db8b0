import { describe, expect, test } from 'vitest'
import { eventCutoff } from '../../../../src/features/retention/prune.ts'
import { DUE, removal } from '../../../../src/features/watch/claim.ts'
import { leaseDue } from '../../../../src/ledger/world/due.ts'
import { checkWatches } from '../../../../src/features/watch/tick.ts'
import { DAY_MS, HOUR_MS, isoTime } from '../../../../src/base/time.ts'
import { sql } from '../../../../src/sql/port.ts'
import { register } from '../../../support/services/builders.ts'
import {
  actionsOf,
  ok,
  pointerOf,
  promote,
  refusal,
  setPolicy,
  unprocessableAt,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON } from '../../../support/services/service.ts'
import {
  type Scene,
  earlierDays,
  minute,
  promotedScene,
  runs,
  watchOf,
} from '../../../support/watches/scene.ts'

const ROLLING = { watch: { for: '10m', auto_rollback: true } }

/** Watches that are begun and ended by hand, several processes, and clocks that jump. */
export function watchFaultsContract(makeService: MakeService): void {
  const scene = (policy: Readonly<Record<string, unknown>> = {}): Promise<Scene> =>
    promotedScene(makeService, policy)
  const start = ({ service }: Pick<Scene, 'service'>, body: Readonly<Record<string, unknown>> = {}) =>
    service.call('POST /v1/watches', { body: { agent_id: 'bot', environment: 'local', ...body } })

  describe('a watch that is begun by hand', () => {
    test('is of what is live now, by the policy or as it is told', async () => {
      const here = await scene()
      here.service.clock.now += HOUR_MS
      await earlierDays(here.service, here.baseline, here.service.clock.now)
      const watch = await ok(start(here, { min_runs: 100, actor: 'ann' }))
      expect(watch).toMatchObject({
        release_id: here.candidate,
        baseline_release_id: here.baseline,
        auto_rollback: false,
        min_runs: 100,
        started_by: 'ann',
        started_at: isoTime(NOON + HOUR_MS),
        ends_at: isoTime(NOON + 3 * HOUR_MS),
        baseline_since: isoTime(NOON - 2 * HOUR_MS),
      })
      expect(watch).not.toHaveProperty('warnings')
      // As many runs as on an average day, 110, find a rise of a few percent.
      expect(watch.can_find).toEqual({
        cost_per_run_usd: expect.any(Number),
        latency_ms: expect.any(Number),
        error_rate: expect.any(Number),
      })
      expect(watch.can_find.latency_ms).toBeGreaterThan(0.02)
      expect(watch.can_find.latency_ms).toBeLessThan(0.12)
      expect(await refusal(start(here), 409)).toMatch(
        new RegExp(`^${watch.watch_id} watches bot in local already`),
      )
    })

    test('says where its baseline has too few runs', async () => {
      const here = await scene()
      const other = await register(here.service, { version: '0' })
      await runs(here.service, other, 199, NOON - HOUR_MS)
      const watch = await ok(start(here, { against: other }))
      expect(watch.baseline_release_id).toBe(other)
      expect(watch.can_find).toBeNull()
      expect(watch.warnings).toEqual([
        expect.stringMatching(
          new RegExp(`^the baseline ${other} has fewer than 4 earlier days with 50 runs`),
        ),
        'it has 199 runs in all: a watch compares with 200 or more',
      ])
    })

    test('is refused where there is nothing to compare, or no time', async () => {
      const here = await scene()
      const { service, candidate } = here
      const foreign = await register(service, { agent: 'other' })
      expect(await refusal(start(here, { agent_id: 'nobody' }), 400)).toBe(
        'Nothing of nobody is live in local.',
      )
      expect(await refusal(start(here, { against: candidate }), 400)).toMatch(/is the live release/)
      expect(await refusal(start(here, { against: foreign }), 400)).toMatch(/is not a release of bot/)
      expect(await refusal(start(here, { against: 'rel_none' }), 400)).toBe(
        'rel_none is not a release of bot.',
      )
      for (const time of ['2w', '0h', '31d', '']) {
        expect(await refusal(start(here, { for: time }), 400)).toMatch(/^Invalid time/)
      }
      expect(await unprocessableAt(start(here, { min_runs: 9 }))).toEqual([['body', 'min_runs']])
      await ok(promote(service, candidate, { environment: 'prod' }))
      expect(await refusal(start(here, { environment: 'prod' }), 400)).toMatch(/is the first release of bot/)
      expect(await ok(service.call('GET /v1/watches'))).toEqual({ watches: [] })
    })

    test('ends when somebody says so, once', async () => {
      const here = await scene()
      const { service } = here
      const { watch_id } = await ok(start(here))
      const end = (id: string, reason: string) =>
        service.call(`POST /v1/watches/${id}/cancel`, { body: { reason, actor: 'ben' } })
      expect(await refusal(end(watch_id, ' '), 400)).toMatch(/reason is required/)
      expect(await ok(end(watch_id, 'moved'))).toMatchObject({
        state: 'inconclusive',
        ended_because: 'cancelled: moved',
        ended_by: 'ben',
      })
      expect(await refusal(end(watch_id, 'again'), 400)).toMatch(/has ended already/)
      expect(await refusal(end('wch_none', 'no'), 404)).toBe('Unknown watch: wch_none')
      expect(await refusal(service.call('GET /v1/watches/wch_none'), 404)).toBe('Unknown watch: wch_none')
      expect((await ok(start(here))).watch_id).not.toBe(watch_id)
    })
  })

  test('of several processes that check at the same time one rolls back, once', async () => {
    const here = await scene(ROLLING)
    const { service, candidate } = here
    await runs(service, candidate, 60, NOON, { latency: 150 })
    service.clock.now += 60_000
    await Promise.all(Array.from({ length: 5 }, () => checkWatches(service.context)))
    expect(await watchOf(here)).toMatchObject({ state: 'rolled_back', checks: 1 })
    expect(await actionsOf(service)).toHaveLength(3)
  })

  test('what a process left behind another goes on with when its lease is over', async () => {
    const here = await scene(ROLLING)
    const { service, candidate } = here
    await runs(service, candidate, 60, NOON, { latency: 150 })
    service.clock.now += 60_000
    expect((await leaseDue(service.context, DUE))?.row).toMatchObject({ watch_id: here.watch_id })
    await checkWatches(service.context)
    expect(await pointerOf(service)).toBe(candidate)
    service.clock.now += 60_000
    await checkWatches(service.context)
    expect(await watchOf(here)).toMatchObject({ state: 'rolled_back', checks: 1 })
  })

  test('a watch that an older server did not end is ended by the next check, not acted on', async () => {
    const here = await scene(ROLLING)
    const { service, candidate, watch_id } = here
    const third = await register(service, { version: '3' })
    await setPolicy(service, {})
    await ok(promote(service, third, { window: '2h' }))
    await service.sql.batch([
      sql`UPDATE watches SET state = 'watching', ended_at = NULL, ended_because = NULL, ended_by = NULL
        WHERE watch_id = ${watch_id}`,
    ])
    await runs(service, candidate, 60, NOON, { latency: 900 })
    service.clock.now += 60_000
    await checkWatches(service.context)
    expect(await watchOf(here)).toMatchObject({
      state: 'superseded',
      ended_because: `${third} is live now`,
    })
    expect(await pointerOf(service)).toBe(third)
  })

  describe('a clock that jumps', () => {
    test.each([
      ['forward', DAY_MS, 'inconclusive', 1],
      ['back', -DAY_MS, 'inconclusive', 10],
    ])('%s fires no rollback, and the watch ends', async (_, jump, state, checks) => {
      const here = await scene(ROLLING)
      here.service.clock.now += jump
      for (let i = 0; i < 11; i++) await minute(here, 0)
      expect(await watchOf(here)).toMatchObject({ state, checks, rollback: null })
      expect(await pointerOf(here.service)).toBe(here.candidate)
    })

    test("of the server alone fires none either: a regression is announced, and the database's clock counts", async () => {
      const here = await scene(ROLLING)
      here.service.clock.ahead = 2 * HOUR_MS
      await minute(here, 60, { latency: 150 })
      const watch = await watchOf(here)
      expect(watch).toMatchObject({ state: 'regressed', rollback: { action_id: null, passed: false } })
      expect(watch.rollback.reasons).toEqual([
        expect.stringMatching(/^the server's clock says .* and the database's .*: set the wrong one/),
      ])
      expect(await pointerOf(here.service)).toBe(here.candidate)
    })
  })

  test('the doctor warns where nobody checks', async () => {
    const { service } = await scene(ROLLING)
    const found = async () =>
      (await ok(service.call('GET /v1/doctor'))).checks.filter(
        ({ name }: { name: string }) => name === 'watches',
      )
    const well = [{ name: 'watches', ok: true, detail: '1 are under way' }]
    expect(await found()).toEqual(well)
    service.clock.now += 12 * 60_000
    expect(await found()).toEqual([
      {
        name: 'watches',
        ok: true,
        warning: true,
        detail: expect.stringMatching(/^no check for 11 minutes/),
      },
    ])
    await checkWatches(service.context)
    expect(await found()).toEqual([])
  })

  test('what a watch that runs needs is not pruned; what it saw is, long after it ended', async () => {
    const here = await scene({ watch: { for: '1d' } })
    const { service } = here
    service.clock.now += 3 * DAY_MS
    const today = Math.floor(service.clock.now / DAY_MS) * DAY_MS
    expect(await eventCutoff(service.context, '1d')).toBe(Math.floor(NOON / DAY_MS) * DAY_MS)
    await checkWatches(service.context)
    expect(await watchOf(here)).toMatchObject({ state: 'inconclusive', checks: 1 })
    expect(await eventCutoff(service.context, '1d')).toBe(today - DAY_MS)
    expect(await removal.prune(service.sql, today, batch => batch())).toBe(0)
    expect(await removal.prune(service.sql, today + 2 * DAY_MS, batch => batch())).toBe(1)
    expect(await watchOf(here)).toMatchObject({ state: 'inconclusive', last_check: null, history: [] })
  })
}
