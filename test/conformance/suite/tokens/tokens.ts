import { describe, expect, test } from 'vitest'
import { tokenDigits } from '../../../../src/base/token_text.ts'
import { OPERATOR, bearing, grant, operating } from '../../../support/services/credentials.ts'
import { importPrices, register } from '../../../support/services/builders.ts'
import { actionsOf, decision, ok, refusal } from '../../../support/services/requests.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'

const DAY_MS = 86_400_000

/** Named credentials: what they are, how they end, and what is recorded of them. */
export function tokensContract(makeService: MakeService): void {
  describe('a named credential', () => {
    test('is told once, holds its checksum, and is listed without its secret', async () => {
      const service = await makeService()
      const created = await ok(
        service.call('POST /v1/tokens', {
          body: { name: 'ci', role: 'write', agents: ['bot'], expires: '90d' },
        }),
      )
      expect(created).toMatchObject({ name: 'ci', role: 'write', agents: ['bot'], environments: null })
      expect(created.token).toMatch(/^rgs_[0-9a-f]{64}$/)
      expect(created.token_id).toBe(`tok_${tokenDigits(created.token)}`)
      const listed = await ok(service.call('GET /v1/tokens', { peer: OPERATOR }))
      const { token, ...record } = created
      expect(listed).toEqual({ tokens: [record] })
      expect(JSON.stringify(listed)).not.toContain(token.slice(16))
      const stored = await service.sql.query({ text: 'SELECT * FROM tokens', params: [] })
      expect(JSON.stringify(stored.rows)).not.toContain(token.slice(16))
    })

    test.each([
      [{ name: 'http' }, /^http can't name a token/],
      [{ name: 'CLI' }, /^CLI can't name a token: cli is on record/],
      [{ name: 'T-READ' }, /There is a token t-read, which looks like T-READ/],
      [{ name: 'a', agents: ['*'] }, /agents are limited by whole names.*leave agents out for all/],
      [{ name: 'a', environments: ['prod', '*'] }, /environments are limited by whole names/],
    ])('is not made where it would pass for something else: %j', async (given, says) => {
      const service = await makeService()
      await grant(service, 't-read', { role: 'read' })
      const body = { role: 'read', ...given }
      expect(await refusal(service.call('POST /v1/tokens', { body, peer: OPERATOR }), 400)).toMatch(says)
    })

    test('makes the service one with a token', async () => {
      const service = await makeService()
      expect(await ok(service.call('GET /health'))).toMatchObject({ mutation_auth: 'loopback' })
      const token = await grant(service, 'ci', { role: 'read' })
      expect(await ok(service.call('GET /health'))).toMatchObject({
        mutation_auth: 'bearer',
        read_auth: 'bearer',
      })
      expect(await refusal(service.call('GET /v1/releases'), 401)).toMatch(/required/)
      expect(await refusal(service.call('POST /v1/promote', { body: {} }), 401)).toMatch(/required/)
      await ok(bearing(service, token).call('GET /v1/releases'))
      const last = await refusal(service.call('DELETE /v1/tokens/ci', { peer: OPERATOR }), 400)
      expect(last).toMatch(
        /^ci is the last named token: .* answers everybody\..* --open \(HTTP: open=true\)\.$/,
      )
      await ok(bearing(service, token).call('GET /v1/releases'))
      await ok(service.call('DELETE /v1/tokens/ci', { query: { open: 'true' }, peer: OPERATOR }))
      expect(await ok(service.call('GET /health'))).toMatchObject({ mutation_auth: 'loopback' })
      await ok(service.call('GET /v1/releases'))
    })

    test('keeps the service closed when it has expired, until it is revoked', async () => {
      const service = await makeService()
      const caller = bearing(service, await grant(service, 'ci', { role: 'read', expires: '1d' }))
      service.clock.now += 400 * DAY_MS
      expect(await ok(service.call('GET /health'))).toMatchObject({ read_auth: 'bearer' })
      expect(await refusal(service.call('GET /v1/releases'), 401)).toMatch(/required/)
      expect(await refusal(caller.call('GET /v1/releases'), 401)).toMatch(/expired/)
      await refusal(service.call('DELETE /v1/tokens/ci', { peer: OPERATOR }), 400)
      await ok(service.call('DELETE /v1/tokens/ci', { query: { open: 'true' }, peer: OPERATOR }))
      await ok(service.call('GET /v1/releases'))
    })

    test('ends at once where it is revoked, and when it expires', async () => {
      const service = await makeService()
      await grant(service, 'other', { role: 'read' })
      const token = await grant(service, 'ci', { role: 'read', expires: '1d' })
      const caller = bearing(service, token)
      await ok(caller.call('GET /v1/releases'))
      // Real time passes as well while the database answers.
      service.clock.now += DAY_MS - 60_000
      await ok(caller.call('GET /v1/releases'))
      service.clock.now += 60_000
      expect(await refusal(caller.call('GET /v1/releases'), 401)).toMatch(/expired/)
      const second = bearing(service, await grant(service, 'ci', { role: 'read' }))
      await ok(second.call('GET /v1/releases'))
      expect(await ok(service.call('DELETE /v1/tokens/ci', { peer: OPERATOR }))).toEqual({
        name: 'ci',
        revoked: 2,
      })
      await refusal(second.call('GET /v1/releases'), 401)
      await refusal(service.call('DELETE /v1/tokens/ci', { peer: OPERATOR }), 404)
    })

    test('that another server revokes ends within five seconds', async () => {
      const service = await makeService()
      await grant(service, 'other', { role: 'read' })
      const caller = bearing(service, await grant(service, 'ci', { role: 'read' }))
      await ok(caller.call('GET /v1/releases'))
      await service.sql.batch([
        { text: `UPDATE tokens SET revoked_at = 1, revoked_by = 'x' WHERE name = 'ci'`, params: [] },
      ])
      service.clock.now += 5000
      expect(await refusal(caller.call('GET /v1/releases'), 401)).toMatch(/revoked/)
    })

    test('that is rotated overlaps with the new one, which keeps role and scope', async () => {
      const service = await makeService()
      const old = bearing(service, await grant(service, 'ci', { role: 'read', agents: ['bot'] }))
      const body = { overlap: '1h' }
      const rotated = await ok(service.call('POST /v1/tokens/ci/rotate', { body, peer: OPERATOR }))
      expect(rotated).toMatchObject({ name: 'ci', role: 'read', agents: ['bot'], state: 'live' })
      await ok(old.call('GET /v1/releases'))
      await ok(bearing(service, rotated.token).call('GET /v1/releases'))
      service.clock.now += 3_600_000
      await refusal(old.call('GET /v1/releases'), 401)
      await ok(bearing(service, rotated.token).call('GET /v1/releases'))
      const now = { overlap: '0m' }
      const third = await ok(service.call('POST /v1/tokens/ci/rotate', { body: now, peer: OPERATOR }))
      await refusal(bearing(service, rotated.token).call('GET /v1/releases'), 401)
      await ok(bearing(service, third.token).call('GET /v1/releases'))
      await refusal(service.call('POST /v1/tokens/none/rotate', { body: {}, peer: OPERATOR }), 404)
    })

    test('has idempotency keys of its own', async () => {
      const service = await makeService()
      const release_id = await register(service)
      const headers = { 'idempotency-key': 'deploy-1' }
      const bodies = ['prod', 'stage'].map(environment => decision(release_id, { environment }))
      const callers = [
        bearing(service, await grant(service, 'ci', { role: 'write' })),
        bearing(service, await grant(service, 'cd', { role: 'write' })),
      ]
      for (const replayed of [null, 'true']) {
        for (const [index, body] of bodies.entries()) {
          const answer = await callers[index]!.call('POST /v1/promote', { body, headers })
          expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([200, replayed])
        }
      }
      const other = await callers[0]!.call('POST /v1/promote', { body: bodies[1], headers })
      expect(other.status).toBe(422)
      expect(await actionsOf(operating(service))).toHaveLength(2)
    })

    test('has a name of its own', async () => {
      const service = await makeService()
      await grant(service, 'ci', { role: 'read' })
      const again = service.call('POST /v1/tokens', { body: { name: 'ci', role: 'read' }, peer: OPERATOR })
      expect(await refusal(again, 400)).toMatch(/svc token rotate ci/)
      const both = ['a', 'a'].map(name =>
        service.call('POST /v1/tokens', { body: { name, role: 'read' }, peer: OPERATOR }),
      )
      expect((await Promise.all(both)).map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        200, 400,
      ])
    })

    test.each(['role', 'agents', 'environments', 'name'])(
      'whose %s somebody changed in the database opens nothing',
      async column => {
        const service = await makeService()
        const token = await grant(service, 'ci', { role: 'read', agents: ['bot'], environments: ['prod'] })
        const value = column === 'role' ? 'admin' : column === 'name' ? 'boss' : '["b"]'
        await service.sql.batch([{ text: `UPDATE tokens SET ${column} = ?`, params: [value] }])
        service.clock.now += 5000
        expect(await refusal(bearing(service, token).call('GET /v1/releases'), 401)).toMatch(/not valid/)
      },
    )

    test('is noted as used, to a minute', async () => {
      const service = await makeService()
      const caller = bearing(service, await grant(service, 'ci', { role: 'read' }))
      const used = async (): Promise<string | null> =>
        (await ok(service.call('GET /v1/tokens', { peer: OPERATOR }))).tokens[0].last_used_at as string | null
      expect(await used()).toBeNull()
      for (let call = 0; call < 3; call++) await ok(caller.call('GET /v1/releases'))
      await expect.poll(used).toBe('2026-01-31T12:00:00.000Z')
      service.clock.now += 30_000
      await ok(caller.call('GET /v1/releases'))
      service.clock.now += 30_000
      await ok(caller.call('GET /v1/releases'))
      await expect.poll(used).toBe('2026-01-31T12:01:00.000Z')
    })

    test('is in the audit log when it is made, rotated and revoked', async () => {
      const service = await makeService()
      await grant(service, 'ci', { role: 'write', agents: ['bot'] })
      await ok(service.call('POST /v1/tokens/ci/rotate', { body: {}, peer: OPERATOR }))
      await ok(service.call('DELETE /v1/tokens/ci', { query: { open: 'true' }, peer: OPERATOR }))
      const { entries } = await ok(service.call('GET /v1/audit', { peer: OPERATOR }))
      expect(
        entries.map(({ kind, actor }: { kind: string; actor: string }) => [kind, actor]).toReversed(),
      ).toEqual(['token.made', 'token.rotated', 'token.revoked'].map(kind => [kind, 'operator']))
      expect(JSON.stringify(entries)).not.toMatch(/rgs_|salt|hash":"[^"]*rgs/)
    })

    test('that is mistyped is told apart from one that is not known', async () => {
      const service = await makeService()
      const token = await grant(service, 'ci', { role: 'read' })
      const slip = token.replace(/.$/, last => (last === '0' ? '1' : '0'))
      expect(await refusal(bearing(service, slip).call('GET /v1/releases'), 401)).toMatch(/mistyped/)
    })
  })

  describe('the actor of a named credential', () => {
    async function promoted(
      service: TestService,
      headers: Record<string, string>,
      actor?: string,
    ): Promise<Record<string, unknown>> {
      await importPrices(operating(service))
      const release_id = await register(operating(service))
      const caller = bearing(service, await grant(service, 'ci', { role: 'write' }))
      const body = decision(release_id, actor === undefined ? {} : { actor })
      const { action_id } = await ok(caller.call('POST /v1/promote', { body, headers }))
      return ok(caller.call(`GET /v1/actions/${action_id}`))
    }

    test('is its name, and what it claims stands beside it', async () => {
      const service = await makeService()
      const action = await promoted(service, { 'x-service-actor': 'ann' }, 'bea')
      expect(action).toMatchObject({ actor: 'ci', actor_source: 'token', claimed_actor: 'ann' })
      expect(JSON.parse(action.record_json as string)).toMatchObject({ actor: 'ci', claimed_actor: 'ann' })
      const { checks } = await ok(service.call('GET /v1/doctor', { query: { deep: 'true' }, peer: OPERATOR }))
      expect(checks.filter((check: { ok: boolean }) => !check.ok)).toEqual([])
    })

    test('claims nothing where it says nothing, and the record holds no word of it', async () => {
      const service = await makeService()
      const action = await promoted(service, {})
      expect(action).toMatchObject({ actor: 'ci', actor_source: 'token' })
      expect(action).not.toHaveProperty('claimed_actor')
      expect(action.record_json).not.toContain('claimed_actor')
      expect(await actionsOf(operating(service))).toHaveLength(1)
    })

    test('of a request is kept with its claim', async () => {
      const service = await makeService({ workspace: { promotion_requires_approval: true } })
      const release_id = await register(operating(service))
      const caller = bearing(service, await grant(service, 'ci', { role: 'write' }))
      const requested = await ok(
        caller.call('POST /v1/promote/request', { body: decision(release_id, { actor: 'bea' }) }),
      )
      expect(requested).toMatchObject({ actor: 'ci', claimed_actor: 'bea' })
      expect((await ok(caller.call('GET /v1/promotion-requests'))).requests).toEqual([requested])
    })

    test.each(['an\u001bn', 'a\u200bnn', 'a\u202enn', 'a\u009bnn'])('%j is none', async actor => {
      const service = await makeService()
      const release_id = await register(service)
      const { status } = await service.call('POST /v1/promote', { body: decision(release_id, { actor }) })
      expect(status).toBe(422)
    })
  })

  describe('auth: named', () => {
    test('takes no token of the environment, and closes the diff', async () => {
      const service = await makeService({ workspace: { auth: 'named' }, tokens: { main: 'main-token' } })
      expect(await ok(service.call('GET /health'))).toMatchObject({ mutation_auth: 'bearer' })
      expect(await refusal(bearing(service, 'main-token').call('GET /v1/releases'), 401)).toMatch(
        /auth: named/,
      )
      await refusal(service.call('GET /v1/releases'), 401)
      const body = { baseline_release_id: 'rel_a', candidate_release_id: 'rel_b', window: '1h' }
      await refusal(service.call('POST /v1/diff', { body }), 401)
      const caller = bearing(service, await grant(service, 'ci', { role: 'read' }))
      expect(await refusal(caller.call('POST /v1/diff', { body }), 400)).toMatch(/Unknown baseline release/)
      const ingesting = bearing(service, await grant(service, 'agent', { role: 'ingest' }))
      await refusal(ingesting.call('POST /v1/diff', { body }), 403)
    })

    test('leaves the diff open where it is not set', async () => {
      const service = await makeService()
      await grant(service, 'ci', { role: 'read' })
      const body = { baseline_release_id: 'rel_a', candidate_release_id: 'rel_b', window: '1h' }
      expect(await refusal(service.call('POST /v1/diff', { body }), 400)).toMatch(/Unknown baseline release/)
    })
  })
}
