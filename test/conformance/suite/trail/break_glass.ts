import { describe, expect, test } from 'vitest'
import { sql } from '../../../../src/sql/port.ts'
import { register, twoReleases } from '../../../support/services/builders.ts'
import { makeReceiver, payloadOf, subscribe } from '../../../support/services/receiver.ts'
import { drainOutbox } from '../../../support/services/drain_outbox.ts'
import {
  SMALL_SAMPLES,
  actionsOf,
  failedChecks,
  ok,
  pointerOf,
  promote,
  refusal,
  rollback,
  setPolicy,
} from '../../../support/services/requests.ts'
import type { MakeService } from '../../../support/services/service.ts'
import { tamper } from '../../../support/databases/tampering/tamper.ts'

const ALLOWED = { ...SMALL_SAMPLES, allow_forced_rollback: true }
const FORCED = 'forced rollback: the policy was not asked'

/** POST /v1/rollback with force. */
export function breakGlassContract(makeService: MakeService): void {
  /** The candidate is live, the baseline was, and the policy would let nothing pass. */
  async function stuck(workspace: Record<string, unknown> = ALLOWED) {
    const receiver = makeReceiver()
    const service = await makeService({ workspace, send: receiver.send })
    const { baseline, candidate } = await twoReleases(service)
    await subscribe(service, { events: ['rollback.forced', 'rollback.succeeded', 'promote.blocked'] })
    await setPolicy(service, {})
    await ok(promote(service, baseline))
    await ok(promote(service, candidate))
    await setPolicy(service, { max_latency_ms: 0, max_cost_per_run_usd: 0 })
    expect((await rollback(service, baseline)).status).toBe(409)
    return { service, baseline, candidate, receiver }
  }

  describe('a forced rollback', () => {
    test('moves the pointer without asking the policy, and says so everywhere', async () => {
      const { service, baseline, candidate, receiver } = await stuck()
      const outcome = await ok(rollback(service, baseline, { force: true, reason: 'fire' }))
      expect(outcome).toMatchObject({
        action: 'rollback',
        release_id: baseline,
        baseline_release_id: candidate,
        promoted_pointer_changed: true,
        forced: true,
        policy: { passed: false, reasons: [FORCED] },
      })
      expect(await pointerOf(service)).toBe(baseline)
      const [action] = await actionsOf(service)
      expect(action).toMatchObject({
        forced: true,
        policy_passed: false,
        policy_reasons: [FORCED],
        reason: 'fire',
      })
      const { entries } = await ok(service.call('GET /v1/audit', { query: { limit: 1 } }))
      expect(entries[0]).toMatchObject({ kind: 'decision', reason: 'fire', details: { forced: true } })
      const { board } = await ok(service.call('GET /v1/board'))
      expect(board[0]).toMatchObject({
        promoted: { release_id: baseline, forced: true, action_id: outcome.action_id },
        last_action: { forced: true },
      })
      await drainOutbox(service.context)
      expect(receiver.sent.map(payloadOf)).toMatchObject([
        { event: 'rollback.forced', data: { promoted_pointer_changed: true, policy: { passed: false } } },
      ])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('that somebody changed in the database into one that passed is vouched for by nothing', async () => {
      const { service, baseline } = await stuck()
      const { action_id } = await ok(rollback(service, baseline, { force: true }))
      await tamper(
        service.sql,
        'actions',
        sql`UPDATE actions SET forced = 0, policy_passed = 1 WHERE action_id = ${action_id}`,
      )
      for (const what of ['attestation', 'explain', 'proof'] as const) {
        const refused = await service.call(`GET /v1/actions/${action_id}/${what}`)
        expect(refused).toMatchObject({
          status: 409,
          body: { detail: expect.stringContaining('its policy_passed, forced differs from its record') },
        })
      }
    })

    test('is what further decisions are compared with, and what a rebuild restores', async () => {
      const { service, baseline, candidate } = await stuck()
      await ok(rollback(service, baseline, { force: true }))
      const blocked = await promote(service, candidate)
      expect(blocked.body.detail.outcome).toMatchObject({ baseline_release_id: baseline })
      await tamper(service.sql, 'promoted_pointers', sql`DELETE FROM promoted_pointers`)
      await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      expect(await pointerOf(service)).toBe(baseline)
      await setPolicy(service, {})
      await ok(promote(service, candidate))
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('leaves the hashes of other decisions as they are: only it says forced', async () => {
      const { service, baseline } = await stuck()
      await ok(rollback(service, baseline, { force: true }))
      const { actions } = await ok(service.call('GET /v1/actions', { query: { evidence: 'true' } }))
      expect(
        actions.map(({ record_json }: { record_json: string }) => record_json.includes('forced')),
      ).toEqual([true, false, false, false])
      expect(actions.map((action: object) => 'forced' in action)).toEqual([true, false, false, false])
    })

    test('is reviewed afterwards, as an entry of the log that changes nothing else', async () => {
      const { service, baseline } = await stuck()
      const { action_id } = await ok(rollback(service, baseline, { force: true }))
      const review = (id: string, reason = 'right: it was down') =>
        service.call(`POST /v1/actions/${id}/review`, { body: { reason, actor: 'ann' } })
      const reviewed = await ok(review(action_id))
      expect(reviewed).toMatchObject({ action_id, actor: 'ann', reason: 'right: it was down' })
      const { board } = await ok(service.call('GET /v1/board'))
      expect(board[0].last_action).toMatchObject({ action_id, reviewed: true })
      const { entries } = await ok(service.call('GET /v1/audit', { query: { limit: 1 } }))
      expect(entries[0]).toMatchObject({
        kind: 'action.reviewed',
        subject: reviewed.review_id,
        actor: 'ann',
        reason: 'right: it was down',
        details: { action_id, audit_seq: reviewed.audit_seq, action: 'rollback', release_id: baseline },
      })
      expect((await actionsOf(service))[0]).toMatchObject({ action_id, forced: true })
      const [, blocked] = await actionsOf(service)
      expect(await refusal(review(String(blocked!.action_id)), 400)).toContain('was not forced')
      expect(await refusal(review('act_none'), 404)).toContain('Unknown action')
      expect(await refusal(review(action_id, ' '), 400)).toContain('reason is required')
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('is evaluated by a dry run without being written', async () => {
      const { service, baseline, candidate } = await stuck()
      const outcome = await ok(rollback(service, baseline, { force: true, dry_run: true }))
      expect(outcome).toMatchObject({ forced: true, dry_run: true, promoted_pointer_changed: false })
      expect(await pointerOf(service)).toBe(candidate)
    })

    test('is refused unless the workspace allows it', async () => {
      const { service, baseline, candidate } = await stuck(SMALL_SAMPLES)
      expect(await refusal(rollback(service, baseline, { force: true }), 400)).toContain(
        'allow_forced_rollback',
      )
      expect(await pointerOf(service)).toBe(candidate)
    })

    test('goes back to what was live there, and to nothing else', async () => {
      const { service, baseline, candidate } = await stuck()
      const never = await register(service, { version: '9' })
      expect(await refusal(rollback(service, never, { force: true }), 400)).toContain(
        'was never live in local',
      )
      await ok(promote(service, never, { environment: 'prod' }))
      expect(await refusal(rollback(service, never, { force: true }), 400)).toContain(
        'was never live in local',
      )
      expect(await refusal(rollback(service, baseline, { force: true, environment: 'prod' }), 400)).toContain(
        'was never live in prod',
      )
      expect(await refusal(rollback(service, baseline, { force: true, environment: 'none' }), 400)).toContain(
        'nothing to roll back to',
      )
      expect(await refusal(rollback(service, baseline, { force: true, reason: ' ' }), 400)).toContain(
        'Reason',
      )
      expect(
        (
          await service.call('POST /v1/promote', {
            body: { release_id: baseline, environment: 'local', window: '1h', reason: 'x', force: true },
          })
        ).status,
      ).toBe(422)
      expect(await pointerOf(service)).toBe(candidate)
    })

    test('is found where somebody forges it', async () => {
      const { service } = await stuck()
      await tamper(service.sql, 'actions', sql`UPDATE actions SET forced = 1 WHERE audit_seq = 3`)
      expect(await failedChecks(service)).toContainEqual([
        'audit_chain',
        expect.stringMatching(/^audit_seq 3: its forced differs/),
      ])
    })
  })
}
