import { describe, expect, test } from 'vitest'
import { eventOf, ingestMany, twoReleases } from '../../../support/services/builders.ts'
import { seededRandom } from '../../../../src/base/numbers.ts'
import { ingest, ok, promote, rollback, setPolicy } from '../../../support/services/requests.ts'
import { scaled } from '../../../support/scale.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

const MINUTE = 60_000

/** `missing_for_high`: what an outcome that was blocked for confidence lacks. */
export function reachContract(makeService: MakeService): void {
  describe('what is missing for HIGH', () => {
    test('is told with a block for confidence, and only then', async () => {
      const { service, candidate } = await twoPromotable(makeService, 4)
      await setPolicy(service, { min_candidate_runs: 9, require_high_diff_confidence: true })
      const blocked = await promote(service, candidate)
      expect(blocked.status).toBe(409)
      expect(blocked.body.detail.outcome.missing_for_high).toEqual({
        baseline_runs_needed: 496,
        candidate_runs_needed: 5,
        shortest_window: null,
      })
      await setPolicy(service, { max_cost_per_run_usd: 0, min_candidate_runs: 9 })
      const costly = await promote(service, candidate)
      expect(costly.status).toBe(409)
      expect(costly.body.detail.outcome).not.toHaveProperty('missing_for_high')
    })

    test('names the shortest window, which really reaches HIGH', async () => {
      const { service, candidate } = await twoPromotable(makeService, 4)
      const older = [5, 6, 7, 40, 50].map((minutes, index) =>
        eventOf({
          release_id: candidate,
          run_id: `older-${index}`,
          model: 'm2',
          at: NOON - minutes * MINUTE - 1,
        }),
      )
      await ingest(service, older)
      const shortest = async (min_candidate_runs: number) => {
        await setPolicy(service, {
          min_candidate_runs,
          min_baseline_runs: 4,
          require_high_diff_confidence: true,
        })
        const { policy, missing_for_high } = await dryRun(service, candidate, '1m')
        expect(policy.passed).toBe(min_candidate_runs <= 4)
        return missing_for_high?.shortest_window
      }
      expect(await shortest(4)).toBeUndefined()
      expect(await shortest(5)).toBe('6m')
      expect(await shortest(7)).toBe('8m')
      expect(await shortest(8)).toBe('41m')
      expect(await shortest(9)).toBe('51m')
      expect(await shortest(10)).toBeNull()
      await setPolicy(service, {
        min_candidate_runs: 9,
        min_baseline_runs: 4,
        require_high_diff_confidence: true,
      })
      expect((await dryRun(service, candidate, '50m')).policy.passed).toBe(false)
      await ok(promote(service, candidate, { window: '51m' }))
    })

    test('looks at both sides, and at rollbacks as well', async () => {
      const { service, baseline, candidate } = await twoPromotable(makeService, 3)
      const at = NOON - 10 * MINUTE
      await ingest(service, [eventOf({ release_id: baseline, run_id: 'older', at })])
      await setPolicy(service, {
        min_candidate_runs: 2,
        min_baseline_runs: 4,
        require_high_diff_confidence: true,
      })
      const blocked = await rollback(service, candidate, { window: '2m' })
      expect(blocked.body.detail.outcome.missing_for_high).toEqual({
        baseline_runs_needed: 1,
        candidate_runs_needed: 0,
        shortest_window: '10m',
      })
      await ok(rollback(service, candidate, { window: '10m' }))
    })

    test.each(scaled([1], [1, 2, 3, 4]))('reaches HIGH on random log %i, from any clock', async seed => {
      const random = seededRandom(seed)
      const { service, baseline, candidate } = await twoPromotable(makeService, 0)
      const spread = [5 * MINUTE, 300 * MINUTE, 3000 * MINUTE, 30_000 * MINUTE]
      const events = Array.from({ length: 200 }, (_, index) =>
        eventOf({
          release_id: index % 3 === 0 ? baseline : candidate,
          run_id: `run-${index}`,
          at: NOON - 1 - Math.floor(random() * spread[Math.floor(random() * 4)]!),
        }),
      )
      await ingest(service, events)
      for (let round = 0; round < 25; round++) {
        service.clock.now = NOON + Math.floor((random() - 0.5) * 7_200_000)
        const policy = {
          min_candidate_runs: Math.floor(random() * 90),
          min_baseline_runs: Math.floor(random() * 50),
          min_low_runs: 3,
          require_high_diff_confidence: true,
        }
        await setPolicy(service, policy)
        const outcome = await dryRun(service, candidate, '1m')
        if (outcome.policy.passed) continue
        const { shortest_window } = outcome.missing_for_high
        const widest = await dryRun(service, candidate, '100d')
        expect(shortest_window === null).toBe(!widest.policy.passed)
        if (shortest_window === null) continue
        expect((await dryRun(service, candidate, shortest_window)).policy.passed).toBe(true)
        const muchShorter = shorter(shortest_window)
        expect((await dryRun(service, candidate, muchShorter)).policy.passed).toBe(false)
      }
    })
  })
}

/** Two units less, the precision of the answer, but at least a minute. */
function shorter(window: string): string {
  const count = Number.parseInt(window, 10)
  const minutes = { m: 1, h: 60, d: 1440 }[window.at(-1) as 'm' | 'h' | 'd']
  return `${Math.max(1, (count - 2) * minutes)}m`
}

async function dryRun(service: TestService, release: string, window: string) {
  return ok(promote(service, release, { window, dry_run: true }))
}

async function twoPromotable(
  makeService: MakeService,
  count: number,
): Promise<{ service: TestService; baseline: string; candidate: string }> {
  const service = await makeService()
  const releases = await twoReleases(service, 0)
  await ingestMany(service, count, { release_id: releases.baseline })
  await ingestMany(service, count, { release_id: releases.candidate, model: 'm2' })
  await ok(promote(service, releases.baseline))
  return { service, ...releases }
}
