import { importPrices, releaseOf } from '../services/builders.ts'
import { operating } from '../services/credentials.ts'
import { ok } from '../services/requests.ts'
import { type TestService, testService } from '../services/service.ts'

/** An agent in an environment. */
export interface Place {
  readonly agent: string
  readonly environment: string
}

/** What a place has: one of each kind of thing that somebody owns. */
export interface Things extends Place {
  readonly release: string
  readonly action: string
  readonly request: string
}

/** A webhook and one of its deliveries. They tell of all agents. */
export interface Hooks {
  readonly webhook: string
  readonly delivery: string
}

export interface World {
  readonly service: TestService
  readonly things: readonly Things[]
  readonly hooks: Hooks
}

/** A ledger on which each place has a release, a decision and a pending request. */
export async function worldOf(places: readonly Place[], more: Record<string, unknown> = {}): Promise<World> {
  const plain = await testService({ workspace: more })
  const approving = await testService({
    sql: plain.sql,
    firstId: 100_000,
    workspace: { ...more, promotion_requires_approval: true },
  })
  await importPrices(operating(plain))
  const webhookBody = { url: 'https://hooks.example.com', events: ['promote.succeeded'] }
  const { webhook_id: webhook } = await ok(operating(plain).call('POST /v1/webhooks', { body: webhookBody }))
  const things: Things[] = []
  for (const place of places) things.push(await thingsOf(operating(plain), operating(approving), place))
  const { deliveries } = await ok(operating(plain).call('GET /v1/webhook-deliveries'))
  return { service: plain, things, hooks: { webhook, delivery: deliveries[0].delivery_id as string } }
}

async function thingsOf(plain: TestService, approving: TestService, place: Place): Promise<Things> {
  const { agent, environment } = place
  const artifact = releaseOf({ agent })
  const { release_id: release } = await ok(
    plain.call('POST /v1/releases', { body: { artifact, checksum: 'a'.repeat(64), environment } }),
  )
  const body = { release_id: release, environment, window: '1h', reason: 'because' }
  const { action_id: action } = await ok(plain.call('POST /v1/promote', { body }))
  await ok(plain.call('PUT /v1/policy', { body: { require_high_diff_confidence: false } }))
  const { request_id: request } = await ok(approving.call('POST /v1/promote/request', { body }))
  return { ...place, release, action, request }
}
