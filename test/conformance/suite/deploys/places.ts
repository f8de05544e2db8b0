import { describe, expect, test } from 'vitest'
import { register, twoReleases } from '../../../support/services/builders.ts'
import {
  SMALL_SAMPLES,
  decision,
  ok,
  promote,
  promotedBaseline,
  refusal,
  rollback,
  setPolicy,
} from '../../../support/services/requests.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'

/** GET /v1/places/{agent_id}/{environment} */
export function placesContract(makeService: MakeService): void {
  describe('a place', () => {
    const ask = (service: TestService, place = 'bot/local', query: Record<string, string> = {}) =>
      service.call(`GET /v1/places/${place}` as never, { query })
    const answer = (service: TestService) => ok(ask(service))

    test('names what is live, what is next, and that it can be promoted', async () => {
      const { service, baseline, candidate } = await promotedBaseline(makeService)
      const gate = await ok(
        service.call(`GET /v1/gate/bot/local?release_id=${candidate}&window=24h` as never, {}),
      )
      expect(await answer(service)).toMatchObject({
        state: 'can_promote',
        headline: `2 can be promoted: ${gate.summary}`,
        live: { release_id: baseline, version: '1', before: null },
        candidate: { release_id: candidate, source: 'newest' },
        why_none: null,
        reasons: gate.reasons,
        warnings: gate.warnings,
        window: '24h',
        allowed: { promote: 'now', confirm: null, rollout: true, why_not: null },
      })
    })

    test('says which limit the candidate breaks, where it is set, and what would pass', async () => {
      const { service } = await promotedBaseline(makeService)
      await setPolicy(service, {
        max_cost_per_run_usd: 5,
        overrides: [{ agent_id: 'bot', max_cost_per_run_usd: 1.5 }],
      })
      const { state, headline, rows, allowed } = await answer(service)
      expect(state).toBe('blocked')
      expect(headline).toBe(
        '2 is blocked: cost per run is $1.60, the limit is $1.50 (overrides[0]: agent_id bot)',
      )
      expect(rows).toEqual([
        expect.objectContaining({
          policy_key: 'max_cost_per_run_usd',
          now: 1.6,
          limit: 1.5,
          limit_from: 'overrides[0]',
          outcome: 'fail',
          would_pass: 'up to $1.50',
        }),
      ])
      expect(allowed).toMatchObject({ promote: null, why_not: 'the candidate does not pass' })
    })

    test('has no candidate that is live or was rolled back', async () => {
      const { service, baseline, candidate } = await promotedBaseline(makeService)
      await ok(promote(service, candidate))
      expect(await answer(service)).toMatchObject({
        state: 'quiet',
        candidate: null,
        why_none: 'the newest release is live',
        live: {
          release_id: candidate,
          before: baseline,
          earlier: [{ release_id: baseline, rolled_back: false }],
        },
        allowed: { promote: null, rollback_to: baseline },
      })
      await ok(rollback(service, baseline))
      const after = await answer(service)
      expect([after.state, after.candidate]).toEqual(['quiet', null])
      expect(after.why_none).toMatch(/^the newest release, 2, was rolled back at /)
      // What was just rolled back is not where a rollback goes.
      expect([after.live.before, after.allowed.rollback_to]).toEqual([null, null])
      expect(after.live.earlier).toEqual([{ release_id: candidate, rolled_back: true }])
    })

    test('says that a release without a price table can not be compared', async () => {
      const { service } = await promotedBaseline(makeService)
      await register(service, { version: '3', pricing: 'v9' })
      expect(await answer(service)).toMatchObject({ state: 'no_price', rows: [], allowed: { promote: null } })
    })

    /** Two releases, of which none is live. */
    async function nothingLive(workspace: object) {
      const service = await makeService({ workspace: { ...SMALL_SAMPLES, ...workspace } })
      return { service, ...(await twoReleases(service)) }
    }

    test('names the request that waits, and what the policy says of it', async () => {
      const { service, candidate } = await nothingLive({ promotion_requires_approval: true })
      expect(await answer(service)).toMatchObject({
        state: 'can_promote',
        live: null,
        allowed: { promote: 'request', confirm: null, rollout: false, rollback_to: null },
      })
      const { request_id } = await ok(
        service.call('POST /v1/promote/request', { body: decision(candidate, { reason: 'it is good' }) }),
      )
      expect(await answer(service)).toMatchObject({
        state: 'awaiting_approval',
        headline: 'http asks to promote 2, which passes: it is good',
        candidate: { release_id: candidate, source: 'request' },
        request: { request_id },
        allowed: { promote: null, confirm: request_id, why_not: 'a request waits for a confirmation' },
      })
    })

    test('that is frozen says until when and why', async () => {
      const freeze = [{ environment: 'local', from: '2000-01-01', to: '2999-01-01', reason: 'the fair' }]
      const { service } = await nothingLive({ freeze })
      expect(await answer(service)).toMatchObject({
        state: 'frozen',
        headline: 'local is frozen until 2999-01-01: the fair',
        freeze: { until: '2999-01-01', reason: 'the fair' },
        allowed: { promote: null },
      })
    })

    test('of nothing is 404, and a bad window is 400', async () => {
      const { service } = await promotedBaseline(makeService)
      expect(await refusal(ask(service, 'nobody/local'), 404)).toBe(
        'Nothing is registered or promoted for nobody in local. `svc release list` lists what is registered.',
      )
      expect(await refusal(ask(service, 'bot/local', { window: 'often' }), 400)).toMatch(/^Invalid window/)
    })
  })
}
