import { describe, expect, test } from 'vitest'
import { APPROVAL, confirm, request } from '../../../../support/services/approvals.ts'
import {
  actionsOf,
  decision,
  diffOf,
  failedChecks,
  ok,
  pointerOf,
  promote,
  refusal,
  rollback,
  setPolicy,
  unprocessableAt,
} from '../../../../support/services/requests.ts'
import type { MakeService, TestService } from '../../../../support/services/service.ts'
import { acknowledge as acknowledgePower } from '../../../../../src/features/capabilities/acknowledge.ts'
import { promote as promotePower } from '../../../../../src/ledger/decide/promote.ts'
import type { Actor } from '../../../../../src/ledger/world/ledger.ts'
import { READS, SENDS, type Scene, acknowledge, artifactOf, registered, sendingScene } from './scene.ts'

const BLOCK = { capabilities: { widened: 'block' } }
const SENT = 'may now send: tool `send_mail`, scope `mail.send`'

/** Capabilities of a release, how they differ from the live one, and who has to have seen it. */
export function powerContract(makeService: MakeService): void {
  const gateOf = (service: TestService, release_id: string) =>
    ok(service.call('GET /v1/gate/bot/local', { query: { release_id, window: '1h' } }))

  describe('the capabilities of a release', () => {
    test('is derived from what artifacts always had, in canonical form', async () => {
      const service = await makeService()
      const one = await ok(registered(service, { tool_names: ['b', 'a'] }))
      const two = await ok(registered(service, { version: '2', tool_names: ['a', 'b', 'a'] }))
      const shown = await ok(service.call(`GET /v1/releases/${one.release_id}/capabilities`))
      const unknown = { server: null, version: null, schema_sha256: null, effects: null, scopes: null }
      expect(shown).toEqual({
        release_id: one.release_id,
        capabilities_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        capabilities: {
          capabilities_version: 1,
          models: [{ provider: 'acme', model: 'm1', role: 'runtime' }],
          tools: [
            { ...unknown, name: 'a' },
            { ...unknown, name: 'b' },
          ],
          mcp_servers: [],
          agents: [],
        },
        warnings: [],
        undeclared: [],
        more_undeclared: 0,
      })
      const other = await ok(service.call(`GET /v1/releases/${two.release_id}/capabilities`))
      expect(other.capabilities_sha256).toBe(shown.capabilities_sha256)
      expect(await refusal(service.call('GET /v1/releases/rel_none/capabilities'), 404)).toBe(
        'Unknown release: rel_none',
      )
    })

    const ODD: readonly (readonly [what: string, capabilities: unknown, why: RegExp])[] = [
      [
        'of another kind',
        'anything at all',
        /^spec\.capabilities can't be read: it must be an object \(was a string\)$/,
      ],
      [
        'with a misspelt field',
        { tools: [{ nam: 'a' }] },
        /^spec\.capabilities can't be read: tools\[0\]\.name is required; tools\[0\]\.nam is not a known field/,
      ],
      [
        'with an effect that there is none of',
        { tools: [{ name: 'a', effects: ['deletes'] }] },
        /tools\[0\]\.effects\[0\] must be "reads", "sends", "spends" or "writes"/,
      ],
      [
        'with a name twice',
        { tools: [{ name: 'a' }, { name: 'a' }] },
        /tools\[1\]\.name must be listed once/,
      ],
      [
        'with a name that shows otherwise',
        { mcp_servers: [{ name: 's', tools: [{ name: 'a\u202eb' }] }] },
        /mcp_servers\[0\]\.tools\[0\]\.name must be without control or invisible characters/,
      ],
      [
        'of ten thousand tools',
        { tools: Array.from({ length: 10_000 }, (_, index) => ({ name: `t${index}` })) },
        /tools must be at most 2000 tools in all \(was 10000\)/,
      ],
    ]
    test.each(ODD)(
      '%s registers as it always did, with a warning; a strict workspace refuses it',
      async (_, odd, why) => {
        const artifact = { ...artifactOf({}), spec: { ...artifactOf({}).spec, capabilities: odd } }
        const body = { artifact, checksum: 'a'.repeat(64) }
        const service = await makeService()
        const { release_id, warnings } = await ok(service.call('POST /v1/releases', { body }))
        expect(warnings[0]).toMatch(why)
        const shown = await ok(service.call(`GET /v1/releases/${release_id}`))
        expect(shown.artifact_json.spec.capabilities).toEqual(odd)
        const strict = await makeService({ workspace: { strict: true } })
        expect(await unprocessableAt(strict.call('POST /v1/releases', { body }))).toEqual([
          ['body', 'artifact'],
        ])
        expect((await ok(strict.call('GET /v1/releases'))).releases).toEqual([])
      },
    )

    test('has ten thousand names at most in tool_names, without differences', async () => {
      const service = await makeService()
      const tool_names = Array.from({ length: 10_000 }, (_, index) => `t${index}`)
      expect((await ok(registered(service, { tool_names }))).warnings[0]).toBe(
        'spec.tools.tool_names has 10000 names: with more than 2000, differences are unknown',
      )
    })

    test('that contradicts the rest of the artifact is warned of, and refused where the workspace is strict', async () => {
      const said = {
        tool_names: ['search', 'open_ticket'],
        capabilities: { ...SENDS, agents: [{ agent_id: 'bot' }] },
      }
      expect((await ok(registered(await makeService(), said))).warnings.slice(0, 3)).toEqual([
        'spec.tools.tool_names has open_ticket, which spec.capabilities lacks',
        'spec.capabilities.tools has send_mail, which spec.tools.tool_names lacks',
        'spec.capabilities.agents has bot, the agent itself',
      ])
      const strict = await makeService({ workspace: { strict: true } })
      expect(await unprocessableAt(registered(strict, said))).toHaveLength(3)
    })
  })

  describe('a release with new capabilities', () => {
    test('is told of in a diff and by the gate, and passes where no policy asks', async () => {
      const { service, baseline, candidate } = await sendingScene(makeService)
      const { capabilities } = await diffOf(service, [baseline, candidate])
      expect(capabilities).toMatchObject({
        widened: 1,
        more_changes: 0,
        changes: [{ change: 'added', of: 'tool', name: 'send_mail', widens: true, words: SENT }],
      })
      const gate = await gateOf(service, candidate)
      expect(gate).toMatchObject({ verdict: 'pass', capabilities, warnings: [] })
      expect(await diffOf(service, [candidate, candidate])).not.toHaveProperty('capabilities')
      const { action_id } = await ok(promote(service, candidate))
      const { evidence } = await ok(service.call(`GET /v1/actions/${action_id}`))
      expect(evidence).not.toHaveProperty('gates')
    })

    test('is warned of where the policy says `warn`, which is in the evidence', async () => {
      const { service, candidate } = await sendingScene(makeService)
      await setPolicy(service, { capabilities: {} })
      const { policy, action_id } = await ok(promote(service, candidate))
      expect(policy.warnings).toContain(`has capabilities that the live release lacks: ${SENT}`)
      const { evidence } = await ok(service.call(`GET /v1/actions/${action_id}`))
      expect(evidence).toMatchObject({
        rules_version: 1,
        gates: { capabilities: { difference: { widened: 1 }, forbidden: [] } },
      })
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('is blocked where the policy says `block`, until somebody acknowledges this very difference', async () => {
      const { service, baseline, candidate } = await sendingScene(makeService)
      await setPolicy(service, BLOCK)
      const reason =
        `has capabilities that the live release lacks: ${SENT}: acknowledge it with ` +
        `\`svc release acknowledge ${candidate} --env local --reason WHY\` (capabilities)`
      expect(await gateOf(service, candidate)).toMatchObject({ verdict: 'block', reasons: [reason] })
      const blocked = await promote(service, candidate)
      expect(blocked.status).toBe(409)
      expect(blocked.body.detail.outcome).toMatchObject({ policy: { passed: false, reasons: [reason] } })
      expect((await actionsOf(service))[0]).toMatchObject({ policy_passed: false, policy_reasons: [reason] })
      const acknowledged = await ok(acknowledge(service, candidate, { actor: 'ann' }))
      expect(acknowledged).toMatchObject({
        acknowledgement_id: expect.stringMatching(/^ack_/),
        release_id: candidate,
        baseline_release_id: baseline,
        widened: 1,
        actor: 'ann',
        created_at: '2026-01-31T12:00:00.000Z',
      })
      expect(await ok(acknowledge(service, candidate, { actor: 'ann' }))).toEqual({
        ...acknowledged,
        reused: true,
      })
      const { capabilities } = await gateOf(service, candidate)
      expect(capabilities.acknowledged).toMatchObject({ actor: 'ann', reason: 'the new tool is wanted' })
      const { action_id, policy } = await ok(promote(service, candidate))
      expect(policy.warnings.join()).toContain('ann acknowledged that at 2026-01-31T12:00:00.000Z')
      const explained = await ok(service.call(`GET /v1/actions/${action_id}/explain`))
      expect(explained).toMatchObject({ equal: true, replayed: { passed: true, reasons: [] } })
      expect(explained.limits).toContainEqual(
        expect.objectContaining({
          policy_key: 'capabilities',
          metric: 'power',
          value: '1 wider',
          verdict: 'pass',
        }),
      )
      const [entry] = (
        await ok(service.call('GET /v1/audit', { query: { kind: 'capabilities.acknowledged' } }))
      ).entries
      expect(entry).toMatchObject({ subject: acknowledged.acknowledgement_id, actor: 'ann' })
      expect((await ok(service.call('GET /v1/acknowledgements'))).acknowledgements).toEqual([acknowledged])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('is not let through by an acknowledgement of something else', async () => {
      const { service, candidate } = await sendingScene(makeService)
      await setPolicy(service, BLOCK)
      await ok(acknowledge(service, candidate))
      // The same capabilities again, for which it holds, and one with another scope.
      const same = (await ok(registered(service, { version: '3', capabilities: SENDS }))).release_id
      const wider = {
        tools: [
          ...READS.tools,
          { name: 'send_mail', effects: ['sends' as const], scopes: ['mail.send', 'mail.read'] },
        ],
      }
      const other = (await ok(registered(service, { version: '4', capabilities: wider }))).release_id
      expect((await gateOf(service, same)).reasons.join()).not.toContain('capabilities')
      expect((await gateOf(service, other)).reasons.join()).toContain('scopes `mail.read`, `mail.send`')
      // Elsewhere nobody has acknowledged anything.
      await ok(
        promote(service, (await ok(registered(service, { version: '5', capabilities: READS }))).release_id, {
          environment: 'prod',
        }),
      )
      const gate = await ok(
        service.call('GET /v1/gate/bot/prod', { query: { release_id: candidate, window: '1h' } }),
      )
      expect(gate.reasons.join()).toContain('has capabilities that')
    })

    test("takes somebody else where approvals are another's: not who promotes, nor who asked", async () => {
      const { service, candidate } = await sendingScene(makeService, {
        workspace: { approval_by_another: true },
      })
      await setPolicy(service, BLOCK)
      await ok(acknowledge(service, candidate, { actor: 'Ann' }))
      const { body } = await promote(service, candidate, { actor: 'ann' })
      expect(body.detail.outcome.policy.reasons[0]).toContain(
        'Ann acknowledged it and wants the promotion: somebody else must acknowledge it (approval_by_another)',
      )
      await ok(promote(service, candidate, { actor: 'ben' }))
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('may be acknowledged by who confirms a request, and not by who made it', async () => {
      const { service, baseline, candidate } = await sendingScene(makeService, {
        workspace: { ...APPROVAL, approval_by_another: true },
      })
      await ok(
        confirm(service, (await ok(request(service, baseline, { actor: 'rita' }))).request_id, {
          actor: 'ann',
        }),
      )
      await setPolicy(service, BLOCK)
      expect((await request(service, candidate, { actor: 'rita' })).status).toBe(409)
      await ok(acknowledge(service, candidate, { actor: 'rita' }))
      expect((await request(service, candidate, { actor: 'rita' })).status).toBe(409)
      await ok(acknowledge(service, candidate, { actor: 'ann' }))
      const { request_id } = await ok(request(service, candidate, { actor: 'rita' }))
      await ok(confirm(service, request_id, { actor: 'ann' }))
      expect(await pointerOf(service)).toBe(candidate)
    })

    describe('which people acknowledge', () => {
      const issuer = 'https://sso.example'
      const person = (name: string, subject: string, by = issuer): Actor => ({
        name,
        source: 'oidc',
        identity: { issuer: by, subject },
        isSignedIn: true,
      })
      const acknowledgeAs = ({ service, candidate }: Scene, actor: Actor) =>
        acknowledgePower(service.context, {
          release_id: candidate,
          environment: 'local',
          reason: 'wanted',
          actor,
        })
      const reasonsFor = async ({ service, candidate }: Scene, actor: Actor) => {
        const proposal = { ...decision(candidate), reason: 'mail', actor, dry_run: true }
        return (await promotePower(service.context, proposal)).result.policy.reasons
      }

      test('is blocked for the same subject under another name, not for a namesake', async () => {
        const scene = await sendingScene(makeService, { workspace: { approval_by_another: true } })
        const { service } = scene
        await setPolicy(service, BLOCK)
        const mine = await acknowledgeAs(scene, person('ann', '1'))
        expect(mine).toMatchObject({ actor: 'ann', actor_identity: { issuer, subject: '1' } })
        expect(await reasonsFor(scene, person('ann b.', '1'))).toEqual([
          expect.stringContaining('ann acknowledged it and wants the promotion'),
        ])
        expect(await reasonsFor(scene, person('ann', '2'))).toEqual([])
        // Another one of that name is another one, also on record.
        const other = await acknowledgeAs(scene, person('ann', '2'))
        expect(other.acknowledgement_id).not.toBe(mine.acknowledgement_id)
        expect(await acknowledgeAs(scene, person('ann', '2'))).toEqual({ ...other, reused: true })
        expect((await ok(service.call('GET /v1/acknowledgements'))).acknowledgements).toEqual([other, mine])
        expect(await failedChecks(service, true)).toEqual([])
      })

      test('counts by people alone where approvals are theirs, of whom all are known by one issuer', async () => {
        const scene = await sendingScene(makeService, { workspace: { approval_by_another: true } })
        const { service, candidate } = scene
        await setPolicy(service, BLOCK)
        await ok(acknowledge(service, candidate, { actor: 'ci' }))
        service.context.workspace.approvals = { people_only: true }
        expect(await refusal(acknowledge(service, candidate, { actor: 'eve' }), 403)).toMatch(
          /^Only people who have signed in may acknowledge new capabilities \(approvals\.people_only\)/,
        )
        expect((await ok(service.call('GET /v1/acknowledgements'))).acknowledgements).toHaveLength(1)
        const { capabilities } = await gateOf(service, candidate)
        expect(capabilities.acknowledged_only_by).toEqual(['another', 'people'])
        const unproven = [
          expect.stringContaining('ci acknowledged it, and it is not proven that this is another person'),
        ]
        expect(await reasonsFor(scene, person('ann', '1'))).toEqual(unproven)
        await acknowledgeAs(scene, person('bea', '2', 'https://other.example'))
        expect(await reasonsFor(scene, person('ann', '1'))).toEqual([
          expect.stringContaining('bea acknowledged it, and it is not proven'),
        ])
        await acknowledgeAs(scene, person('cem', '3'))
        expect(await reasonsFor(scene, person('ann', '1'))).toEqual([])
      })

      test('says who may, where not everybody may', async () => {
        const { service, candidate } = await sendingScene(makeService, {
          workspace: { approval_by_another: true },
        })
        await setPolicy(service, BLOCK)
        expect((await gateOf(service, candidate)).reasons).toEqual([
          expect.stringMatching(
            /--reason WHY`, by somebody else than who promotes it \(approval_by_another\) \(capabilities\)$/,
          ),
        ])
      })
    })

    test('is never held up on the way back, nor as the first of its place', async () => {
      const { service, baseline, candidate } = await sendingScene(makeService)
      await setPolicy(service, { capabilities: { widened: 'block', forbid: ['sends'] } })
      await ok(promote(service, candidate, { environment: 'prod', first: true }))
      await ok(rollback(service, candidate))
      await ok(promote(service, baseline))
      expect(await pointerOf(service)).toBe(baseline)
    })

    test('is blocked whatever was acknowledged where it has what the policy forbids', async () => {
      const { service, candidate } = await sendingScene(makeService)
      await setPolicy(service, {
        capabilities: { widened: 'block', forbid: ['sends', 'scope:mail.*', 'model:m9'] },
      })
      await ok(acknowledge(service, candidate))
      expect((await gateOf(service, candidate)).reasons).toEqual([
        'has capabilities that the policy forbids: sends (send_mail), scope:mail.* (send_mail) (capabilities.forbid)',
      ])
    })

    test('of which the capabilities can not be read counts as wider', async () => {
      const { service, baseline } = await sendingScene(makeService)
      const odd = { ...artifactOf({ version: '7' }), spec: { ...artifactOf({}).spec, capabilities: 'odd' } }
      const { release_id } = await ok(
        service.call('POST /v1/releases', { body: { artifact: odd, checksum: 'a'.repeat(64) } }),
      )
      await setPolicy(service, BLOCK)
      const gate = await gateOf(service, release_id)
      expect(gate.reasons.join()).toContain("candidate: spec.capabilities can't be read")
      await ok(acknowledge(service, release_id, { expected_baseline_release_id: baseline }))
      expect((await gateOf(service, release_id)).reasons.join()).not.toContain('capabilities')
    })

    test('with effects that are not declared may have what is forbidden: told, and refused where it is strict', async () => {
      const said = { candidate: { capabilities: { tools: [{ name: 'search', scopes: [] }] } } }
      const forbid = { capabilities: { forbid: ['sends'] } }
      const lax = await sendingScene(makeService, {}, said)
      await setPolicy(lax.service, forbid)
      const { warnings } = await gateOf(lax.service, lax.candidate)
      expect(warnings.join()).toContain(
        'that the policy forbids: effects or scopes are not declared of search',
      )
      const strict = await sendingScene(makeService, { workspace: { strict: true } }, said)
      await setPolicy(strict.service, forbid)
      expect((await gateOf(strict.service, strict.candidate)).reasons.join()).toContain(
        'effects or scopes are not declared',
      )
    })
  })

  describe('an acknowledgement', () => {
    test('is refused where there is nothing to acknowledge, with what is wrong', async () => {
      const { service, baseline, candidate } = await sendingScene(makeService)
      const refused = (release: string, more?: Readonly<Record<string, unknown>>) =>
        refusal(acknowledge(service, release, more), 400)
      expect(await refused(candidate, { reason: ' ' })).toContain('reason is required')
      expect(await refused('rel_none')).toBe('Unknown candidate release: rel_none')
      expect(await refused(baseline)).toContain('there is nothing to acknowledge')
      expect(await refused(candidate, { environment: 'prod' })).toContain('Nothing of bot is live in prod')
      expect(await refused(candidate, { expected_baseline_release_id: candidate })).toContain(
        `you compared with ${candidate}`,
      )
      expect((await ok(service.call('GET /v1/acknowledgements'))).acknowledgements).toEqual([])
    })

    test('that race are one each by actor, all in the log', async () => {
      const { service, candidate } = await sendingScene(makeService)
      await Promise.all(
        ['a', 'b', 'a', 'c', 'a', 'b'].map(actor => ok(acknowledge(service, candidate, { actor }))),
      )
      const { acknowledgements } = await ok(
        service.call('GET /v1/acknowledgements', { query: { agent: 'bot', env: 'local' } }),
      )
      expect(acknowledgements.map(({ actor }: { actor: string }) => actor).sort()).toEqual(['a', 'b', 'c'])
      expect(await failedChecks(service, true)).toEqual([])
    })
  })

  test('a policy refuses what it can not forbid, and names what it can', async () => {
    const service = await makeService()
    for (const capabilities of [
      { forbid: ['deletes'] },
      { forbid: ['tool:a*b'] },
      { widen: 'block' },
      { widened: 'stop' },
    ]) {
      expect((await service.call('PUT /v1/policy', { body: { capabilities } })).status).toBe(422)
    }
    const { body } = await service.call('PUT /v1/policy', {
      body: { capabilities: { forbid: ['scopes:x'] } },
    })
    expect(body.detail[0].msg).toContain('one of reads, writes, spends, sends, or tool, scope, mcp_server')
  })
}
