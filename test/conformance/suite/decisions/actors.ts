import { describe, expect, test } from 'vitest'
import { type RouteName, routes } from '../../../../handlers/index.ts'
import { HOUR_MS, isoTime } from '../../../../src/base/time.ts'
import { readsOnly } from '../../../../src/http/endpoint/spec.ts'
import type { Send } from '../../../../src/ledger/world/send.ts'
import { deliveryIdStart } from '../../../../src/ledger/webhooks/announcements.ts'
import { PRICES, eventOf, register, releaseOf, twoReleases } from '../../../support/services/builders.ts'
import { actionsOf, decision, ok, setPolicy, unprocessableAt } from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

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
      expect(others.sort()).toEqual([
        'POST /v1/events',
        'POST /v1/rollups/rebuild',
        'POST /v1/scores/cases',
        'POST /v1/traces',
      ])
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

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
type Ask = (route: RouteName, call: { path?: Record<string, string>; body?: object }) => Promise<any>

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

async function askAll(ask: Ask, sent: readonly string[], service: TestService): Promise<void> {
  await ask('POST /v1/pricing', { body: { table: PRICES } })
  await ask('PUT /v1/policy', { body: { require_high_diff_confidence: false } })
  const registered = async (version: string): Promise<string> =>
    (await ask('POST /v1/releases', { body: { artifact: releaseOf({ version }), checksum: 'a'.repeat(64) } }))
      .release_id
  const [one, two] = [await registered('1'), await registered('2')]
  await ask('POST /v1/scores', { body: { release_id: one, suite: 's', cases: [{ right: 1 }] } })
  const covers = { from_ms: NOON - HOUR_MS, to_ms: NOON }
  const source = { cells: 'v1', source: 'eu', engine: 'e', query_sha256: 'f'.repeat(64) }
  await ask('POST /v1/cells', { body: { ...source, as_of: isoTime(NOON), covers } })
  await ask('POST /v1/promote', { body: decision(one) })
  const plain = releaseOf({ version: '3' })
  const sends = { ...plain, spec: { ...plain.spec, surface: { mcp_servers: [{ name: 'mail', tools: [] }] } } }
  const three = (await ask('POST /v1/releases', { body: { artifact: sends, checksum: 'a'.repeat(64) } }))
    .release_id as string
  const wider = { release_id: three, environment: 'local', reason: 'wanted' }
  await ask('POST /v1/acknowledgements', { body: wider })
  const end = { provider: 'acme', model: 'm1', retires_on: '2027-01-31', reason: 'their page says so' }
  await ask('POST /v1/retirements', { body: end })
  const rollout = {
    release_id: two,
    environment: 'local',
    reason: 'step by step',
    steps: '50%:1h',
    max_duration: '30d',
  }
  await ask('PUT /v1/policy', { body: { max_latency_increase_pct: 0.2, on_inconclusive: 'pass' } })
  await aDayOf(service, one)
  const { rollout_id } = await ask('POST /v1/rollouts', { body: rollout })
  for (const change of ['pause', 'resume', 'abort'] as const) {
    await ask(`POST /v1/rollouts/{rollout_id}/${change}`, {
      path: { rollout_id },
      body: { reason: 'to see' },
    })
  }
  await ask('PUT /v1/policy', { body: { require_high_diff_confidence: false } })
  await ask('POST /v1/promote', { body: decision(two) })
  const place = { agent_id: 'bot', environment: 'local' }
  const { watch_id } = await ask('POST /v1/watches', { body: place })
  await ask('POST /v1/watches/{watch_id}/cancel', { path: { watch_id }, body: { reason: 'enough' } })
  const hook = { url: 'https://hooks.example.com/', events: ['rollback.succeeded'] }
  const { webhook_id } = await ask('POST /v1/webhooks', { body: hook })
  const path = { webhook_id }
  await ask('PATCH /v1/webhooks/{webhook_id}', { path, body: { description: 'ours' } })
  await ask('POST /v1/webhooks/{webhook_id}/rotate', { path })
  await ask('POST /v1/webhooks/{webhook_id}/test', { path })
  expect(JSON.parse(sent.at(-1)!)).toMatchObject({ event: 'test.ping', data: { actor: 'hal' } })
  const { action_id } = await ask('POST /v1/rollback', { body: decision(one) })
  const delivery_id = deliveryIdStart(action_id) + webhook_id.slice(4)
  await ask('POST /v1/webhook-deliveries/{delivery_id}/replay', { path: { delivery_id } })
  await ask('POST /v1/promote', { body: decision(two) })
  const forced = await ask('POST /v1/rollback', { body: decision(one, { force: true }) })
  await ask('POST /v1/actions/{action_id}/review', { path: forced, body: { reason: 'it was down' } })
  await ask('DELETE /v1/webhooks/{webhook_id}', { path })
  await ask('POST /v1/tokens', { body: { name: 'ci', role: 'read' } })
  await ask('POST /v1/tokens/{name}/rotate', { path: { name: 'ci' } })
  await ask('DELETE /v1/tokens/{name}', { path: { name: 'ci' } })
}

async function askApprovals(ask: Ask, service: TestService): Promise<void> {
  await ask('POST /v1/pricing', { body: { table: PRICES } })
  const body = { artifact: releaseOf(), checksum: 'a'.repeat(64) }
  const { release_id } = await ask('POST /v1/releases', { body })
  const request = async (): Promise<string> =>
    (await ask('POST /v1/promote/request', { body: decision(release_id) })).request_id
  await ask('POST /v1/promote/reject', { body: { request_id: await request(), reason: 'no' } })
  await ask('POST /v1/promote/cancel', { body: { request_id: await request(), reason: 'no' } })
  await ask('POST /v1/promote/confirm', { body: { request_id: await request(), approval_reason: 'yes' } })
  await ask('PUT /v1/policy', { body: { max_latency_increase_pct: 0.2 } })
  const other = { artifact: releaseOf({ version: '2' }), checksum: 'b'.repeat(64) }
  const candidate = (await ask('POST /v1/releases', { body: other })).release_id as string
  const rollout = {
    release_id: candidate,
    environment: 'local',
    reason: 'step by step',
    steps: '50%:1h',
    max_duration: '30d',
  }
  await aDayOf(service, release_id)
  const requested = async (): Promise<string> =>
    (await ask('POST /v1/rollouts/request', { body: rollout })).request_id
  await ask('POST /v1/rollouts/reject', { body: { request_id: await requested(), reason: 'no' } })
  await ask('POST /v1/rollouts/confirm', { body: { request_id: await requested(), approval_reason: 'yes' } })
}

/** Traffic by which the steps of a rollout are planned. */
async function aDayOf(service: TestService, release_id: string): Promise<void> {
  const events = Array.from({ length: 480 }, (_, index) =>
    eventOf({ release_id, run_id: `day-${index}`, at: NOON - (index + 1) * 180_000 }),
  )
  const headers = { authorization: 'Bearer main-token' }
  await ok(service.call('POST /v1/events', { body: { events }, headers }))
}
