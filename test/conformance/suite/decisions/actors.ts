import { describe, expect, test } from 'vitest'
import { type RouteName, routes } from '../../../../handlers/index.ts'
import { readsOnly } from '../../../../src/http/endpoint/spec.ts'
import type { Send } from '../../../../src/ledger/world/send.ts'
import { register, twoReleases } from '../../../support/services/builders.ts'
import { type Ask, askAll, askApprovals } from '../../../support/services/every_write.ts'
import { actionsOf, decision, ok, setPolicy, unprocessableAt } from '../../../support/services/requests.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'

type Given = string | null | undefined

/** [X-Service-Actor, X-Forwarded-User, body, recorded actor, recorded source] */
const PRECEDENCE: readonly [Given, Given, Given, string, string][] = [
  [undefined, undefined, undefined, 'http', 'body'],
  [undefined, undefined, null, 'http', 'body'],
  [undefined, undefined, 'bea', 'bea', 'body'],
  [undefined, undefined, '', 'http', 'body'],
  [undefined, 'fay', undefined, 'fay', 'forwarded'],
  [undefined, 'fay', 'bea', 'fay', 'forwarded'],
  ['hal', undefined, 'bea', 'hal', 'header'],
  ['hal', 'fay', 'bea', 'hal', 'header'],
  ['hal', 'fay', undefined, 'hal', 'header'],
  ['  hal  ', 'fay', 'bea', 'hal', 'header'],
  ['   ', 'fay', 'bea', 'fay', 'forwarded'],
  ['', ' fay ', undefined, 'fay', 'forwarded'],
  [' ', ' ', 'bea', 'bea', 'body'],
  [' ', ' ', undefined, 'http', 'body'],
  ['hal the 2nd', undefined, undefined, 'hal the 2nd', 'header'],
]

/** Who a change is recorded for (specification, Authentication). */
export function actorsContract(makeService: MakeService): void {
  describe('the actor of an audit record', () => {
    test.each(PRECEDENCE)(
      'headers %j and %j and body %j give %j from %s',
      async (explicit, forwarded, actor, name, source) => {
        const service = await makeService()
        const release = await register(service)
        const { action_id } = await ok(
          service.call('POST /v1/promote', {
            body: decision(release, { actor }),
            headers: {
              ...(explicit == null ? {} : { 'x-service-actor': explicit }),
              ...(forwarded == null ? {} : { 'x-forwarded-user': forwarded }),
            },
          }),
        )
        expect((await actionsOf(service))[0]).toMatchObject({ action_id, actor: name })
        expect(await ok(service.call(`GET /v1/actions/${action_id}`))).toMatchObject({
          actor: name,
          actor_source: source,
        })
      },
    )

    test('of a rollback follows the same rules', async () => {
      const service = await makeService()
      const { baseline, candidate } = await twoReleases(service, 1)
      await setPolicy(service, {})
      await ok(service.call('POST /v1/promote', { body: decision(baseline) }))
      const headers = { 'x-service-actor': 'hal', 'x-forwarded-user': 'fay' }
      await ok(service.call('POST /v1/rollback', { body: decision(candidate, { actor: 'bea' }), headers }))
      expect((await actionsOf(service))[0]).toMatchObject({ action: 'rollback', actor: 'hal' })
    })

    test('of a request, its confirmation and a cancellation follows the same rules', async () => {
      const service = await makeService({ workspace: { promotion_requires_approval: true } })
      const release = await register(service)
      const request = (headers: Record<string, string>, actor?: string) =>
        service.call('POST /v1/promote/request', { body: decision(release, { actor }), headers })
      const first = await ok(request({ 'x-forwarded-user': 'fay' }, 'bea'))
      expect(first.actor).toBe('fay')
      const second = await ok(request({}, 'bea'))
      expect(second.actor).toBe('bea')
      const cancelled = await ok(
        service.call('POST /v1/promote/cancel', {
          body: { request_id: second.request_id, reason: 'not today', actor: 'bea' },
          headers: { 'x-service-actor': 'hal' },
        }),
      )
      expect(cancelled).toMatchObject({ actor: 'bea', resolved_by: 'hal' })
      const { action_id } = await ok(
        service.call('POST /v1/promote/confirm', {
          body: { request_id: first.request_id, approval_reason: 'fine', actor: 'cy' },
        }),
      )
      expect(await ok(service.call(`GET /v1/actions/${action_id}`))).toMatchObject({
        actor: 'cy',
        actor_source: 'body',
        evidence: { request: { request_id: first.request_id, requested_by: 'fay' } },
      })
    })

    test('is recorded by every route that declares it, and each that changes what governs does', async () => {
      const called = new Set<string>()
      const sent: string[] = []
      const send: Send = async ({ body }) => {
        sent.push(body)
        return { status: 200, text: '' }
      }
      const tokens = { main: 'main-token' }
      const service = await makeService({ send, tokens, workspace: { allow_forced_rollback: true } })
      await askAll(asking(service, called), sent, service)
      const workspace = { promotion_requires_approval: true }
      const approving = await makeService({ workspace, tokens })
      await askApprovals(asking(approving, called), approving)
      const [recording, others]: [string[], string[]] = [[], []]
      for (const load of Object.values(routes)) {
        const { route, spec } = (await load()).default
        // Sessions take an identity provider: test/server/access asks who ended one.
        if (route.includes('/session')) continue
        if (spec.recordsActor === true) recording.push(route)
        else if (!readsOnly(route, spec)) others.push(route)
      }
      expect([...called].sort()).toEqual(recording.sort())
      expect(others.sort()).toEqual(['POST /v1/events', 'POST /v1/scores/cases', 'POST /v1/traces'])
    })

    test('has to be a text of bounded length in a body', async () => {
      const service = await makeService()
      for (const actor of [7, ['a'], 'x'.repeat(513)]) {
        const body = decision('rel_a', { actor })
        expect(await unprocessableAt(service.call('POST /v1/promote', { body }))).toEqual([['body', 'actor']])
      }
    })
  })
}

/** Calls a route as hal, and expects that the newest entry of the audit log says so. A test.ping has no entry. */
function asking(service: TestService, called: Set<string>): Ask {
  return async (route, { path = {}, body = {} }) => {
    called.add(route)
    const headers = { authorization: 'Bearer main-token', 'x-service-actor': 'hal' }
    const given = route.startsWith('DELETE ') ? { headers } : { headers, body }
    const filled = route.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name]!) as RouteName
    const answer = await ok(service.call(filled, given))
    const { entries } = await ok(service.call('GET /v1/audit', { query: { limit: 1 }, headers }))
    expect({ route, ...entries[0] }).toMatchObject({ route, actor: 'hal', actor_source: 'header' })
    return answer
  }
}
