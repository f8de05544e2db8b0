import type { RouteName } from '../../../handlers/index.ts'
import { expect } from 'vitest'
import { HOUR_MS, isoTime } from '../../../src/base/time.ts'
import { deliveryIdStart } from '../../../src/ledger/webhooks/announcements.ts'
import { PRICES, eventOf, releaseOf } from './builders.ts'
import { decision, ok } from './requests.ts'
import { NOON, type TestService } from './service.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
export type Ask = (route: RouteName, call: { path?: Record<string, string>; body?: object }) => Promise<any>

/** A limit that has decisions read when models retire, and so the price tables that say it. */
export const RETIREMENT = { min_days_to_retirement: 1 }

/** Writes all that governs once, but what takes an approval. */
export async function askAll(ask: Ask, sent: readonly string[], service: TestService): Promise<void> {
  await ask('POST /v1/pricing', { body: { table: PRICES } })
  await ask('PUT /v1/policy', { body: { ...RETIREMENT, require_high_diff_confidence: false } })
  const registered = async (version: string): Promise<string> =>
    (await ask('POST /v1/releases', { body: { artifact: releaseOf({ version }), checksum: 'a'.repeat(64) } }))
      .release_id
  const [one, two] = [await registered('1'), await registered('2')]
  await ask('POST /v1/scores', { body: { release_id: one, suite: 's', cases: [{ right: 1 }] } })
  const covers = { from_ms: NOON - HOUR_MS, to_ms: NOON }
  const source = { aggregates: 'v1', source: 'eu', engine: 'e', query_sha256: 'f'.repeat(64) }
  await ask('POST /v1/aggregates', { body: { ...source, as_of: isoTime(NOON), covers } })
  await ask('POST /v1/promote', { body: decision(one) })
  await ask('POST /v1/rollups/rebuild', { body: {} })
  const plain = releaseOf({ version: '3' })
  const sends = {
    ...plain,
    spec: { ...plain.spec, capabilities: { mcp_servers: [{ name: 'mail', tools: [] }] } },
  }
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
  await ask('PUT /v1/policy', {
    body: { ...RETIREMENT, max_latency_increase_pct: 0.2, on_inconclusive: 'pass' },
  })
  await aDayOf(service, one)
  const { rollout_id } = await ask('POST /v1/rollouts', { body: rollout })
  for (const change of ['pause', 'resume', 'abort'] as const) {
    await ask(`POST /v1/rollouts/{rollout_id}/${change}`, {
      path: { rollout_id },
      body: { reason: 'to see' },
    })
  }
  await ask('PUT /v1/policy', { body: { ...RETIREMENT, require_high_diff_confidence: false } })
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
  await ask('POST /v1/tokens', { body: { name: 'other', role: 'read' } })
  await ask('DELETE /v1/tokens/{name}', { path: { name: 'ci' } })
}

/** The same of what takes an approval. */
export async function askApprovals(ask: Ask, service: TestService): Promise<void> {
  await ask('POST /v1/pricing', { body: { table: PRICES } })
  await ask('PUT /v1/policy', { body: RETIREMENT })
  const body = { artifact: releaseOf(), checksum: 'a'.repeat(64) }
  const { release_id } = await ask('POST /v1/releases', { body })
  const request = async (): Promise<string> =>
    (await ask('POST /v1/promote/request', { body: decision(release_id) })).request_id
  await ask('POST /v1/promote/reject', { body: { request_id: await request(), reason: 'no' } })
  await ask('POST /v1/promote/cancel', { body: { request_id: await request(), reason: 'no' } })
  await ask('POST /v1/promote/confirm', { body: { request_id: await request(), approval_reason: 'yes' } })
  await ask('PUT /v1/policy', { body: { ...RETIREMENT, max_latency_increase_pct: 0.2 } })
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
