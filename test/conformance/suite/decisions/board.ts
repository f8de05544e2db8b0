import { describe, expect, test } from 'vitest'
import { register, twoReleases } from '../../../support/services/builders.ts'
import { ok, promote, promotedBaseline, rollback, setPolicy } from '../../../support/services/requests.ts'
import { sql } from '../../../../src/sql/port.ts'
import { rolloutScene, start } from '../../../support/rollouts/scene.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

/** GET /v1/board */
export function boardContract(makeService: MakeService): void {
  describe('the board', () => {
    test('of an empty ledger is empty', async () => {
      const service = await makeService()
      expect(await ok(service.call('GET /v1/board'))).toEqual({ board: [] })
    })

    test('shows a release that nothing was decided about', async () => {
      const service = await makeService()
      const release_id = await register(service)
      expect((await ok(service.call('GET /v1/board'))).board).toEqual([
        {
          agent_id: 'bot',
          environment: 'local',
          promoted: null,
          last_action: null,
          newest_release: {
            release_id,
            version: '1',
            created_at: new Date(NOON).toISOString(),
            unpriced: true,
          },
          pending_requests: 0,
          place: {
            state: 'no_price',
            headline: "1 has no price table, so its cost can't be compared",
            candidate: {
              release_id,
              version: '1',
              registered_at: new Date(NOON).toISOString(),
              source: 'newest',
            },
            window: null,
            allowed: {
              confirm: null,
              promote: null,
              rollback_to: null,
              force_rollback: false,
              rollout: false,
              why_not: 'the candidate does not pass',
            },
            evaluated_at: new Date(NOON).toISOString(),
          },
          concerns: [
            {
              kind: 'no_price',
              reason: "1 has no price table, so its cost can't be compared",
              id: release_id,
            },
          ],
        },
      ])
    })

    test('says of each place what its own answer says, and looks again after five minutes and after a change', async () => {
      const { service } = await promotedBaseline(makeService)
      await setPolicy(service, { max_cost_per_run_usd: 1.5 })
      const place = async () => (await ok(service.call('GET /v1/board'))).board[0].place
      const answer = await ok(service.call('GET /v1/places/bot/local'))
      const { state, headline, candidate, window, allowed, evaluated_at } = answer
      expect(await place()).toEqual({ state, headline, candidate, window, allowed, evaluated_at })
      service.clock.now += 5 * 60_000
      expect((await place()).evaluated_at).not.toBe(evaluated_at)
      // Another policy is seen at once, where boards had no more than their share of the time.
      await setPolicy(service, {})
      service.clock.now += 5000
      expect((await place()).state).toBe('can_promote')
    })

    test('tells what is promoted, by whom and why, and the last decision beside it', async () => {
      const service = await makeService()
      await setPolicy(service, {})
      const { baseline, candidate } = await twoReleases(service)
      const first = await ok(promote(service, baseline, { actor: 'ann', reason: 'the first' }))
      service.clock.now += 1000
      await setPolicy(service, { max_cost_per_run_usd: 0 })
      expect((await promote(service, candidate, { actor: 'bob' })).status).toBe(409)
      const { board } = await ok(service.call('GET /v1/board'))
      expect(board).toHaveLength(1)
      expect(board[0].promoted).toEqual({
        release_id: baseline,
        version: '1',
        action_id: first.action_id,
        promoted_at: new Date(NOON).toISOString(),
        promoted_by: 'ann',
        reason: 'the first',
      })
      expect(board[0].last_action).toMatchObject({
        action: 'promote',
        release_id: candidate,
        policy_passed: false,
        policy_reasons: [expect.stringContaining('cost_per_run_usd')],
        actor: 'bob',
        created_at: new Date(NOON + 1000).toISOString(),
      })
      expect(board[0].newest_release.release_id).toBe(candidate)
      await setPolicy(service, {})
      await ok(promote(service, candidate, { reason: 'second' }))
      const back = await ok(rollback(service, baseline, { reason: 'back' }))
      const [after] = (await ok(service.call('GET /v1/board'))).board
      expect(after.promoted).toMatchObject({
        release_id: baseline,
        action_id: back.action_id,
        reason: 'back',
      })
      expect(after.last_action).toMatchObject({ action: 'rollback', policy_passed: true })
      expect(after.newest_release).toMatchObject({
        release_id: candidate,
        rolled_back_at: expect.any(String),
      })
      expect(after.newest_release).not.toHaveProperty('unpriced')
      await ok(promote(service, candidate, { reason: 'mended' }))
      const [again] = (await ok(service.call('GET /v1/board'))).board
      expect(again.newest_release).not.toHaveProperty('rolled_back_at')
    })

    /** Why somebody has to look at the only place. */
    const concernsOf = async (service: TestService): Promise<string[]> =>
      (await ok(service.call('GET /v1/board'))).board[0].concerns.map(
        ({ kind, reason }: { kind: string; reason: string }) => `${kind}: ${reason}`,
      )

    test('says that a rollout was paused or aborted, and why', async () => {
      const scene = await rolloutScene(makeService)
      const { service } = scene
      const { rollout_id } = await ok(start(scene))
      const change = (verb: string, reason: string) =>
        ok(service.call(`POST /v1/rollouts/${rollout_id}/${verb}`, { body: { reason, actor: 'bea' } }))
      await change('pause', 'lunch')
      expect(await concernsOf(service)).toContain('rollout_paused: bea: lunch')
      await change('abort', 'it is slow')
      expect(await concernsOf(service)).toContain('rollout_aborted: bea: it is slow')
    })

    test('names a request for a rollout until it is answered or its time is over', async () => {
      const { service, candidate } = await rolloutScene(makeService, undefined, {
        workspace: { promotion_requires_approval: true, approval_expires: '1h' },
      })
      const concern = 'rollout_request: ann asks for a rollout: cheaper'
      const wanted = { release_id: candidate, environment: 'local', reason: 'cheaper', actor: 'ann' }
      const request = async (): Promise<string> => {
        const body = { ...wanted, steps: '50%:30m' }
        const { request_id } = await ok(service.call('POST /v1/rollouts/request', { body }))
        // The second time by what the first one kept.
        for (let reads = 0; reads < 2; reads++) expect(await concernsOf(service)).toContain(concern)
        return request_id
      }
      const body = { request_id: await request(), reason: 'no', actor: 'bea' }
      await ok(service.call('POST /v1/rollouts/reject', { body }))
      expect(await concernsOf(service)).not.toContain(concern)
      await request()
      service.clock.now += 3_600_000
      expect(await concernsOf(service)).not.toContain(concern)
    })

    test('names a watch that found the live release worse, and the end of a model', async () => {
      const { service, candidate } = await promotedBaseline(makeService)
      await setPolicy(service, {})
      await ok(promote(service, candidate))
      expect(await concernsOf(service)).toEqual([])
      const watching = { agent_id: 'bot', environment: 'local', for: '2h', actor: 'ann' }
      const { watch_id } = await ok(service.call('POST /v1/watches', { body: watching }))
      await service.sql.batch([sql`UPDATE watches SET state = 'regressed', ended_because = 'it is slower'`])
      const [{ id }] = (await ok(service.call('GET /v1/board'))).board[0].concerns
      expect(id).toBe(watch_id)
      const { artifact_json } = await ok(service.call(`GET /v1/releases/${candidate}`))
      const { provider, model } = artifact_json.spec.runtime
      const retires_on = new Date(NOON + 3 * 86_400_000).toISOString().slice(0, 10)
      await ok(
        service.call('POST /v1/retirements', { body: { provider, model, retires_on, reason: 'their page' } }),
      )
      expect(await concernsOf(service)).toEqual([
        'regressed: it is slower',
        `model_retires: ${model} ends in 3 days, on ${retires_on}`,
      ])
    })

    test('has a row per agent and environment, and counts requests that wait', async () => {
      const service = await makeService({ workspace: { promotion_requires_approval: true } })
      await setPolicy(service, {})
      const release_id = await register(service, { agent: 'bot b' })
      await register(service, { agent: 'bot a' })
      const ask = () =>
        ok(
          service.call('POST /v1/promote/request', {
            body: { release_id, environment: 'local', window: '1h', reason: 'r' },
          }),
        )
      await ask()
      const { request_id } = await ask()
      const pending = async () =>
        (await ok(service.call('GET /v1/board'))).board.map(
          (entry: { agent_id: string; pending_requests: number }) => [entry.agent_id, entry.pending_requests],
        )
      expect(await pending()).toEqual([
        ['bot a', 0],
        ['bot b', 2],
      ])
      await ok(service.call('POST /v1/promote/cancel', { body: { request_id, reason: 'no' } }))
      expect(await pending()).toEqual([
        ['bot a', 0],
        ['bot b', 1],
      ])
    })
  })
}
