import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { importPrices, register } from '../../../support/services/builders.ts'
import { ok, promote, refusal, rollback, setPolicy } from '../../../support/services/requests.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Decisions as statements that programs without a ledger can check. */
export function attestationsContract(makeService: MakeService): void {
  const attest = (service: TestService, action_id: string) =>
    service.call(`GET /v1/actions/${action_id}/attestation`)

  /** Two releases, the first promoted. */
  async function promoted(workspace: Record<string, unknown> = {}) {
    const service = await makeService({ workspace })
    await importPrices(service)
    await setPolicy(service, { require_high_diff_confidence: false })
    const [first, second] = [await register(service), await register(service, { version: '2' })]
    const { action_id } = await ok(promote(service, first))
    return { service, first, second, action_id: action_id as string }
  }

  describe('the attestation of an action', () => {
    test('says what was decided on what, by which policy and evidence', async () => {
      const { service, first, action_id } = await promoted()
      const { statement, envelope } = await ok(attest(service, action_id))
      expect(envelope).toBeNull()
      const release = await ok(service.call(`GET /v1/releases/${first}`))
      const action = await ok(service.call(`GET /v1/actions/${action_id}`))
      const { entries } = await ok(service.call('GET /v1/audit'))
      const id = `rgs://${entries.at(-1).hash.slice(0, 32)}`
      expect(statement).toEqual({
        _type: 'https://in-toto.io/Statement/v1',
        subject: [{ name: `${release.agent_id}@1`, digest: { sha256: release.checksum } }],
        predicateType: 'https://slsa.dev/verification_summary/v1',
        predicate: {
          verifier: { id, version: { rgs: expect.any(String) } },
          timeVerified: action.created_at,
          resourceUri: `${id}/agents/${release.agent_id}/environments/${action.environment}`,
          policy: {
            uri: `${id}/policies/default`,
            digest: { sha256: sha256(JSON.stringify(JSON.parse(action.record_json).evidence.policy)) },
          },
          inputAttestations: expect.arrayContaining([
            { uri: `${id}/actions/${action_id}`, digest: { sha256: action.hash } },
          ]),
          verificationResult: 'PASSED',
          verifiedLevels: ['RGS_PROMOTE_ALLOWED'],
        },
      })
    })

    test('says FAILED of what the policy blocked', async () => {
      const { service, second } = await promoted()
      await setPolicy(service, { require_high_diff_confidence: true })
      expect((await promote(service, second)).status).toBe(409)
      const { actions } = await ok(service.call('GET /v1/actions'))
      const { statement } = await ok(attest(service, actions[0].action_id))
      expect(statement.predicate).toMatchObject({ verificationResult: 'FAILED', verifiedLevels: ['FAILED'] })
    })

    test('is none for a forced rollback, which asked no policy, and for an unknown action', async () => {
      const { service, first, second } = await promoted({ allow_forced_rollback: true })
      await ok(promote(service, second))
      const { action_id } = await ok(rollback(service, first, { force: true }))
      expect(await refusal(attest(service, action_id), 400)).toMatch(/was forced: no policy was evaluated/)
      expect(await refusal(attest(service, 'act_ffffffffffff'), 404)).toContain('Unknown action')
    })
  })
}
