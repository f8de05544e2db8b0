import { describe, expect, test } from 'vitest'
import { eventOf, twoReleases } from '../../../support/services/builders.ts'
import {
  manyActions,
  actionsOf,
  ingest,
  ok,
  promote,
  refusal,
  rollback,
  setPolicy,
} from '../../../support/services/requests.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'

/** What an action keeps of what it rested on. */
export function evidenceContract(makeService: MakeService): void {
  describe('the evidence of an action', () => {
    test('is shown with it, and listed on demand only', async () => {
      const service = await makeService()
      await manyActions(service, 2)
      const [listed] = await actionsOf(service)
      const shown = await ok(service.call(`GET /v1/actions/${listed!.action_id as string}`))
      expect(shown).toMatchObject({
        ...listed,
        actor_source: 'body',
        prev_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        evidence: expect.any(Object),
      })
      const detailed = await ok(service.call('GET /v1/actions', { query: { evidence: 'true' } }))
      expect(detailed.actions[0]).toEqual(shown)
      const plain = await ok(service.call('GET /v1/actions', { query: { evidence: 'false' } }))
      expect(plain.actions[0]).toEqual(listed)
    })

    test('links each record to the one before by the hash of its text', async () => {
      const service = await makeService()
      await manyActions(service, 4)
      const { actions } = await ok(service.call('GET /v1/actions', { query: { evidence: 'true' } }))
      let previous = ''
      for (const action of actions.toReversed()) {
        expect(action.prev_hash).toBe(previous)
        expect(action.hash).toBe(await sha256(action.record_json))
        const record = JSON.parse(action.record_json)
        expect(record).toMatchObject({
          prev_hash: previous,
          action_id: action.action_id,
          audit_seq: action.audit_seq,
          evidence: action.evidence,
        })
        previous = action.hash
      }
    })

    test('holds all that the decision rested on', async () => {
      const { service, baseline, candidate } = await blocked(makeService)
      const [{ action_id } = { action_id: '' }] = await actionsOf(service)
      const { evidence } = await ok(service.call(`GET /v1/actions/${action_id as string}`))
      expect(evidence).toMatchObject({
        window: { text: '1h', since: '2026-01-31T11:00:00.000Z', until: '2026-01-31T12:00:00.000Z' },
        promotion_requires_approval: false,
        policy: { policy_id: 'default', max_cost_per_run_usd: 1.5, min_candidate_runs: 5 },
        evaluated_at: '2026-01-31T12:00:00.000Z',
        request: null,
        evaluation: {
          thresholds: { min_candidate_runs: 5, min_baseline_runs: 500, min_low_runs: 50 },
          confidence: 'LOW',
          baseline: { release_id: baseline, provider: 'acme', pricing_version: 'v1', model: 'm1' },
          candidate: { release_id: candidate, checksum: 'a'.repeat(64), model: 'm2' },
          metrics: { baseline_cost_per_run_usd: 2, candidate_cost_per_run_usd: 1.6 },
          catalog: { enabled: false },
        },
      })
      expect(evidence.evaluation.candidate.variants).toMatchObject([
        { agent_id: 'bot', provider: 'acme', model: 'm2', runs: 4, errors: 1, input_tokens: 1600 },
      ])
      expect(evidence.evaluation.candidate.rates).toEqual([
        {
          model: 'm2',
          input_usd_per_1k_tokens: 2,
          output_usd_per_1k_tokens: 4,
          cached_input_usd_per_1k_tokens: 0.5,
          cache_write_input_usd_per_1k_tokens: 2.5,
        },
      ])
    })

    test('replays to the recorded verdict, whatever changes afterwards', async () => {
      const { service, candidate } = await blocked(makeService)
      const [{ action_id, policy_reasons } = { action_id: '' }] = await actionsOf(service)
      const before = await ok(service.call(`GET /v1/actions/${action_id as string}`))
      await setPolicy(service, {})
      const table = { provider: 'acme', pricing_version: 'v1', entries: [] }
      await ok(service.call('POST /v1/pricing', { body: { table, replace: true, reason: 'gone' } }))
      await ingest(service, [eventOf({ release_id: candidate, run_id: 'late', model: 'm2' })])
      const after = await ok(service.call(`GET /v1/actions/${action_id as string}`))
      expect(after).toEqual(before)
      expect(replay(after.evidence)).toEqual(policy_reasons)
      expect((await ok(service.call('GET /v1/doctor', { query: { deep: 'true' } }))).ok).toBe(true)
    })

    test('of a first promotion says that nothing was evaluated', async () => {
      const service = await makeService()
      await manyActions(service, 1)
      const [{ action_id } = { action_id: '' }] = await actionsOf(service)
      const { evidence, prev_hash } = await ok(service.call(`GET /v1/actions/${action_id as string}`))
      expect(evidence).toMatchObject({ evaluation: null, window: { text: '1h' } })
      expect(prev_hash).toBe('')
    })

    test('of an unknown action is 404', async () => {
      const service = await makeService()
      expect(await refusal(service.call('GET /v1/actions/act_none'), 404)).toContain('act_none')
    })
  })
}

/** A candidate whose rollback was blocked for cost, errors and confidence. */
async function blocked(
  makeService: MakeService,
): Promise<{ service: TestService; baseline: string; candidate: string }> {
  const service = await makeService()
  const releases = await twoReleases(service, 3)
  const tokens = { model: 'm2', input: 400, output: 200 }
  await ingest(service, [
    eventOf({ release_id: releases.candidate, run_id: 'failed', success: false, ...tokens }),
  ])
  await ok(promote(service, releases.baseline))
  await setPolicy(service, {
    max_cost_per_run_usd: 1.5,
    max_error_rate: 0.2,
    min_candidate_runs: 5,
    require_high_diff_confidence: true,
  })
  expect((await rollback(service, releases.candidate)).status).toBe(409)
  return { service, ...releases }
}

/** The reasons that follow from evidence alone, by the specification's rules and wording. */
function replay({ policy, evaluation }: { policy: any; evaluation: any }): string[] {
  const { variants, rates } = evaluation.candidate
  const total = (field: string) => variants.reduce((sum: number, variant: any) => sum + variant[field], 0)
  const cost =
    variants.reduce((sum: number, variant: any) => {
      const rate = rates.find((entry: any) => entry.model === variant.model)
      return (
        sum +
        (variant.input_tokens / 1000) * rate.input_usd_per_1k_tokens +
        (variant.output_tokens / 1000) * rate.output_usd_per_1k_tokens +
        (variant.cached_input_tokens / 1000) * (rate.cached_input_usd_per_1k_tokens ?? 0)
      )
    }, 0) / total('runs')
  const errors = total('errors') / total('runs')
  const { confidence, confidence_reason } = evaluation
  return [
    cost > policy.max_cost_per_run_usd
      ? `candidate cost_per_run_usd ${cost.toFixed(6)} exceeds max ${policy.max_cost_per_run_usd.toFixed(6)}`
      : '',
    errors > policy.max_error_rate
      ? `candidate error_rate ${errors.toFixed(4)} exceeds max ${policy.max_error_rate.toFixed(4)}`
      : '',
    confidence === 'HIGH'
      ? ''
      : `diff confidence is ${confidence} (${confidence_reason}); promotion requires HIGH`,
  ].filter(reason => reason !== '')
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Buffer.from(digest).toString('hex')
}
