import { describe, expect, test } from 'vitest'
import { eventOf, register, twoReleases } from '../../../support/services/builders.ts'
import {
  actionsOf,
  ingest,
  ok,
  promote,
  refusal,
  rollback,
  setPolicy,
  unprocessableAt,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

const FIELDS = [
  'action_id',
  'action',
  'release_id',
  'agent_id',
  'environment',
  'baseline_release_id',
  'reason',
  'policy_passed',
  'policy_reasons',
  'created_at',
  'audit_seq',
]

/** GET /v1/actions and GET /v1/actions/{action_id}. */
export function actionsContract(makeService: MakeService): void {
  describe('the audit trail', () => {
    test('is empty at first', async () => {
      const service = await makeService()
      expect(await ok(service.call('GET /v1/actions'))).toMatchObject({ actions: [] })
    })

    test('lists each decision with the fields of the specification and its actor', async () => {
      const service = await makeService()
      const release = await register(service)
      const { action_id } = await ok(promote(service, release, { reason: 'first', actor: 'ada' }))
      const [action] = await actionsOf(service)
      expect(Object.keys(action!).sort()).toEqual([...FIELDS, 'actor'].sort())
      expect(action).toEqual({
        action_id,
        action: 'promote',
        release_id: release,
        agent_id: 'bot',
        environment: 'local',
        baseline_release_id: null,
        reason: 'first',
        policy_passed: true,
        policy_reasons: ['first promotion: no promoted baseline for agent/environment'],
        created_at: '2026-01-31T12:00:00.000Z',
        audit_seq: 1,
        actor: 'ada',
      })
    })

    test('is newest first, numbered without gaps, and never goes back in time', async () => {
      const service = await makeService()
      const release = await register(service)
      for (const [index, offset] of [0, 1000, -60_000, 2000].entries()) {
        service.clock.now = NOON + offset
        await ok(promote(service, release, { environment: `env-${index}` }))
      }
      const actions = await actionsOf(service)
      expect(actions.map(action => action.audit_seq)).toEqual([4, 3, 2, 1])
      expect(actions.map(action => action.environment)).toEqual(['env-3', 'env-2', 'env-1', 'env-0'])
      const times = actions.map(action => action.created_at as string)
      expect(times).toEqual(times.toSorted().toReversed())
    })

    test('filters by agent and by environment', async () => {
      const service = await makeService()
      for (const agent of ['a', 'b']) {
        const release = await register(service, { agent })
        for (const environment of ['x', 'y']) await ok(promote(service, release, { environment }))
      }
      const seqs = async (query: Record<string, string>) =>
        (await ok(service.call('GET /v1/actions', { query }))).actions.map(
          (action: { audit_seq: number }) => action.audit_seq,
        )
      expect(await seqs({ agent: 'a' })).toEqual([2, 1])
      expect(await seqs({ env: 'y' })).toEqual([4, 2])
      expect(await seqs({ agent: 'b', env: 'x' })).toEqual([3])
      expect(await seqs({ agent: 'A' })).toEqual([])
      expect(await seqs({ env: "x' OR 1=1 --" })).toEqual([])
    })

    test('moves a limit into the range 1 to 500, 50 by default', async () => {
      const service = await makeService()
      await manyActions(service, 502)
      const count = async (query: Record<string, string | number>) =>
        (await ok(service.call('GET /v1/actions', { query }))).actions.length
      expect(await count({})).toBe(50)
      expect(await count({ limit: 1 })).toBe(1)
      expect(await count({ limit: 0 })).toBe(1)
      expect(await count({ limit: -5 })).toBe(1)
      expect(await count({ limit: 499 })).toBe(499)
      expect(await count({ limit: 500 })).toBe(500)
      expect(await count({ limit: 9999 })).toBe(500)
      expect(await count({ limit: '99999999999999999999999999' })).toBe(500)
      expect(await count({ limit: '-99999999999999999999999999' })).toBe(1)
    })

    test.each([
      ['limit', 'abc'],
      ['limit', '1.5'],
      ['limit', '1e2'],
      ['limit', '0x10'],
      ['after', 'abc'],
      ['after', '-1'],
      ['after', '9007199254740992'],
      ['evidence', 'perhaps'],
      ['agent', 'a\0b'],
    ])('refuses %s=%j', async (name, value) => {
      const service = await makeService()
      const answer = service.call('GET /v1/actions', { query: { [name]: value } })
      expect(await unprocessableAt(answer)).toEqual([['query', name]])
    })

    test.each([
      [{}, 23],
      [{ env: 'env-1' }, 8],
      [{ agent: 'bot', env: 'env-2' }, 7],
    ])('pages by its cursor through %j exactly once', async (filter, total) => {
      const service = await makeService()
      await setPolicy(service, {})
      const { baseline } = await twoReleases(service, 1)
      for (let index = 0; index < 23; index++) {
        await ok(promote(service, baseline, { environment: `env-${index % 3}` }))
      }
      const seen: number[] = []
      let after: number | null = null
      do {
        const query: Record<string, string | number> = {
          ...filter,
          limit: 4,
          ...(after === null ? {} : { after }),
        }
        const page = await ok(service.call('GET /v1/actions', { query }))
        expect(page.actions.length).toBeLessThanOrEqual(4)
        seen.push(...page.actions.map((action: { audit_seq: number }) => action.audit_seq))
        after = page.next_after
        // New decisions must not shift the pages behind the cursor.
        await ok(promote(service, baseline, { environment: 'env-1' }))
      } while (after !== null)
      expect(seen).toHaveLength(total)
      expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => b - a))
    })

    test('ends behind the oldest action', async () => {
      const service = await makeService()
      await manyActions(service, 3)
      const page = await ok(service.call('GET /v1/actions', { query: { after: 1 } }))
      expect(page).toEqual({ actions: [], next_after: null })
      expect((await ok(service.call('GET /v1/actions', { query: { limit: 3 } }))).next_after).toBeNull()
    })
  })

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

async function manyActions(service: TestService, count: number): Promise<void> {
  const release = await register(service)
  for (let index = 0; index < count; index++) {
    await ok(promote(service, release, { environment: `env-${index}` }))
  }
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
