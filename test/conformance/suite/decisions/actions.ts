import { describe, expect, test } from 'vitest'
import { register, twoReleases } from '../../../support/services/builders.ts'
import {
  manyActions,
  actionsOf,
  ok,
  promote,
  setPolicy,
  unprocessableAt,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON } from '../../../support/services/service.ts'

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
  'result',
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
        result: 'first',
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

    test('filters by actor, verdict and time', async () => {
      const service = await makeService()
      const { baseline: one, candidate: two } = await twoReleases(service)
      await ok(promote(service, one, { actor: 'ann' }))
      service.clock.now = NOON + 60_000
      expect((await promote(service, two, { actor: 'bob' })).status).toBe(409)
      const seqs = async (query: Record<string, string>) =>
        (await ok(service.call('GET /v1/actions', { query }))).actions.map(
          (action: { audit_seq: number }) => action.audit_seq,
        )
      expect(await seqs({ actor: 'ann' })).toEqual([1])
      expect(await seqs({ verdict: 'passed' })).toEqual([1])
      expect(await seqs({ verdict: 'blocked' })).toEqual([2])
      expect(await seqs({ verdict: 'forced' })).toEqual([])
      expect(await seqs({ since: '2026-01-31T13:01:00+01:00' })).toEqual([2])
      expect(await seqs({ until: '2026-01-31T12:01:00Z' })).toEqual([1])
      expect(
        await seqs({ since: '2026-01-31T12:00:00Z', until: '2026-01-31T12:01:00Z', actor: 'bob' }),
      ).toEqual([])
      expect(await unprocessableAt(service.call('GET /v1/actions?verdict=fine'))).toEqual([
        ['query', 'verdict'],
      ])
      const none = await service.call('GET /v1/actions?until=2026-13-31T00:00:00Z')
      expect(none.status).toBe(400)
      expect(none.body).toMatchObject({ detail: expect.stringContaining('Invalid until') })
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
}
