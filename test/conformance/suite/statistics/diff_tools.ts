import { describe, expect, test } from 'vitest'
import type { PolicyAdvice } from '../../../../src/features/advice/models.ts'
import { eventOf, importPrices, register } from '../../../support/services/builders.ts'
import { diffOf, ingest, ok, promote, refusal, setPolicy } from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

const RUNS = 100

/** What the runs of a diff did with tools. */
export function diffToolsContract(makeService: MakeService): void {
  describe('the tools of a diff', () => {
    test('are calls per run and the share of runs that call them', async () => {
      const { service, ids } = await sides(makeService)
      expect((await diffOf(service, ids)).statistics.tools).toBeNull()
      const { tools } = (await diffOf(service, ids, { tools: true, window: '1h' })).statistics
      // The candidate loops with one tool, and no longer calls the other.
      expect(tools!.calls_per_run).toMatchObject({
        baseline_runs: RUNS,
        candidate_runs: RUNS,
        baseline_mean: 2,
        candidate_mean: 6,
        verdict: 'worse',
      })
      expect(tools!.tools).toMatchObject([
        {
          tool_name: 'search',
          calls_per_run: { baseline_mean: 1.5, candidate_mean: 6 },
          runs_share: { baseline_mean: 1, candidate_mean: 1 },
        },
        {
          tool_name: 'book',
          calls_per_run: { baseline_mean: 0.5, candidate_mean: 0 },
          runs_share: { baseline_mean: 0.5, candidate_mean: 0, verdict: 'better' },
        },
      ])
    })

    test('are limited by their interval', async () => {
      const { service, ids } = await sides(makeService)
      await setPolicy(service, { require_high_diff_confidence: false, max_tool_calls_increase_pct: 0.5 })
      expect((await diffOf(service, ids, { window: '1h' })).policy.reasons).toEqual([
        expect.stringMatching(
          /^candidate tool_calls_per_run \+200\.0 % \[.*\] exceeds max_tool_calls_increase_pct \+50\.0 % \(n 100 /,
        ),
      ])
    })

    test('are none where no run called any', async () => {
      const { service, ids } = await sides(makeService, false)
      const { tools } = (await diffOf(service, ids, { tools: true, window: '1h' })).statistics
      expect(tools).toMatchObject({
        calls_per_run: { baseline_mean: 0, candidate_mean: 0, verdict: 'inconclusive' },
        tools: [],
      })
    })
  })
}

/** The baseline searches once or twice and books in half of its runs; the candidate only searches, six times. */
async function sides(
  makeService: MakeService,
  withTools = true,
): Promise<{ service: TestService; ids: readonly [string, string] }> {
  const service = await makeService()
  await importPrices(service)
  const ids = [await register(service), await register(service)] as const
  const toolsOf = (side: number, index: number): object[] => {
    if (!withTools) return []
    const search = (invocations: number) => ({ tool_name: 'search', invocations, cost_units: 0 })
    if (side === 1) return [search(4), search(2)]
    return index % 2 === 0 ? [search(1), { tool_name: 'book', invocations: 1, cost_units: 0 }] : [search(2)]
  }
  for (const [side, release_id] of ids.entries()) {
    const events = Array.from({ length: RUNS }, (_, index) => {
      const event = eventOf({
        release_id,
        run_id: `${side}-${index}`,
        at: NOON - 3_600_000 + Math.floor(((index + 0.5) * 3_600_000) / RUNS),
      })
      return { ...event, usage: { ...(event.usage as object), tools: toolsOf(side, index) } }
    })
    await ingest(service, events)
  }
  return { service, ids }
}

/** GET /v1/policy/advice */
export function policyAdviceContract(makeService: MakeService): void {
  describe('advice on limits', () => {
    test('says with how many runs and days which limit could be proved', async () => {
      const { service, ids } = await sides(makeService)
      await promote(service, ids[0])
      const query = { agent_id: 'bot', window: '1h' }
      const advice: PolicyAdvice = await ok(service.call('GET /v1/policy/advice', { query }))
      expect(advice).toMatchObject({
        agent_id: 'bot',
        environment: 'local',
        release_id: ids[0],
        runs_per_day: 2400,
      })
      const [cost, latency, errors] = advice.metrics
      // All runs cost the same, which bounds a change by about 4 ÷ their number.
      expect(cost).toMatchObject({ policy_key: 'max_cost_increase_pct', runs: RUNS, variation: 0 })
      expect(cost!.limits[0]).toEqual({ limit: 0.05, runs_per_side: 82, days: expect.closeTo(164 / 2400, 9) })
      expect(latency).toMatchObject({ runs: 0, mean: null, limits: [{ runs_per_side: null }, {}, {}, {}] })
      expect(errors!.limits.map(({ limit }) => limit)).toEqual([0.01, 0.02, 0.05])
    })

    test('counts the time in which there was traffic, wherever in the window that was', async () => {
      for (const agoMs of [0, 10 * 86_400_000]) {
        const service = await makeService()
        await importPrices(service)
        const release_id = await register(service)
        const at = (index: number) => NOON - agoMs - Math.round(((index + 0.5) * 2 * 86_400_000) / 200)
        await ingest(
          service,
          Array.from({ length: 200 }, (_, index) =>
            eventOf({ release_id, run_id: `${index}`, at: at(index) }),
          ),
        )
        await promote(service, release_id)
        const query = { agent_id: 'bot', window: '14d' }
        const advice: PolicyAdvice = await ok(service.call('GET /v1/policy/advice', { query }))
        // 200 runs in two days; the first and the last are in the middle of their 200th.
        expect(advice.runs_per_day).toBeCloseTo(100, -1)
        const { runs_per_side, days } = advice.metrics[2]!.limits[1]!
        expect(days).toBeCloseTo((2 * runs_per_side!) / advice.runs_per_day, 9)
      }
    })

    test('plans for all limits of the policy, as a gate does', async () => {
      const { service, ids } = await sides(makeService)
      await promote(service, ids[0])
      const query = { agent_id: 'bot', window: '1h' }
      const runs = async () => {
        const advice: PolicyAdvice = await ok(service.call('GET /v1/policy/advice', { query }))
        return [advice.limits_at_once, advice.metrics[2]!.limits[1]!.runs_per_side]
      }
      expect((await runs())[0]).toBe(1)
      const limits = {
        max_error_rate_increase: 0.02,
        max_cost_increase_pct: 0.1,
        max_latency_increase_pct: 0.1,
      }
      await setPolicy(service, { ...limits, sequential: true })
      const { statistics } = await diffOf(service, ids, { window: '1h' })
      expect(await runs()).toEqual([3, statistics.error_rate.runs_needed.runs_per_side])
    })

    test('takes something that is promoted', async () => {
      const { service } = await sides(makeService)
      const query = { agent_id: 'bot' }
      expect(await refusal(service.call('GET /v1/policy/advice', { query }), 400)).toContain(
        'bot has no live release in ',
      )
    })
  })
}
