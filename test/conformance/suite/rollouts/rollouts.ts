import { describe, expect, test } from 'vitest'
import { isoTime } from '../../../../src/base/time.ts'
import { checkRollouts } from '../../../../src/features/rollouts/tick.ts'
import { checkWatches } from '../../../../src/features/watch/tick.ts'
import { rowsOf, sql } from '../../../../src/sql/port.ts'
import { drainOutbox } from '../../../support/services/drain_outbox.ts'
import { eventOf, register } from '../../../support/services/builders.ts'
import { payloadOf } from '../../../support/services/receiver.ts'
import {
  actionsOf,
  failedChecks,
  ingest,
  ok,
  pointerOf,
  promote,
  refusal,
  rollback,
  setPolicy,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON } from '../../../support/services/service.ts'
import {
  LIMITS,
  MINUTE_MS,
  type RolloutScene,
  pass,
  rolloutOf,
  rolloutScene,
  start,
  traffic,
} from '../../../support/rollouts/scene.ts'

/** What becomes of a release that is rolled out. */
export function rolloutsContract(makeService: MakeService): void {
  const events = async ({ service, receiver }: RolloutScene): Promise<string[]> => {
    await drainOutbox(service.context)
    // What is written at the same time is sent in any order.
    return receiver.sent
      .map(payloadOf)
      .map(({ event }) => event as string)
      .toSorted()
  }
  const change = ({ service }: RolloutScene, id: string, verb: string, reason = 'so') =>
    service.call(`POST /v1/rollouts/${id}/${verb}`, { body: { reason, actor: 'ben' } })

  test('costs of a model that runs call by its provider too are seen by a rollout and what it holds back', async () => {
    const scene = await rolloutScene(makeService, { ...LIMITS, watch: { for: '2h', auto_rollback: true } })
    const { service } = scene
    const model = 'acme/m1'
    await ok(start(scene, { steps: '50%:1h', hold: '20%', hold_for: '1d' }))
    await pass(scene, 30, { model }, 30)
    const guarded = (await rolloutOf(scene)).last_check
    expect([guarded.problems, guarded.metrics.cost_per_run_usd.change]).toEqual([[], expect.any(Number)])
    await pass(scene, 30, { model }, 30)
    expect(await rolloutOf(scene)).toMatchObject({ state: 'completed', share: 0.8 })
    await traffic(scene, 30, { model, perMinute: 40 })
    await checkWatches(service.context)
    const [watch] = (await ok(service.call('GET /v1/watches'))).watches
    expect(watch.last_check.problems).toEqual([])
    expect(watch.last_check.metrics.cost_per_run_usd).toMatchObject({
      by: 'holdback',
      change: expect.any(Number),
    })
  })

  describe('a rollout of a release that is no worse', () => {
    test('goes through its steps, and ends as one promotion of who started it', async () => {
      const scene = await rolloutScene(makeService)
      const { service, baseline, candidate } = scene
      const { rollout_id } = await ok(start(scene))
      await pass(scene, 60, {}, 20)
      expect(await rolloutOf(scene)).toMatchObject({ state: 'running', step: 1, share: 0.1 })
      await pass(scene, 10, {}, 10)
      expect(await rolloutOf(scene)).toMatchObject({ step: 2, share: 0.5 })
      expect(await pointerOf(service)).toBe(baseline)
      await pass(scene, 60, {}, 20)
      const { last_check, ...ended } = await rolloutOf(scene)
      expect(ended).toMatchObject({ rollout_id, state: 'completed', step: 3, share: null, because: null })
      expect(await pointerOf(service)).toBe(candidate)
      const actions = await actionsOf(service)
      expect(actions).toHaveLength(2)
      expect(actions[0]).toMatchObject({
        action_id: ended.action_id,
        action: 'promote',
        actor: 'ann',
        reason: 'cheaper',
        baseline_release_id: baseline,
        policy_passed: true,
      })
      expect(last_check).toMatchObject({ step: 2, wrong_share: 0, missing_share: 0 })
      const { evidence } = await ok(service.call(`GET /v1/actions/${ended.action_id}`))
      expect(evidence.evaluation.statistics).toMatchObject({
        compare_by: 'rollout',
        compared: { by: 'rollout', since: isoTime(NOON + 72 * MINUTE_MS) },
      })
      expect(evidence.rollout.rollout_id).toBe(rollout_id)
      const replayed = await ok(service.call(`GET /v1/actions/${ended.action_id}/explain`))
      expect(replayed.replayed).toMatchObject({ passed: true })
      expect(await events(scene)).toEqual([
        'promote.succeeded',
        'promote.succeeded',
        'rollout.advanced',
        'rollout.advanced',
        'rollout.completed',
        'rollout.started',
      ])
      const { entries } = await ok(service.call('GET /v1/audit', { query: { limit: 100 } }))
      const kinds = entries.map(({ kind }: { kind: string }) => kind).toReversed()
      expect(kinds.slice(-4)).toEqual(['rollout.started', 'rollout.advanced', 'rollout.advanced', 'decision'])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('that holds some back compares its watch with those, until it is over', async () => {
      const scene = await rolloutScene(makeService, { ...LIMITS, watch: { for: '2h', auto_rollback: true } })
      const { service, baseline, candidate } = scene
      await ok(start(scene, { steps: '50%:30m', hold: '20%', hold_for: '1d' }))
      await pass(scene, 60, {}, 60)
      expect(await rolloutOf(scene)).toMatchObject({
        state: 'completed',
        share: 0.8,
        hold: { share: 0.2, for: '1d' },
        hold_until: isoTime(service.clock.now + 86_400_000),
      })
      const { split } = await ok(service.call('GET /v1/pointers/bot/local'))
      expect(split).toMatchObject({ share: 0.8, baseline: { release_id: baseline } })
      await traffic(scene, 30, { latency: 150, perMinute: 40 })
      await checkWatches(service.context)
      const { watches } = await ok(service.call('GET /v1/watches'))
      expect(watches[0]).toMatchObject({
        state: 'rolled_back',
        last_check: { metrics: { latency_ms: { by: 'holdback', alarm: 'sequential' } } },
      })
      expect(await pointerOf(service)).toBe(baseline)
      const rollout = await rolloutOf(scene)
      expect(rollout).toMatchObject({
        state: 'completed',
        share: null,
        hold_until: isoTime(service.clock.now),
      })
      expect(rollout.because).toMatch(new RegExp(`^the hold ended: ${baseline} went live \\(rollback`))
      expect(candidate).not.toBe(baseline)
      expect(await failedChecks(service, true)).toEqual([])
    })
  })

  describe('a rollout of a release that is worse', () => {
    test('is aborted by what is proven, and nothing but the split moves', async () => {
      const scene = await rolloutScene(makeService)
      const { service, baseline } = scene
      await ok(start(scene, { steps: '10%:10m,50%:2h' }))
      await pass(scene, 60, { latency: 180 }, 10)
      const rollout = await rolloutOf(scene)
      expect(rollout).toMatchObject({ state: 'aborted', share: null, changed_by: 'rollout', action_id: null })
      expect(rollout.because).toMatch(
        /^latency_ms \+\d+\.\d %, at least \+\d+\.\d %, beyond the limit of \+20\.0 %/,
      )
      expect(await pointerOf(service)).toBe(baseline)
      expect(await actionsOf(service)).toHaveLength(1)
      expect((await ok(service.call('GET /v1/pointers/bot/local'))).split).toBeUndefined()
      expect(await events(scene)).toContain('rollout.aborted')
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('is aborted by errors though the policy limits none, soon where it fails outright', async () => {
      const scene = await rolloutScene(makeService, { max_cost_increase_pct: 0.5 })
      await ok(start(scene, { steps: '10%:1h,50%:2h', max_duration: '2d' }))
      await pass(scene, 12, { failing: 0.9, perMinute: 20 }, 6)
      expect(await rolloutOf(scene)).toMatchObject({
        state: 'aborted',
        because: expect.stringMatching(/^error_rate \+\d+\.\d points/),
      })
    })

    test('is paused where the promotion is blocked, goes on when somebody says so, and is then held to more', async () => {
      const scene = await rolloutScene(makeService, { ...LIMITS, max_latency_p95_ms: 50 })
      const { service, baseline, candidate } = scene
      const { rollout_id } = await ok(start(scene, { steps: '50%:30m' }))
      await pass(scene, 50, {}, 10)
      const blocked = await rolloutOf(scene)
      expect(blocked).toMatchObject({ state: 'paused', share: 0.5 })
      expect(blocked.because).toMatch(/^the promotion was blocked: candidate latency_p95_ms/)
      const [action] = await actionsOf(service)
      expect(action).toMatchObject({ action_id: blocked.action_id, policy_passed: false })
      expect(await pointerOf(service)).toBe(baseline)
      await pass(scene, 10, {}, 10)
      expect(await actionsOf(service)).toHaveLength(2)
      await setPolicy(service, LIMITS)
      await ok(change(scene, rollout_id, 'resume'))
      await pass(scene, 40, { perMinute: 30 }, 20)
      const { state, action_id } = await rolloutOf(scene)
      expect(state).toBe('completed')
      expect(await pointerOf(service)).toBe(candidate)
      const { evidence } = await ok(service.call(`GET /v1/actions/${action_id}`))
      expect(evidence.evaluation.statistics.latency_ms.interval).toBe('sequential')
      expect(await events(scene)).toContain('rollout.resumed')
    })
  })

  describe('a rollout that is not fair', () => {
    test('is paused where runs of one side are lost, and never goes on', async () => {
      const scene = await rolloutScene(makeService)
      const { rollout_id } = await ok(start(scene, { steps: '50%:2h' }))
      await pass(scene, 30, { lost: 0.5, perMinute: 30 }, 10)
      const paused = await rolloutOf(scene)
      expect(paused).toMatchObject({ state: 'paused', share: 0.5 })
      expect(paused.because).toMatch(/^assignment is broken: .*not_comparable/)
      await ok(change(scene, rollout_id, 'resume'))
      await pass(scene, 10, {}, 10)
      expect(await rolloutOf(scene)).toMatchObject({ state: 'paused' })
    })

    test('waits while programs do not follow the split, and says so', async () => {
      const scene = await rolloutScene(makeService)
      await ok(start(scene, { steps: '50%:30m' }))
      await pass(scene, 60, { deaf: true }, 60)
      const { state, last_check } = await rolloutOf(scene)
      expect(state).toBe('running')
      expect(last_check.wrong_share).toBeGreaterThan(0.3)
      expect(last_check.holds).toEqual([
        expect.stringMatching(/^not_comparable: \d+\.\d % of the runs used another release than assigned/),
      ])
      expect(last_check.problems).toEqual([expect.stringMatching(/do all programs follow/)])
      await pass(scene, 1400, { perMinute: 0 }, 1400)
      expect(await rolloutOf(scene)).toMatchObject({
        state: 'expired',
        share: null,
        because: expect.stringMatching(/^its time has ended at 50 %: not_comparable/),
      })
      expect(await events(scene)).toContain('rollout.expired')
    })

    test('waits while runs say no session, and counts those on no side', async () => {
      const scene = await rolloutScene(makeService)
      await ok(start(scene, { steps: '50%:20m' }))
      await pass(scene, 60, { nameless: 0.2 }, 60)
      const { state, last_check } = await rolloutOf(scene)
      expect(state).toBe('running')
      expect(last_check.missing_share).toBeGreaterThan(0.1)
      expect(last_check.holds).toEqual([
        expect.stringMatching(/^\d+\.\d % of the runs have no request\.session_id \(at most 5 %\)/),
      ])
    })
  })

  describe('traffic that stops', () => {
    test('holds the rollout, with what is missing and about when, until its time has ended', async () => {
      const scene = await rolloutScene(makeService)
      await ok(start(scene, { steps: '50%:30m' }))
      await pass(scene, 20, {}, 20)
      const { last_check: during } = await rolloutOf(scene)
      expect(during.holds).toEqual([
        'the step takes 30m',
        expect.stringMatching(/^\d+ of 200 runs of each side$/),
      ])
      expect(Date.parse(during.ready_at)).toBeGreaterThan(scene.service.clock.now + 10 * MINUTE_MS)
      await pass(scene, 120, { perMinute: 0 }, 60)
      const { state, last_check } = await rolloutOf(scene)
      expect(state).toBe('running')
      expect(last_check.holds).toEqual([expect.stringMatching(/^\d+ of 200 runs of each side$/)])
      await pass(scene, 1320, { perMinute: 0 }, 1320)
      expect(await rolloutOf(scene)).toMatchObject({ state: 'expired' })
      expect(await pointerOf(scene.service)).toBe(scene.baseline)
    })
  })

  describe('somebody who decides meanwhile', () => {
    test.each(['promote', 'rollback'] as const)('by a %s ends the rollout as superseded', async how => {
      const scene = await rolloutScene(makeService)
      const { service } = scene
      const third = await register(service, { version: '3' })
      await setPolicy(service, { ...LIMITS, on_inconclusive: 'pass' })
      await ok(start(scene))
      const outcome = await ok((how === 'promote' ? promote : rollback)(service, third, { window: '2h' }))
      expect(await rolloutOf(scene)).toMatchObject({
        state: 'superseded',
        share: null,
        ended_at: isoTime(service.clock.now),
        because: `${third} went live (${how}, ${outcome.action_id})`,
      })
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('by a decision for what is live leaves the rollout, and is warned of that', async () => {
      const scene = await rolloutScene(makeService)
      const { service, baseline } = scene
      await setPolicy(service, { ...LIMITS, require_high_diff_confidence: false, on_inconclusive: 'pass' })
      const { rollout_id } = await ok(start(scene, { steps: '50%:30m', hold: '5%', hold_for: '7d' }))
      const ends = `until \`svc release rollout abort ${rollout_id} --reason WHY\`.`
      const warned = async (to: string, how = promote) => {
        const { policy } = await ok(how(service, to, { window: '2h' }))
        return policy.warnings.at(-1) as string
      }
      expect(await warned(baseline, rollback)).toBe(
        `Rollout ${rollout_id} goes on: 50 % of the sessions get 2 ${ends}`,
      )
      await ok(change(scene, rollout_id, 'pause'))
      expect(await warned(baseline)).toBe(
        `Rollout ${rollout_id} is paused and its split stays: 50 % of the sessions get 2 ${ends}`,
      )
      await ok(change(scene, rollout_id, 'resume'))
      await pass(scene, 60, {}, 60)
      expect(await warned(scene.candidate)).toBe(
        `Rollout ${rollout_id} holds back: 5 % of the sessions stay on 1 until 2026-02-07 13:00 UTC, or ${ends}`,
      )
      await ok(change(scene, rollout_id, 'abort'))
      expect(await warned(scene.candidate)).toBe('This release is already live in local, so nothing changes.')
    })

    test('pauses, resumes and aborts it, with a reason', async () => {
      const scene = await rolloutScene(makeService)
      const { service } = scene
      const { rollout_id } = await ok(start(scene))
      expect(await refusal(change(scene, rollout_id, 'pause', ' '), 400)).toMatch(
        /reason is required to pause/,
      )
      expect(await refusal(change(scene, rollout_id, 'resume'), 400)).toMatch(
        /is running: you can't resume it/,
      )
      expect(await ok(change(scene, rollout_id, 'pause', 'lunch'))).toMatchObject({
        state: 'paused',
        because: 'paused: lunch',
        changed_by: 'ben',
      })
      await pass(scene, 90, {}, 30)
      expect(await rolloutOf(scene)).toMatchObject({ state: 'paused', step: 0 })
      expect(await ok(change(scene, rollout_id, 'resume'))).toMatchObject({ state: 'running', because: null })
      await pass(scene, 5, {}, 5)
      expect(await rolloutOf(scene)).toMatchObject({ step: 1, share: 0.1 })
      expect(await ok(change(scene, rollout_id, 'abort', 'odd answers'))).toMatchObject({
        state: 'aborted',
        share: null,
        because: 'aborted: odd answers',
      })
      const { history, ...shown } = await ok(service.call(`GET /v1/rollouts/${rollout_id}`))
      expect(shown).toEqual(await rolloutOf(scene))
      expect(
        history.map((entry: Record<string, unknown>) => [entry.kind, entry.actor, entry.reason, entry.share]),
      ).toEqual([
        ['rollout.aborted', 'ben', 'odd answers', null],
        ['rollout.advanced', 'rollout', null, 0.1],
        ['rollout.resumed', 'ben', 'so', 0],
        ['rollout.paused', 'ben', 'lunch', 0],
        ['rollout.started', 'ann', 'cheaper', 0],
      ])
      expect(history[1].check).toMatchObject({ step: 0 })
      expect((await ok(service.call('GET /v1/pointers/bot/local'))).split).toBeUndefined()
      expect(await refusal(change(scene, rollout_id, 'abort'), 400)).toMatch(/is aborted: you can't abort it/)
      expect(await refusal(change(scene, 'rol_none', 'abort'), 404)).toBe('Unknown rollout: rol_none')
      await ok(start(scene))
      expect(await failedChecks(service, true)).toEqual([])
    })
  })

  describe('units', () => {
    test.each(['tenant', 'user'] as const)(
      'of a rollout by %s are assigned by what events say of it',
      async by => {
        const scene = await rolloutScene(makeService)
        const { service } = scene
        await ok(start(scene, { by, steps: '0%:20m,50%:30m' }))
        await pass(scene, 60, { by, perMinute: 20 }, 20)
        const { state, last_check, ...rest } = await rolloutOf(scene)
        expect({ state, ...rest }).toMatchObject({ state: 'completed', by })
        expect(last_check.missing_share).toBe(0)
        expect(last_check.units.baseline + last_check.units.candidate).toBe(150)
        expect(await failedChecks(service, true)).toEqual([])
      },
    )

    test('a rollout by user can not be decided from events that say none', async () => {
      const scene = await rolloutScene(makeService)
      await ok(start(scene, { by: 'user', steps: '50%:10m' }))
      await pass(scene, 20, { by: 'session' }, 20)
      const { last_check } = await rolloutOf(scene)
      expect(last_check.holds).toContainEqual(
        expect.stringMatching(/100\.0 % of the runs have no assignment\.unit/),
      )
    })

    test('are forgotten once nothing is split by them; how many there were stays', async () => {
      const scene = await rolloutScene(makeService)
      const { service } = scene
      const { rollout_id } = await ok(start(scene, { steps: '50%:1h' }))
      await pass(scene, 20, {}, 20)
      const seen = async () =>
        Number((await rowsOf(service.sql, sql`SELECT count(*) AS n FROM rollout_units`))[0]!.n)
      expect(await seen()).toBeGreaterThan(80)
      await ok(change(scene, rollout_id, 'abort'))
      const { forgetUnits } = await import('../../../../src/features/rollouts/tick.ts')
      await forgetUnits(service.context, batch => batch())
      expect(await seen()).toBe(0)
      expect((await rolloutOf(scene)).last_check.units.baseline).toBeGreaterThan(30)
    })

    test('count once, however often and in whatever company an event comes', async () => {
      const scene = await rolloutScene(makeService)
      const { service, baseline } = scene
      await ok(start(scene, { steps: '50%:1h' }))
      const at = service.clock.now + 10 * MINUTE_MS
      service.clock.now += 20 * MINUTE_MS
      const run = (run_id: string, session_id: string, more: object = {}) =>
        eventOf({ release_id: baseline, run_id, at, latency: 50, request: { session_id }, ...more })
      await ingest(service, [
        run('a', 's1'),
        run('a', 's1'),
        run('b', 's1'),
        run('c', 's2', { agent_id: 'bot-2' }),
      ])
      await ingest(service, [run('a', 's1'), run('d', 's3', { at: at - 9 * MINUTE_MS })])
      await ingest(service, [run('e', 's4', { at: at + MINUTE_MS, latency: 10 * MINUTE_MS })])
      await checkRollouts(service.context)
      const { last_check } = await rolloutOf(scene)
      // d ran before the split was everywhere, e began then, and c is of another agent.
      expect(last_check.runs.baseline + last_check.runs.candidate).toBe(2)
      expect(last_check.units.baseline + last_check.units.candidate).toBe(1)
      expect(await failedChecks(service, true)).toEqual([])
    })
  })

  test('limits on percentiles, calls of tools and scores are decided by the arms too', async () => {
    const scene = await rolloutScene(makeService, {
      ...LIMITS,
      max_latency_p95_increase_pct: 0.5,
      max_tool_calls_increase_pct: 0.5,
      max_score_drop: { faithfulness: 0.2 },
    })
    const { service } = scene
    await ok(start(scene, { steps: '50%:40m' }))
    await pass(scene, 60, { perMinute: 20, rich: true }, 20)
    const { action_id, state, because } = await rolloutOf(scene)
    expect({ state, because }).toEqual({ state: 'completed', because: null })
    const { evidence } = await ok(service.call(`GET /v1/actions/${action_id}`))
    const { statistics } = evidence.evaluation
    const arm = statistics.scores.find(({ name }: { name: string }) => name === 'faithfulness')
    const runs = statistics.error_rate.candidate_runs
    const succeeded = statistics.latency_ms.candidate_runs
    expect(statistics.latency_percentile_changes.p95.candidate_runs).toBe(succeeded)
    expect(succeeded).toBeLessThan(runs)
    expect(statistics.tools.calls_per_run.candidate_runs).toBe(runs)
    expect(arm.change.candidate_runs).toBe(runs)
    expect(statistics.limits).toHaveLength(6)
  })
}
