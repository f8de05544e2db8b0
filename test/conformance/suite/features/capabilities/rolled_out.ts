import { describe, expect, test } from 'vitest'
import {
  LIMITS,
  type RolloutScene,
  pass,
  rolloutOf,
  rolloutScene,
  start,
} from '../../../../support/rollouts/scene.ts'
import { failedChecks, ok, pointerOf, setPolicy } from '../../../../support/services/requests.ts'
import type { MakeService } from '../../../../support/services/service.ts'
import { acknowledge, registered } from './scene.ts'

const BLOCK = { ...LIMITS, capabilities: { widened: 'block' } }
const WIDER = 'has capabilities that the live release lacks: may now hand work to agent `researcher`'

/** A release with capabilities that the live one lacks, given to a share of the traffic. */
export function rolledOutPowerContract(makeService: MakeService): void {
  async function widerScene(workspace: Record<string, unknown> = {}): Promise<RolloutScene> {
    const scene = await rolloutScene(makeService, LIMITS, { workspace })
    const said = { version: '3', capabilities: { agents: [{ agent_id: 'researcher' }] } }
    const { release_id } = await ok(registered(scene.service, said))
    return { ...scene, candidate: release_id as string }
  }

  describe('a rollout of a release with new capabilities, where the policy blocks that', () => {
    test('does not start until somebody acknowledges it, and ends as a promotion that says so', async () => {
      const scene = await widerScene()
      const { service, candidate } = scene
      await setPolicy(service, BLOCK)
      const { status, body } = await start(scene)
      expect(status).toBe(409)
      expect(body.detail.reasons).toEqual([
        `${WIDER}: acknowledge it with \`svc release acknowledge ${candidate} --env local --reason WHY\` (capabilities)`,
      ])
      const [refused] = (await ok(service.call('GET /v1/audit', { query: { kind: 'rollout.refused' } })))
        .entries
      expect(refused.details.reasons).toEqual(body.detail.reasons)
      await ok(acknowledge(service, candidate, { actor: 'ben' }))
      await ok(start(scene, { steps: '50%:30m' }))
      await pass(scene, 60, {}, 30)
      const { state, action_id } = await rolloutOf(scene)
      expect(state).toBe('completed')
      expect(await pointerOf(service)).toBe(candidate)
      const { evidence } = await ok(service.call(`GET /v1/actions/${action_id}`))
      expect(evidence.gates.capabilities.difference.acknowledged).toMatchObject({ actor: 'ben' })
      expect(await ok(service.call(`GET /v1/actions/${action_id}/explain`))).toMatchObject({ equal: true })
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('that has started before it did stays at its step until then, and says why', async () => {
      const scene = await widerScene()
      const { service, baseline, candidate } = scene
      await ok(start(scene, { steps: '50%:30m' }))
      await setPolicy(service, BLOCK)
      await pass(scene, 60, {}, 60)
      const waiting = await rolloutOf(scene)
      expect(waiting).toMatchObject({ state: 'running', step: 0, share: 0.5 })
      expect(waiting.last_check.holds).toEqual([expect.stringContaining(WIDER)])
      expect(await pointerOf(service)).toBe(baseline)
      await ok(acknowledge(service, candidate, { actor: 'ben' }))
      await pass(scene, 10, {}, 10)
      expect(await rolloutOf(scene)).toMatchObject({ state: 'completed' })
      expect(await pointerOf(service)).toBe(candidate)
    })

    test('takes somebody else than who starts it', async () => {
      const scene = await widerScene({ approval_by_another: true })
      const { service, candidate } = scene
      await setPolicy(service, BLOCK)
      await ok(acknowledge(service, candidate, { actor: 'ann' }))
      const { status, body } = await start(scene, { actor: 'Ann' })
      expect([status, body.detail.reasons]).toEqual([
        409,
        [expect.stringContaining('ann acknowledged it and wants the promotion')],
      ])
      await ok(start(scene, { actor: 'ben', steps: '50%:30m' }))
      await pass(scene, 60, {}, 30)
      expect(await rolloutOf(scene)).toMatchObject({ state: 'completed', started_by: 'ben' })
    })

    test('may be acknowledged by who confirms it, and not by who requested it', async () => {
      const scene = await widerScene({ promotion_requires_approval: true, approval_by_another: true })
      const { service, candidate } = scene
      await setPolicy(service, BLOCK)
      const wanted = { release_id: candidate, environment: 'local', reason: 'cheaper', steps: '50%:30m' }
      const { request_id } = await ok(
        service.call('POST /v1/rollouts/request', { body: { ...wanted, actor: 'ann' } }),
      )
      const confirm = () =>
        service.call('POST /v1/rollouts/confirm', {
          body: { request_id, approval_reason: 'fine', actor: 'bea' },
        })
      await ok(acknowledge(service, candidate, { actor: 'ann' }))
      const { status, body } = await confirm()
      expect([status, body.detail.reasons]).toEqual([
        409,
        [expect.stringContaining('ann acknowledged it and wants the promotion')],
      ])
      await ok(acknowledge(service, candidate, { actor: 'bea' }))
      await ok(confirm())
      await pass(scene, 60, {}, 30)
      expect(await rolloutOf(scene)).toMatchObject({ state: 'completed', started_by: 'bea' })
    })
  })
}
