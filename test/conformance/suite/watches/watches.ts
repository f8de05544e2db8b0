import { describe, expect, test } from 'vitest'
import { checkWatches } from '../../../../src/features/watch/tick.ts'
import { isoTime } from '../../../../src/base/time.ts'
import { bearing, grant } from '../../../support/services/credentials.ts'
import { drainOutbox } from '../../../support/services/drain_outbox.ts'
import { register } from '../../../support/services/builders.ts'
import {
  actionsOf,
  failedChecks,
  ok,
  pointerOf,
  promote,
  refusal,
  rollback,
  setPolicy,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON } from '../../../support/services/service.ts'
import {
  type Scene,
  minute,
  promotedScene,
  runs,
  announced,
  watchOf,
} from '../../../support/watches/scene.ts'

const WATCHED = { watch: { for: '10m' } }
const ROLLING = { watch: { for: '10m', auto_rollback: true } }

/** What becomes of a release that is watched. */
export function watchesContract(makeService: MakeService): void {
  const scene = (policy: Readonly<Record<string, unknown>>): Promise<Scene> =>
    promotedScene(makeService, policy)

  test('a watch is seen and cancelled by whom its agent and environment are for', async () => {
    const { service, watch_id } = await scene(WATCHED)
    const path = `GET /v1/watches/${watch_id}` as const
    const cancel = { body: { reason: 'enough' } }
    for (const [name, scope] of Object.entries({ agents: ['other'], environments: ['prod'] })) {
      const caller = bearing(service, await grant(service, name, { role: 'write', [name]: scope }))
      expect((await ok(caller.call('GET /v1/watches'))).watches).toEqual([])
      await refusal(caller.call(path), 404)
      await refusal(caller.call(`POST /v1/watches/${watch_id}/cancel`, cancel), 404)
    }
    const own = await grant(service, 'own', { role: 'write', agents: ['bot'], environments: ['local'] })
    const caller = bearing(service, own)
    expect((await ok(caller.call('GET /v1/watches'))).watches).toHaveLength(1)
    expect((await ok(caller.call(path))).watch_id).toBe(watch_id)
    await ok(caller.call(`POST /v1/watches/${watch_id}/cancel`, cancel))
  })

  describe('a promotion under a policy that watches', () => {
    test('begins a watch with itself, of the runs that it was decided by', async () => {
      const { service, baseline, candidate, watch_id } = await scene({
        watch: { for: '2h', auto_rollback: true, min_runs: 80 },
        max_latency_increase_pct: 0.2,
        on_inconclusive: 'pass',
      })
      const [{ action_id }] = (await actionsOf(service)) as [{ action_id: string }]
      const { watches } = await ok(service.call('GET /v1/watches'))
      expect(watches).toEqual([
        {
          watch_id,
          agent_id: 'bot',
          environment: 'local',
          release_id: candidate,
          baseline_release_id: baseline,
          state: 'watching',
          auto_rollback: true,
          min_runs: 80,
          limits: { cost_per_run_usd: 0, latency_ms: 0.2, error_rate: 0 },
          action_id,
          baseline_since: isoTime(NOON - 7_200_000),
          started_at: isoTime(NOON),
          started_by: 'ann',
          ends_at: isoTime(NOON + 7_200_000),
          checks: 0,
          last_check: null,
          ended_at: null,
          ended_because: null,
          ended_by: null,
          rollback: null,
        },
      ])
    })

    test('of the first release, of the live one again, or that is blocked begins none; nor does a rollback', async () => {
      const { service, baseline, candidate, watch_id } = await scene(WATCHED)
      const again = await ok(promote(service, candidate, { window: '2h' }))
      expect(again).not.toHaveProperty('watch_id')
      expect(await watchOf({ service, watch_id })).toMatchObject({ state: 'watching' })
      const back = await ok(rollback(service, baseline, { window: '2h' }))
      expect(back).not.toHaveProperty('watch_id')
      await setPolicy(service, { ...WATCHED, require_high_diff_confidence: true })
      expect((await promote(service, candidate, { window: '2h' })).status).toBe(409)
      const { watches } = await ok(service.call('GET /v1/watches'))
      expect(watches).toHaveLength(1)
      expect(watches[0]).toMatchObject({ state: 'rolled_back', ended_by: 'http' })
    })
  })

  describe('a watch', () => {
    test('of a release that runs as before passes when its time has ended, and says what it would have seen', async () => {
      const here = await scene(WATCHED)
      for (let i = 0; i < 9; i++) await minute(here, 30)
      const { state, checks, history } = await watchOf(here)
      expect({ state, checks, kept: history.length }).toEqual({ state: 'watching', checks: 9, kept: 9 })
      await minute(here, 30)
      const watch = await watchOf(here)
      expect(watch).toMatchObject({ state: 'passed', checks: 10, ended_by: null, rollback: null })
      expect(watch.ended_because).toMatch(/^no regression was proven; .*latency_ms by \+\d+\.\d %/)
      expect(watch.last_check.metrics.latency_ms).toMatchObject({
        alarm: null,
        by: 'same_hours',
        days: 4,
        baseline_runs: 436,
        candidate_runs: 299,
        limit: 0,
      })
      await drainOutbox(here.service.context)
      expect(Object.keys(announced(here))).toEqual(['watch.passed'])
      // It is over: nothing checks any more.
      here.service.clock.now += 60_000
      expect(await checkWatches(here.service.context)).toBeUndefined()
    })

    test('checks once a minute at most, and keeps its last 120 checks', async () => {
      const here = await scene({ watch: { for: '125m' } })
      for (let i = 0; i < 124; i++) await minute(here, 0)
      await checkWatches(here.service.context)
      const { checks, history } = await watchOf(here)
      expect([checks, history.length, history[0].number, history.at(-1).number]).toEqual([124, 120, 5, 124])
    })

    test('announces a regression with the figures, and lets the release be', async () => {
      const here = await scene(WATCHED)
      await minute(here, 60, { latency: 150 })
      const watch = await watchOf(here)
      expect(watch).toMatchObject({ state: 'regressed', checks: 1, rollback: null })
      expect(watch.ended_because).toMatch(
        /^latency_ms \+48\.\d %, at least \+\d+\.\d %, beyond the limit of 0\.0 % \(n 436 baseline, 59 candidate\)$/,
      )
      await drainOutbox(here.service.context)
      expect(announced(here)).toEqual({
        'watch.regressed': {
          watch_id: here.watch_id,
          agent_id: 'bot',
          environment: 'local',
          release_id: here.candidate,
          baseline_release_id: here.baseline,
          actor: 'watch',
          reason: watch.ended_because,
          state: 'regressed',
          regressions: ['latency_ms'],
          auto_rollback: false,
          min_runs: 50,
          rollback: null,
          check: watch.last_check,
        },
      })
      expect(await pointerOf(here.service)).toBe(here.candidate)
      expect(await failedChecks(here.service, true)).toEqual([])
    })

    test('lets pass what is within the limits of the policy, and sees what is beyond', async () => {
      const limits = { max_latency_increase_pct: 0.6, on_inconclusive: 'pass' }
      const here = await scene({ ...WATCHED, ...limits })
      for (let i = 0; i < 3; i++) await minute(here, 60, { latency: 150 })
      expect(await watchOf(here)).toMatchObject({ state: 'watching' })
      await minute(here, 100, { failing: 0.4 })
      expect(await watchOf(here)).toMatchObject({
        state: 'regressed',
        // Each run that succeeds costs what the failed ones cost too.
        ended_because: expect.stringMatching(/^cost_per_run_usd \+.*; error_rate \+\d+\.\d points, at least/),
      })
    })

    test('rolls back where it may, by the way of every rollback, with what it saw as evidence', async () => {
      const here = await scene(ROLLING)
      const { service, baseline, candidate, watch_id } = here
      await minute(here, 60, { latency: 150 })
      expect(await pointerOf(service)).toBe(baseline)
      const [action] = (await actionsOf(service)) as [Record<string, unknown>]
      const watch = await watchOf(here)
      expect(action).toMatchObject({
        action: 'rollback',
        release_id: baseline,
        baseline_release_id: candidate,
        policy_passed: true,
        actor: 'watch',
        reason: `watch ${watch_id}: ${watch.ended_because}`,
      })
      expect(watch).toMatchObject({
        state: 'rolled_back',
        ended_by: null,
        rollback: { action_id: action.action_id, passed: true, reasons: [] },
      })
      const { evidence, actor_source } = await ok(service.call(`GET /v1/actions/${String(action.action_id)}`))
      expect(actor_source).toBe('watch')
      expect(evidence.watch).toEqual({ watch_id, check: watch.last_check })
      // From the minute in which the baseline of the watch begins: no shorter window holds its runs.
      expect(evidence.window).toMatchObject({ text: '122m', since: isoTime(NOON - 7_260_000) })
      expect(evidence.evaluation.candidate.variants[0].runs).toBe(400)
      await drainOutbox(service.context)
      expect(Object.keys(announced(here)).toSorted()).toEqual(['rollback.succeeded', 'watch.regressed'])
      expect(announced(here)['watch.regressed']).toMatchObject({
        state: 'rolled_back',
        rollback: watch.rollback,
      })
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('announces a regression alone where there are too few days to compare with, but rolls back what fails', async () => {
      const here = await scene({ watch: { for: '2h', auto_rollback: true } })
      const { service, candidate } = here
      // An hour later the baseline has never run on any day.
      service.clock.now += 3_600_000
      await minute(here, 60, { latency: 150 })
      const watch = await watchOf(here)
      expect(watch).toMatchObject({
        state: 'regressed',
        rollback: null,
        last_check: { metrics: { latency_ms: { by: 'window', alarm: 'sequential' } } },
        ended_because: expect.stringMatching(
          /; the baseline has fewer than 4 earlier days .* announced, and not rolled back$/,
        ),
      })
      expect(await pointerOf(service)).toBe(candidate)
      const failing = await scene({ watch: { for: '2h', auto_rollback: true } })
      failing.service.clock.now += 3_600_000
      await minute(failing, 60, { failing: 1 })
      expect(await watchOf(failing)).toMatchObject({ state: 'rolled_back' })
    })

    test('announces a rollback that the policy blocks, once, and forces nothing', async () => {
      const here = await scene(ROLLING)
      const { service, candidate } = here
      await setPolicy(service, { max_error_rate: 0.01, max_latency_ms: 10 })
      await minute(here, 60, { latency: 150 })
      await minute(here, 60, { latency: 150 })
      expect(await pointerOf(service)).toBe(candidate)
      const watch = await watchOf(here)
      const [action, ...before] = (await actionsOf(service)) as [Record<string, unknown>]
      expect(before).toHaveLength(2)
      expect(action).toMatchObject({ action: 'rollback', policy_passed: false, actor: 'watch' })
      expect(watch).toMatchObject({
        state: 'regressed',
        checks: 1,
        rollback: {
          action_id: action.action_id,
          passed: false,
          reasons: [expect.stringMatching(/exceeds max 10$/)],
        },
      })
      await drainOutbox(service.context)
      expect(Object.keys(announced(here)).toSorted()).toEqual(['watch.regressed', 'watch.rollback_blocked'])
      expect(announced(here)['watch.rollback_blocked'].rollback).toEqual(watch.rollback)
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('announces a rollback that could not even be evaluated', async () => {
      const here = await scene(ROLLING)
      const { service, baseline, candidate } = here
      await runs(service, baseline, 5, NOON - 60_000, { model: 'm9' })
      await minute(here, 60, { latency: 150 })
      const watch = await watchOf(here)
      expect(watch).toMatchObject({ state: 'regressed', rollback: { action_id: null, passed: false } })
      expect(watch.rollback.reasons).toEqual([expect.stringMatching(/^Pricing table missing model entry/)])
      expect(watch.last_check.problems).toEqual([
        'cost is not compared: the baseline used m9, which has no price',
      ])
      expect(watch.last_check.metrics.cost_per_run_usd).toMatchObject({ change: null, alarm: null })
      expect(await pointerOf(service)).toBe(candidate)
      await drainOutbox(service.context)
      expect(Object.keys(announced(here)).toSorted()).toEqual(['watch.regressed', 'watch.rollback_blocked'])
    })

    test('never rolls back below the fewest runs, and is inconclusive at the end', async () => {
      const here = await scene(ROLLING)
      await minute(here, 49, { latency: 900 })
      for (let i = 0; i < 9; i++) await minute(here, 0)
      const watch = await watchOf(here)
      expect(watch).toMatchObject({ state: 'inconclusive', checks: 10, rollback: null })
      expect(watch.ended_because).toMatch(/^too few runs: 47 of the release/)
      expect(await pointerOf(here.service)).toBe(here.candidate)
      await drainOutbox(here.service.context)
      expect(Object.keys(announced(here))).toEqual(['watch.inconclusive'])
    })

    test('sees a release that fails at once from ten runs on, where it may', async () => {
      const here = await scene({ watch: { for: '10m', auto_rollback: true, min_runs: 10 } })
      // One of them began before the watch.
      await minute(here, 11, { failing: 1 })
      expect(await watchOf(here)).toMatchObject({
        state: 'rolled_back',
        last_check: { metrics: { error_rate: { alarm: 'exact' } } },
      })
    })

    test('ends when its release is replaced, and when it is rolled back', async () => {
      const here = await scene(WATCHED)
      const { service, baseline, candidate } = here
      const third = await register(service, { version: '3' })
      const next = await ok(promote(service, third, { window: '2h' }))
      expect(await watchOf(here)).toMatchObject({
        state: 'superseded',
        ended_by: 'http',
        ended_because: `${third} took its place (promote, ${next.action_id})`,
      })
      const second = { service, watch_id: next.watch_id }
      expect(await watchOf(second)).toMatchObject({ state: 'watching', baseline_release_id: candidate })
      await ok(rollback(service, baseline, { window: '2h' }))
      expect(await watchOf(second)).toMatchObject({ state: 'rolled_back', rollback: null })
      await minute(here, 60, { latency: 900 })
      await drainOutbox(service.context)
      expect(Object.keys(announced(here))).toEqual(['rollback.succeeded'])
    })
  })
}
