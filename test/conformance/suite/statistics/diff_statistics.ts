import { describe, expect, test } from 'vitest'
import { isoTime } from '../../../../src/base/time.ts'
import { eventOf, importPrices, register } from '../../../support/services/builders.ts'
import {
  diffCall,
  diffOf,
  decision,
  ingest,
  ok,
  promote,
  setPolicy,
  unprocessableAt,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

const RUNS = 120
const SPAN_MS = 24 * 60 * 60_000

/** What a diff says of how sure it is, and what policies make of it. */
export function diffStatisticsContract(makeService: MakeService): void {
  describe('the statistics of a diff', () => {
    test('have intervals and verdicts of every metric', async () => {
      const { service, ids } = await sides(makeService, 1.5)
      const { statistics } = await diffOf(service, ids)
      expect(statistics).toMatchObject({ cluster_by: 'time', limits: [], warnings: [] })
      for (const metric of [
        statistics.cost_per_run_usd,
        statistics.latency_ms,
        statistics.tokens_per_run.input_tokens,
      ]) {
        expect(metric).toMatchObject({
          baseline_runs: RUNS,
          candidate_runs: RUNS,
          interval: 'fixed',
          confidence_level: 0.95,
          verdict: 'worse',
          inconclusive_because: null,
        })
        expect(metric.relative_change!.estimate).toBeCloseTo(0.5, 2)
        expect(metric.relative_change!.low).toBeGreaterThan(0.3)
        expect(metric.relative_change!.high).toBeLessThan(0.7)
        // But for a run that was under way when the candidate began.
        expect(metric.clusters.baseline).toBeCloseTo(12, 1)
      }
      expect(statistics.error_rate).toMatchObject({ verdict: 'inconclusive', baseline_mean: 0 })
    })

    test('are wider where they hold however often they are asked for', async () => {
      const { service, ids } = await sides(makeService, 1.5)
      const width = async (body: object): Promise<number> => {
        const { relative_change: change, interval } = (await diffOf(service, ids, body)).statistics
          .cost_per_run_usd
        expect(interval).toBe('sequential' in body ? 'sequential' : 'fixed')
        return change!.high! - change!.low!
      }
      expect(await width({ sequential: true })).toBeGreaterThan(1.3 * (await width({})))
      await setPolicy(service, { sequential: true })
      expect((await diffOf(service, ids)).statistics.latency_ms.interval).toBe('sequential')
      expect((await diffOf(service, ids, { sequential: false })).statistics.latency_ms.interval).toBe('fixed')
    })

    test('that hold at all looks are of all runs of the candidate, however short the window is', async () => {
      const { service, ids } = await sides(makeService, 1)
      const fixed = await diffOf(service, ids, { window: '6h', sequential: false })
      expect([fixed.window_used, fixed.statistics.latency_ms.candidate_runs]).toEqual([undefined, RUNS / 4])
      await setPolicy(service, { sequential: true, max_latency_increase_pct: 0.5 })
      const all = await diffOf(service, ids, { window: '6h' })
      expect(all).toMatchObject({
        window_used: { since: isoTime(NOON - SPAN_MS), until: isoTime(NOON) },
        warnings: [expect.stringMatching(/^sequential intervals use all runs .*: from 2026/)],
      })
      expect(all.statistics.latency_ms).toMatchObject({ interval: 'sequential', candidate_runs: RUNS })
      await ok(promote(service, ids[0], { window: '6h' }))
      const query = { release_id: ids[1], window: '6h' }
      const { window_used } = await ok(service.call('GET /v1/gate/bot/local', { query }))
      expect(window_used).toEqual(all.window_used)
    })

    test('know of sessions and tenants', async () => {
      const { service, ids } = await sides(makeService, 1, { sessions: 12 })
      const of = async (cluster_by: string) => (await diffOf(service, ids, { cluster_by })).statistics
      const [bySession, byTenant] = [await of('session'), await of('tenant')]
      expect(bySession.cluster_by).toBe('session')
      expect(bySession.latency_ms.clusters).toEqual({ baseline: 12, candidate: 12, shared_runs_share: 0 })
      expect(bySession.latency_ms.design_effect).toBeGreaterThan(2)
      expect(byTenant.latency_ms.clusters).toEqual({ baseline: 1, candidate: 1, shared_runs_share: 1 })
      expect(byTenant.latency_ms.inconclusive_because).toBe('too_few_clusters')
      expect(await unprocessableAt(diffCall(service, ids, { cluster_by: 'task' }))).toEqual([
        ['body', 'cluster_by'],
      ])
    })

    test('warn who asks again and again', async () => {
      const { service, ids } = await sides(makeService, 1)
      for (let check = 0; check < 10; check++)
        expect((await diffOf(service, ids)).statistics.warnings).toEqual([])
      expect((await diffOf(service, ids)).statistics.warnings).toEqual([
        expect.stringContaining('asked 11 times'),
      ])
      expect((await diffOf(service, ids, { sequential: true })).statistics.warnings).toEqual([])
      expect((await diffOf(service, ids, { window: '23h' })).statistics.warnings).toEqual([])
    })
  })

  describe('a limit on a change', () => {
    test.each([
      ['passes', 1, {}, []],
      [
        'fails beyond it',
        1.5,
        {},
        [
          /^candidate cost_per_run_usd \+\d.* \[\+.*, \+.*\] exceeds max_cost_increase_pct \+10\.0 % \(n 120 baseline, 120 candidate\)$/,
        ],
      ],
      [
        'is inconclusive where the interval holds it',
        1.1,
        {},
        [
          /^too little evidence on cost_per_run_usd: .* \(n 120 baseline, 120 candidate; the interval contains the limit\)$/,
        ],
      ],
      ['lets pass what is inconclusive', 1.1, { on_inconclusive: 'pass' }, []],
      [
        'is decided by the estimate',
        1.14,
        { on_inconclusive: 'estimate' },
        [/exceeds max_cost_increase_pct .* decided by the estimate alone/],
      ],
    ])('%s', async (_, factor, more, reasons) => {
      const { service, ids } = await sides(makeService, factor)
      await setPolicy(service, { require_high_diff_confidence: false, max_cost_increase_pct: 0.1, ...more })
      const { policy, statistics } = await diffOf(service, ids)
      expect(policy.reasons).toEqual(reasons.map(reason => expect.stringMatching(reason)))
      expect(policy.passed).toBe(reasons.length === 0)
      expect(statistics.limits).toMatchObject([
        {
          policy_key: 'max_cost_increase_pct',
          metric: 'cost_per_run_usd',
          limit: 0.1,
          passed: policy.passed,
        },
      ])
      expect(statistics.cost_per_run_usd.runs_needed.limit).toBe(0.1)
    })

    test('decides promotions, whose evidence decides the same again', async () => {
      const { service, ids } = await sides(makeService, 1.5)
      await setPolicy(service, { require_high_diff_confidence: false, max_latency_increase_pct: 0.2 })
      await promote(service, ids[0])
      const blocked = await service.call('POST /v1/promote', {
        body: decision(ids[1], { window: '24h' }),
      })
      expect(blocked.status).toBe(409)
      const { actions } = await ok(service.call('GET /v1/actions', { query: { evidence: 'true' } }))
      expect(actions[0].policy_reasons).toEqual([
        expect.stringContaining('exceeds max_latency_increase_pct +20.0 %'),
      ])
      expect(actions[0].evidence.evaluation.statistics.latency_ms.verdict).toBe('worse')
      const { checks } = await ok(service.call('GET /v1/doctor', { query: { deep: 'true' } }))
      expect(checks).toContainEqual(expect.objectContaining({ name: 'audit_chain_and_decisions', ok: true }))
    })

    test('is a fraction, and percent are refused', async () => {
      const service = await makeService()
      const body = { max_cost_increase_pct: 10 }
      const answer = await service.call('PUT /v1/policy', { body })
      expect(await unprocessableAt(Promise.resolve(answer))).toEqual([['body', 'max_cost_increase_pct']])
      expect(answer.text).toContain('0.1 is +10 %')
    })

    test('that is not set leaves the policy as it is', async () => {
      const service = await makeService()
      await setPolicy(service, { policy_id: 'plain' })
      expect(Object.keys(await ok(service.call('GET /v1/policy')))).toEqual([
        'policy_id',
        'max_cost_per_run_usd',
        'max_latency_ms',
        'max_error_rate',
        'min_candidate_runs',
        'min_baseline_runs',
        'min_low_runs',
        'require_high_diff_confidence',
      ])
    })
  })
}

interface SidesOptions {
  /** Sessions per side, which share a level. */
  readonly sessions?: number
  readonly tenantOf?: (side: string) => string
}

/** Two releases with runs over a day, whose candidate takes `factor` times the tokens and the time. */
async function sides(
  makeService: MakeService,
  factor: number,
  { sessions, tenantOf = () => 't1' }: SidesOptions = {},
): Promise<{ service: TestService; ids: readonly [string, string] }> {
  const service = await makeService()
  await importPrices(service)
  const ids = [await register(service), await register(service)] as const
  for (const [side, release_id] of ids.entries()) {
    const events = Array.from({ length: RUNS }, (_, index) => {
      const session = sessions === undefined ? undefined : index % sessions
      const size =
        (session === undefined ? 1000 + 300 * Math.sin(index * 2.4) : 500 + 100 * session) *
        (side === 1 ? factor : 1)
      return eventOf({
        release_id,
        run_id: `${side}-${index}`,
        at: NOON - SPAN_MS + Math.floor(((index + 0.5) * SPAN_MS) / RUNS),
        tenant_id: tenantOf(String(side)),
        input: Math.round(size),
        output: Math.round(size / 2),
        latency: Math.round(size),
        ...(session === undefined ? {} : { request: { session_id: `${side}-${session}` } }),
      })
    })
    await ingest(service, events)
  }
  return { service, ids }
}
