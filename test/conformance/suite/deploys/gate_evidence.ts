import { describe, expect, test } from 'vitest'
import {
  OVER_AN_HOUR,
  eventOf,
  ingestMany,
  register,
  twoReleases,
} from '../../../support/services/builders.ts'
import {
  SMALL_SAMPLES,
  diffOf,
  ingest,
  ok,
  promote,
  promotedBaseline,
  setPolicy,
} from '../../../support/services/requests.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'

/** What the gate says of evidence that is missing or thin. */
export function gateEvidenceContract(makeService: MakeService): void {
  describe('the gate', () => {
    test.each([
      [{}, { verdict: 'pass', reasons: [], warnings: TOKENLESS }],
      [{ strict: true }, { verdict: 'inconclusive', reasons: TOKENLESS, warnings: [] }],
    ])('takes the cost of runs that only began for unknown: %j', async (workspace, said) => {
      const service = await makeService({ workspace: { ...SMALL_SAMPLES, ...workspace } })
      const { baseline } = await twoReleases(service, 10, OVER_AN_HOUR)
      const candidate = await register(service, { version: '3' })
      await ingestMany(service, 10, { release_id: candidate, type: 'run_start', ...OVER_AN_HOUR })
      await ok(promote(service, baseline, { first: true }))
      await setPolicy(service, { max_cost_per_run_usd: 5, max_cost_increase_pct: 1, compare_by: 'window' })
      expect(await gate(service, candidate)).toMatchObject(said)
    })

    test('says how many more runs of each side it takes, as a diff and a promotion do', async () => {
      const { service, baseline, candidate } = await promotedBaseline(makeService, OVER_AN_HOUR)
      await setPolicy(service, { max_error_rate_increase: 0.02 })
      // No errors: an unchanged release takes 189 runs a side. Ten an hour come in.
      const missing = {
        baseline_runs_needed: 179,
        candidate_runs_needed: 179,
        baseline_runs_per_hour: 10,
        candidate_runs_per_hour: 10,
        hours: 17.9,
        window: '19h',
      }
      expect(await gate(service, candidate)).toMatchObject({
        verdict: 'inconclusive',
        confidence: 'HIGH',
        missing_evidence: missing,
      })
      const { traffic, policy } = await diffOf(service, [baseline, candidate], { window: '1h' })
      expect(traffic).toEqual({ baseline_runs_per_hour: 10, candidate_runs_per_hour: 10 })
      expect(policy.missing_evidence).toEqual(missing)
      const narrowed = await diffOf(service, [baseline, candidate], { window: '1h', tenant_id: 't1' })
      expect(narrowed.policy.missing_evidence).toEqual(missing)
      const { status, body } = await promote(service, candidate)
      expect([status, body.detail.outcome.policy.missing_evidence]).toEqual([409, missing])
      // A limit that is violated is not a matter of runs.
      await setPolicy(service, { max_error_rate_increase: 0.02, max_latency_ms: 1 })
      expect(await gate(service, candidate)).not.toHaveProperty('missing_evidence')
    })

    test('tells of limits that pass without data because the policy says so', async () => {
      const { service } = await promotedBaseline(makeService)
      const silent = await register(service, { version: '3' })
      const limits = { max_cost_increase_pct: 1, max_latency_p95_ms: 5, on_inconclusive: 'pass' }
      await setPolicy(service, limits)
      expect(await gate(service, silent)).toMatchObject({
        verdict: 'pass',
        warnings: [
          'max_cost_increase_pct passes by on_inconclusive alone: one release has no data',
          'max_latency_p95_ms passes by on_inconclusive alone: one release has too few runs to conclude',
        ],
      })
      await setPolicy(service, { ...limits, on_inconclusive: 'block' })
      expect(await gate(service, silent)).toMatchObject({
        verdict: 'inconclusive',
        warnings: [],
      })
    })

    test('tells how few runs decide a limit on the latency', async () => {
      const { service } = await promotedBaseline(makeService)
      const quiet = await register(service, { version: '3' })
      await ingestMany(service, 9, { release_id: quiet })
      await ingest(service, [eventOf({ release_id: quiet, run_id: 'timed', latency: 50 })])
      await setPolicy(service, { max_latency_ms: 60 })
      expect(await gate(service, quiet)).toMatchObject({
        verdict: 'pass',
        warnings: ['max_latency_ms is decided by 1 of 10 runs: the others have no latency'],
      })
    })
  })
}

const TOKENLESS = ['max_cost_per_run_usd', 'max_cost_increase_pct'].map(
  key => `${key} cannot be checked: the candidate has no data for it`,
)

/** Asks whether a release of `bot` may pass in `local` by the last hour. */
function gate(service: TestService, release_id: string) {
  return ok(service.call('GET /v1/gate/bot/local', { query: { window: '1h', release_id } }))
}
