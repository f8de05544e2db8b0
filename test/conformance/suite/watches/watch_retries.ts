import { describe, expect, test } from 'vitest'
import { compareTexts } from '../../../../src/base/text.ts'
import { isoTime } from '../../../../src/base/time.ts'
import { checkWatches } from '../../../../src/features/watch/tick.ts'
import { drainOutbox } from '../../../support/services/drain_outbox.ts'
import { eventOf } from '../../../support/services/builders.ts'
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
const EXCLUDING = { watch: { ...ROLLING.watch, on_unusable: 'exclude' } }
const MINUTE_MS = 60_000

/** Rollbacks of a watch that are blocked, and unusable runs that block them. */
export function watchRetriesContract(makeService: MakeService): void {
  const scene = (policy: Readonly<Record<string, unknown>> = ROLLING): Promise<Scene> =>
    promotedScene(makeService, policy)

  /** Runs of the live release that take half as long again, which its watch sees a minute later. */
  const regress = (here: Scene): Promise<void> => minute(here, 60, { latency: 150 })

  /** One run of another agent, and one of a model without a price. */
  const addUnusable = async ({ service, baseline, candidate }: Scene): Promise<void> => {
    const unusable = [
      eventOf({ release_id: candidate, run_id: 'stray-1', at: NOON + 1000, agent_id: 'bot-2', latency: 9 }),
      eventOf({ release_id: baseline, run_id: 'stray-2', model: 'm9', latency: 9 }),
    ]
    await ingest(service, unusable)
  }

  /** The attempts of watches to roll back that are on record: minutes after noon, and whether they passed. */
  const attemptsOf = async ({ service }: Scene): Promise<[number, boolean][]> => {
    const actions = (await actionsOf(service)).filter(({ actor }) => actor === 'watch')
    return actions
      .map(({ created_at, policy_passed }): [number, boolean] => [
        (Date.parse(created_at as string) - NOON) / MINUTE_MS,
        policy_passed as boolean,
      ])
      .toReversed()
  }

  /** What was announced that is about a rollback, in order: the event and when it is tried again. */
  const announced = async ({ service, receiver }: Scene): Promise<[string, unknown][]> => {
    await drainOutbox(service.context)
    // What is written at the same time is sent in any order.
    const payloads = receiver.sent
      .map(payloadOf)
      .toSorted((a, b) => compareTexts(a.created_at + a.event, b.created_at + b.event))
    expect(new Set(payloads.map(({ delivery_id }) => delivery_id)).size).toBe(payloads.length)
    return payloads.map(({ event, data }) => [event, data.rollback?.next_attempt_at])
  }

  /** Checks so many minutes after noon, one after the other. */
  const checkWatch = async ({ service }: Scene, minutes: readonly number[]): Promise<void> => {
    for (const each of minutes) {
      service.clock.now = NOON + each * MINUTE_MS
      await checkWatches(service.context)
    }
  }

  const at = (minutes: number): string => isoTime(NOON + minutes * MINUTE_MS)

  describe('a rollback of a watch that is blocked', () => {
    test('is tried again after 5, 15 and 60 minutes, is told each time, and then given up', async () => {
      const here = await scene()
      await setPolicy(here.service, { max_latency_ms: 10 })
      await regress(here)
      expect(await watchOf(here)).toMatchObject({
        state: 'regressed',
        ended_at: at(1),
        rollback: { passed: false, next_attempt_at: at(6) },
      })
      await checkWatch(here, [2, 5, 6, 7, 15, 16, 17, 60, 61, 65, 66, 67])
      expect(await attemptsOf(here)).toEqual([1, 6, 16, 61].map(minutes => [minutes, false]))
      const { rollback: last, ...watch } = await watchOf(here)
      expect(watch).toMatchObject({ state: 'regressed', ended_at: at(1), checks: 4 })
      expect(last).toMatchObject({ passed: false, attempts: 4 })
      expect(last).not.toHaveProperty('next_attempt_at')
      expect(await checkWatches(here.service.context)).toBeUndefined()
      expect(await announced(here)).toEqual([
        ['watch.regressed', at(6)],
        ['watch.rollback_blocked', at(6)],
        ['watch.rollback_blocked', at(16)],
        ['watch.rollback_blocked', at(61)],
        ['watch.rollback_blocked', null],
      ])
      expect(await failedChecks(here.service, true)).toEqual([])
    })

    test('is tried at once when another reason blocks it, and each reason once; it passes when none does', async () => {
      const here = await scene({ watch: { for: '2h', auto_rollback: true } })
      const { service, baseline } = here
      const slow = { max_latency_ms: 10 }
      const costly = { max_cost_per_run_usd: 0.000001 }
      await setPolicy(service, slow)
      await regress(here)
      for (const policy of [costly, slow, costly]) {
        await setPolicy(service, policy)
        await minute(here, 0)
      }
      expect(await attemptsOf(here)).toEqual([
        [1, false],
        [2, false],
      ])
      expect((await watchOf(here)).rollback).toMatchObject({
        attempts: 2,
        reasons: [expect.stringMatching(/^candidate cost_per_run_usd/)],
        next_attempt_at: at(6),
      })
      await setPolicy(service, {})
      await minute(here, 0)
      expect(await attemptsOf(here)).toContainEqual([5, true])
      expect(await pointerOf(service)).toBe(baseline)
      expect(await watchOf(here)).toMatchObject({
        state: 'rolled_back',
        ended_at: at(5),
        rollback: { passed: true, reasons: [], attempts: 3 },
      })
      const events = (await announced(here)).map(([event]) => event)
      expect(events).toEqual([
        'watch.regressed',
        'watch.rollback_blocked',
        'watch.rollback_blocked',
        'rollback.succeeded',
      ])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('passes when enough runs have come in, long after the last of those times', async () => {
      const here = await scene({ watch: { for: '3h', auto_rollback: true } })
      await setPolicy(here.service, {
        require_high_diff_confidence: true,
        min_baseline_runs: 500,
        min_candidate_runs: 400,
      })
      await regress(here)
      await checkWatch(here, [6, 16, 61])
      expect((await watchOf(here)).rollback).toMatchObject({ passed: false, next_attempt_at: null })
      await runs(here.service, here.candidate, 440, NOON + 80 * MINUTE_MS, { latency: 150 })
      await earlierDays(here.service, here.baseline, NOON + 80 * MINUTE_MS)
      await checkWatch(here, [100])
      expect(await watchOf(here)).toMatchObject({ state: 'rolled_back', rollback: { passed: true } })
      expect(await pointerOf(here.service)).toBe(here.baseline)
    })

    test('is not tried while the regression is no longer proven', async () => {
      const here = await scene()
      const { service, candidate } = here
      await setPolicy(service, { max_latency_ms: 10 })
      await regress(here)
      // Twenty times as many quick runs: the mean is what it was.
      await runs(service, candidate, 1200, NOON + MINUTE_MS, { latency: 97 })
      await setPolicy(service, {})
      await checkWatch(here, [12, 16, 61, 65])
      expect(await attemptsOf(here)).toHaveLength(1)
      expect((await watchOf(here)).rollback).toHaveProperty('next_attempt_at')
      await checkWatch(here, [66])
      expect((await watchOf(here)).rollback).not.toHaveProperty('next_attempt_at')
      expect(await checkWatches(service.context)).toBeUndefined()
    })

    test('is decided once by several processes', async () => {
      const here = await scene()
      await setPolicy(here.service, { max_latency_ms: 10 })
      await regress(here)
      here.service.clock.now += 5 * MINUTE_MS
      await Promise.all(Array.from({ length: 4 }, () => checkWatches(here.service.context)))
      expect(await attemptsOf(here)).toHaveLength(2)
      await setPolicy(here.service, {})
      here.service.clock.now += MINUTE_MS
      await Promise.all(Array.from({ length: 4 }, () => checkWatches(here.service.context)))
      expect((await attemptsOf(here)).map(([, passed]) => passed)).toEqual([false, false, true])
    })

    test('is not tried again once somebody decided otherwise, also where the release is promoted anew', async () => {
      const here = await scene({ watch: { for: '2h', auto_rollback: true } })
      const { service, baseline, candidate } = here
      await setPolicy(service, { max_latency_ms: 10 })
      await regress(here)
      await setPolicy(service, {})
      await ok(rollback(service, baseline, { window: '2h' }))
      await ok(promote(service, candidate, { window: '2h' }))
      await checkWatch(here, [2, 6])
      expect(await attemptsOf(here)).toHaveLength(1)
      expect(await pointerOf(service)).toBe(candidate)
    })

    test('is given up when somebody says so, or begins another watch', async () => {
      const here = await scene({ watch: { for: '2h', auto_rollback: true } })
      const { service, watch_id } = here
      await setPolicy(service, { max_latency_ms: 10 })
      await regress(here)
      const cancel = () =>
        service.call(`POST /v1/watches/${watch_id}/cancel`, { body: { reason: 'known', actor: 'ben' } })
      const { rollback: given, ended_because, ...watch } = await ok(cancel())
      expect(watch).toMatchObject({ state: 'regressed', ended_at: at(1), ended_by: 'ben' })
      expect(ended_because).toMatch(/^latency_ms .*; its rollback was cancelled: known$/)
      expect(given).not.toHaveProperty('next_attempt_at')
      expect(await refusal(cancel(), 400)).toMatch(/has ended already: regressed/)
      await setPolicy(service, {})
      await minute(here, 0)
      expect(await attemptsOf(here)).toHaveLength(1)
      expect(await failedChecks(service, true)).toEqual([])

      const start = { body: { agent_id: 'bot', environment: 'local', auto_rollback: true } }
      await setPolicy(service, { max_latency_ms: 10 })
      const second = { ...here, ...(await ok(service.call('POST /v1/watches', start))) }
      await earlierDays(service, here.baseline, service.clock.now)
      await minute(here, 60, { latency: 150 })
      expect((await watchOf(second)).rollback).toHaveProperty('next_attempt_at')
      const third = await ok(
        service.call('POST /v1/watches', { body: { ...start.body, auto_rollback: false } }),
      )
      expect(third.warnings).toContain(
        `the rollback of ${second.watch_id} is not tried again: this watch decides by its own checks`,
      )
      expect((await watchOf(second)).rollback).not.toHaveProperty('next_attempt_at')
    })

    test('keeps its runs from being pruned, and the doctor says where nobody tries', async () => {
      const here = await scene()
      await setPolicy(here.service, { max_latency_ms: 10 })
      await regress(here)
      const checks = async () => (await ok(here.service.call('GET /v1/doctor'))).checks
      expect(await checks()).toContainEqual({ name: 'watches', ok: true, detail: '1 are under way' })
      here.service.clock.now += 20 * MINUTE_MS
      expect(await checks()).toContainEqual(expect.objectContaining({ name: 'watches', warning: true }))
    })
  })

  describe('runs that keep a rollback from being decided on', () => {
    test('bar it, but it gets through as soon as the policy leaves them out', async () => {
      const here = await scene()
      const { service, baseline, candidate } = here
      await addUnusable(here)
      await regress(here)
      const blocked = await watchOf(here)
      expect(blocked.rollback).toMatchObject({ action_id: null, passed: false, next_attempt_at: at(6) })
      expect(blocked.rollback.reasons).toEqual([
        expect.stringMatching(/single consistent agent_id .* Or roll back without them: --exclude-unusable/),
      ])
      await setPolicy(service, EXCLUDING)
      await minute(here, 0)
      expect(await watchOf(here)).toMatchObject({ state: 'rolled_back', rollback: { passed: true } })
      expect(await pointerOf(service)).toBe(baseline)
      const [action] = (await actionsOf(service)) as [{ action_id: string }]
      const { evidence } = await ok(service.call(`GET /v1/actions/${action.action_id}`))
      expect(evidence).toMatchObject({ exclude_unusable: true })
      // What was promoted is the baseline of a rollback.
      expect(evidence.evaluation.baseline).toMatchObject({
        release_id: candidate,
        left_out: {
          runs: 1,
          of_runs: 61,
          parts: 0,
          unusable: [{ agent_id: 'bot-2', model: 'm1', why: 'agent', runs: 1, parts: 0 }],
        },
      })
      expect(evidence.evaluation.baseline.variants).toMatchObject([{ agent_id: 'bot', runs: 60 }])
      expect(evidence.evaluation.candidate.left_out).toMatchObject({ runs: 1, of_runs: 401 })
      expect(evidence.watch.check.problems).toEqual([
        'left out of the baseline: 1 of 401 runs (0.2 %): 1 of model m9, which has no price',
        'left out of the release: 1 of 61 runs (1.6 %): 1 of agent bot-2',
      ])
      expect(evidence.watch.check.metrics.cost_per_run_usd.change).not.toBeNull()
      // It is decided again from its evidence alone.
      expect(await failedChecks(service, true)).toEqual([])
      expect(await ok(service.call(`GET /v1/actions/${action.action_id}/explain`))).toMatchObject({
        equal: true,
      })
    })

    test('are not left out where they are more than 5 % of a side: it is announced, and nothing forced', async () => {
      const here = await scene(EXCLUDING)
      const { service, baseline, candidate } = here
      await runs(service, baseline, 22, NOON - MINUTE_MS, { model: 'm9' })
      await regress(here)
      const watch = await watchOf(here)
      expect(watch).toMatchObject({ state: 'regressed', rollback: { action_id: null, passed: false } })
      expect(watch.rollback.reasons).toEqual([
        expect.stringMatching(/They can't be left out: they are 22 of 422 runs \(5\.2 %\), and at most 5 %/),
      ])
      expect(watch.last_check.problems).toEqual([
        'cost is not compared: the baseline used m9, which has no price',
      ])
      expect(await pointerOf(service)).toBe(candidate)
      expect((await announced(here)).map(([event]) => event)).toEqual([
        'watch.regressed',
        'watch.rollback_blocked',
      ])
    })

    test('may be left out of a rollback by hand, which says so; of a promotion or diff they never are', async () => {
      const here = await scene({})
      const { service, baseline, candidate } = here
      await addUnusable(here)
      await minute(here, 60)
      const window = { window: '3h' }
      expect(await refusal(rollback(service, baseline, window), 400)).toMatch(
        /\(exclude_unusable: true\) leaves out 1 of 61 runs \(1\.6 %\)\.$/,
      )
      const dry = await ok(rollback(service, baseline, { ...window, exclude_unusable: true, dry_run: true }))
      const left_out = {
        baseline: {
          runs: 1,
          of_runs: 61,
          parts: 0,
          unusable: [{ agent_id: 'bot-2', model: 'm1', why: 'agent', runs: 1, parts: 0 }],
        },
        candidate: {
          runs: 1,
          of_runs: 401,
          parts: 0,
          unusable: [{ agent_id: 'bot', model: 'm9', why: 'price', runs: 1, parts: 0 }],
        },
      }
      expect(dry).toMatchObject({ dry_run: true, left_out })
      const done = await ok(rollback(service, baseline, { ...window, exclude_unusable: true }))
      expect(done).toMatchObject({ policy: { passed: true }, left_out })
      expect(done.policy.warnings).toEqual([
        expect.stringMatching(/^baseline: left out 1 of 61 runs \(1\.6 %\): 1 of agent bot-2; percentiles/),
        expect.stringMatching(
          /^candidate: left out 1 of 401 runs \(0\.2 %\): 1 of model m9, which has no price;/,
        ),
      ])
      expect(await pointerOf(service)).toBe(baseline)
      const promoting = promote(service, candidate, { ...window, exclude_unusable: true })
      expect(await unprocessableAt(promoting)).toEqual([['body', 'exclude_unusable']])
      expect(await refusal(promote(service, candidate, window), 400)).toMatch(
        /`unpriced: exclude` in the policy\.$/,
      )
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('of a rollback without such runs leave nothing out, and nothing is said of it', async () => {
      const here = await scene({})
      await minute(here, 60)
      const done = await ok(rollback(here.service, here.baseline, { window: '3h', exclude_unusable: true }))
      expect(done).not.toHaveProperty('left_out')
      expect(done.policy).not.toHaveProperty('warnings')
    })
  })
}
