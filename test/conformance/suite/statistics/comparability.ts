import { describe, expect, test } from 'vitest'
import { HOUR_MS } from '../../../../src/base/time.ts'
import { eventOf, importPrices, register } from '../../../support/services/builders.ts'
import {
  actionsOf,
  diffOf,
  failedChecks,
  ingest,
  ok,
  pointerOf,
  promote,
  rollback,
  setPolicy,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'
import { minute, promotedScene, runs, watchOf } from '../../../support/watches/scene.ts'

const LIMITED = { require_high_diff_confidence: false, max_latency_increase_pct: 0.3 }
const REASON =
  /^too little evidence on latency_ms: .* \(n 240 baseline, 240 candidate; under half of the runs are of times in which both sides ran: run both at once, or choose a window in which both ran\)$/

/** What becomes of differences between sides that ran at other times. */
export function comparabilityContract(makeService: MakeService): void {
  describe('a difference', () => {
    test('between a day and its last hour is not claimed, but over that hour it is', async () => {
      const { service, ids } = await sides(makeService, {
        baseline: [24 * HOUR_MS, 480],
        candidate: [HOUR_MS, 240],
      })
      const day = (await diffOf(service, ids, { window: '24h' })).statistics
      expect(day.latency_ms).toMatchObject({
        verdict: 'inconclusive',
        inconclusive_because: 'not_comparable',
        comparability_doubt: 'not_comparable',
      })
      expect(day.error_rate.inconclusive_because).toBe('not_comparable')
      expect(day.warnings).toEqual([
        'only 36 % of the runs are of times in which both sides ran (it takes 50 %), so a difference may be one of times: ' +
          'choose a window of 60m, in which both ran',
      ])
      const hour = (await diffOf(service, ids, { window: '1h' })).statistics
      expect(hour.warnings).toEqual([])
      expect(hour.latency_ms.comparability_doubt).toBeNull()
    })

    test('of runs that came in a burst is not claimed', async () => {
      const { service, ids } = await sides(makeService, {
        baseline: [HOUR_MS, 240],
        candidate: [HOUR_MS, 240],
      })
      const { latency_ms, cost_per_run_usd } = (await diffOf(service, ids, { window: '24h' })).statistics
      expect([latency_ms, cost_per_run_usd].map(metric => metric.inconclusive_because)).toEqual([
        'too_few_blocks',
        'too_few_blocks',
      ])
      expect(latency_ms.difference!.low).not.toBeNull()
    })

    test('decides no promotion, but a rollback, which says so', async () => {
      const { service, ids } = await sides(makeService, {
        baseline: [12 * HOUR_MS, 240, 12 * HOUR_MS],
        candidate: [HOUR_MS, 240],
      })
      const [baseline, candidate] = ids
      await ok(promote(service, baseline, { window: '24h' }))
      await setPolicy(service, LIMITED)
      const blocked = await promote(service, candidate, { window: '24h' })
      expect(blocked.status).toBe(409)
      expect(blocked.body.detail.outcome.policy.reasons).toEqual([expect.stringMatching(REASON)])
      const query = { release_id: candidate, window: '24h' }
      expect(await ok(service.call('GET /v1/gate/bot/local', { query }))).toMatchObject({
        verdict: 'inconclusive',
        reasons: blocked.body.detail.outcome.policy.reasons,
      })
      await setPolicy(service, { ...LIMITED, on_inconclusive: 'pass' })
      await ok(promote(service, candidate, { window: '24h' }))
      await setPolicy(service, LIMITED)
      const back = await ok(rollback(service, baseline, { window: '24h' }))
      expect(back.policy).toMatchObject({
        passed: true,
        warnings: [
          expect.stringMatching(/^only \d+ % of the runs are of times .*: this is a rollback, so its/),
        ],
      })
      const [{ action_id }] = (await actionsOf(service)) as [{ action_id: string }]
      const { evidence } = await ok(service.call(`GET /v1/actions/${action_id}`))
      expect(evidence.evaluation.statistics).toMatchObject({
        latency_ms: { comparability_doubt: null, clusters: { shared_runs_share: expect.any(Number) } },
        warnings: back.policy.warnings,
      })
      expect(await ok(service.call(`GET /v1/actions/${action_id}/explain`))).toMatchObject({ equal: true })
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('holds up no rollback of a watch', async () => {
      const here = await promotedScene(makeService, { watch: { for: '10m', auto_rollback: true } })
      const { service, baseline, candidate } = here
      await setPolicy(service, LIMITED)
      // The live release ran a minute of the two hours, the one before it the hour until then.
      await minute(here, 60, { latency: 300 })
      expect(await watchOf(here)).toMatchObject({
        state: 'rolled_back',
        rollback: { passed: true, reasons: [] },
      })
      expect(await pointerOf(service)).toBe(baseline)
      // A promotion of the same runs would not do.
      await runs(service, candidate, 1, service.clock.now)
      const again = await promote(service, candidate, { window: '2h' })
      expect([again.status, again.body.detail.outcome.policy.reasons[0]]).toEqual([
        409,
        expect.stringMatching(/^too little evidence on latency_ms.* under half of the runs are of times/),
      ])
    })
  })
}

type Ran = readonly [lasted_ms: number, runs: number, ended_ms_ago?: number]

/** Two equal releases that ran so long and often. */
async function sides(
  makeService: MakeService,
  { baseline, candidate }: { readonly baseline: Ran; readonly candidate: Ran },
): Promise<{ service: TestService; ids: readonly [string, string] }> {
  const service = await makeService()
  await importPrices(service)
  const ids = [await register(service), await register(service)] as const
  for (const [side, [lastedMs, count, agoMs = 0]] of [baseline, candidate].entries()) {
    const events = Array.from({ length: count }, (_, index) =>
      eventOf({
        release_id: ids[side]!,
        run_id: `${side}-${index}`,
        at: NOON - agoMs - lastedMs + Math.floor(((index + 0.5) * lastedMs) / count),
        input: 1000 + ((index * 37) % 400),
        latency: 500 + ((index * 91) % 300),
      }),
    )
    await ingest(service, events)
  }
  return { service, ids }
}
