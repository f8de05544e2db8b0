import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { drainOutbox } from '../../../support/services/drain_outbox.ts'
import { twoReleases } from '../../../support/services/builders.ts'
import {
  type Receiver,
  deliveriesOf,
  makeReceiver,
  payloadOf,
  subscribe,
} from '../../../support/services/receiver.ts'
import { decision, ok, promote, rollback, setPolicy } from '../../../support/services/requests.ts'
import type { MakeService, ServiceOptions, TestService } from '../../../support/services/service.ts'

/** Which decision is announced to whom, and as what (specification, Events). */
export function announcementsContract(makeService: MakeService): void {
  async function announcing(options: ServiceOptions = {}): Promise<Cast> {
    const receiver = makeReceiver()
    const service = await makeService({ send: receiver.send, ...options })
    await setPolicy(service, {})
    return { service, receiver, ...(await twoReleases(service)), hook: await subscribe(service) }
  }

  describe('a decision is announced', () => {
    test('promote.succeeded, with all that a receiver needs, signed twice', async () => {
      const { service, receiver, baseline, hook } = await announcing()
      const outcome = await ok(promote(service, baseline, { actor: 'ann', reason: 'schön "1"' }))
      expect(receiver.sent).toEqual([])
      await drainOutbox(service.context)
      const [outgoing, ...others] = receiver.sent
      expect(others).toEqual([])
      expect(outgoing!.url).toBe('https://hooks.example.com/releases')
      const payload = payloadOf(outgoing)
      const [entry] = (await ok(service.call('GET /v1/audit', { query: { kind: 'decision' } }))).entries
      expect(payload).toEqual({
        event: 'promote.succeeded',
        delivery_id: expect.stringMatching(UUID),
        created_at: '2026-01-31T12:00:00.000Z',
        data: {
          action_id: outcome.action_id,
          audit_seq: 1,
          hash: (await ok(service.call(`GET /v1/actions/${outcome.action_id}`))).hash,
          log_seq: entry.log_seq,
          log_hash: entry.hash,
          action: 'promote',
          release_id: baseline,
          agent_id: 'bot',
          environment: 'local',
          baseline_release_id: null,
          version: '1',
          baseline_version: null,
          promoted_pointer_changed: true,
          actor: 'ann',
          reason: 'schön "1"',
          policy: outcome.policy,
        },
      })
      const { headers, body } = outgoing!
      expect(headers['x-service-event']).toBe('promote.succeeded')
      expect(headers['x-service-delivery']).toBe(payload.delivery_id)
      expect(headers['x-service-signature']).toBe(
        `sha256=${createHmac('sha256', hook.secret).update(body).digest('hex')}`,
      )
      expect(headers['webhook-id']).toBe(payload.delivery_id)
      const signature = new Webhook(hook.secret).sign(
        payload.delivery_id as string,
        new Date(service.clock.now),
        body,
      )
      expect(headers['webhook-signature']).toBe(signature)
    })

    test('rollback.succeeded and promote.blocked, and a blocked rollback not at all', async () => {
      const { service, receiver, baseline, candidate } = await announcing()
      await ok(promote(service, baseline))
      await ok(rollback(service, candidate))
      await setPolicy(service, { max_latency_ms: 0 })
      const { body } = await promote(service, baseline)
      expect((await rollback(service, baseline)).status).toBe(409)
      await drainOutbox(service.context)
      // Deliveries to one receiver go out several at once, so in any order.
      expect(eventsOf(receiver).sort()).toEqual([
        'promote.blocked',
        'promote.succeeded',
        'rollback.succeeded',
      ])
      const dataOf = (event: string) => receiver.sent.map(payloadOf).find(sent => sent.event === event).data
      expect(dataOf('rollback.succeeded')).toMatchObject({ action: 'rollback', release_id: candidate })
      expect(dataOf('promote.blocked')).toMatchObject({
        action_id: body.detail.outcome.action_id,
        baseline_release_id: candidate,
        policy: body.detail.outcome.policy,
      })
    })

    test('promotion.requested, then promote.succeeded by who confirms', async () => {
      const { service, receiver, baseline } = await announcing({
        workspace: { promotion_requires_approval: true },
      })
      const body = decision(baseline, { actor: 'ann' })
      const request = await ok(service.call('POST /v1/promote/request', { body }))
      await drainOutbox(service.context)
      expect(payloadOf(receiver.sent[0])).toMatchObject({
        event: 'promotion.requested',
        data: { request_id: request.request_id, release_id: baseline, actor: 'ann', reason: 'because' },
      })
      const confirmation = { request_id: request.request_id, approval_reason: 'fine', actor: 'bob' }
      await ok(service.call('POST /v1/promote/confirm', { body: confirmation }))
      await drainOutbox(service.context)
      expect(payloadOf(receiver.sent[1])).toMatchObject({
        event: 'promote.succeeded',
        data: { actor: 'bob', reason: 'because | approval: fine' },
      })
    })

    test('to every webhook that lists the event, each with an id of its own', async () => {
      const { service, receiver, baseline } = await announcing()
      const second = await subscribe(service, { url: 'https://b.example/', events: ['promote.succeeded'] })
      await subscribe(service, { url: 'https://c.example/', events: ['promote.blocked', 'test.ping'] })
      await ok(promote(service, baseline))
      await drainOutbox(service.context)
      expect(receiver.sent.map(({ url }) => url).sort()).toEqual([
        'https://b.example/',
        'https://hooks.example.com/releases',
      ])
      const ids = receiver.sent.map(outgoing => payloadOf(outgoing).delivery_id as string)
      expect(new Set(ids).size).toBe(2)
      const path = `GET /v1/webhooks/${second.webhook_id}/deliveries` as const
      const { deliveries } = await ok(service.call(path))
      expect(deliveries).toMatchObject([{ status: 'delivered', webhook_id: second.webhook_id }])
    })

    test('once, however often its Idempotency-Key is repeated', async () => {
      const { service, receiver, baseline } = await announcing()
      const options = { body: decision(baseline), headers: { 'idempotency-key': 'k' } }
      for (let times = 0; times < 3; times++) await ok(service.call('POST /v1/promote', options))
      await drainOutbox(service.context)
      expect(eventsOf(receiver)).toEqual(['promote.succeeded'])
    })
  })

  describe('nothing is announced', () => {
    test.each<[string, (cast: Cast) => Promise<unknown>]>([
      ['of a dry run', ({ service, baseline }) => promote(service, baseline, { dry_run: true })],
      ['of a refusal', ({ service }) => promote(service, 'rel_unknown')],
      ['of a rollback to nowhere', ({ service, baseline }) => rollback(service, baseline)],
    ])('%s', async (_what, act) => {
      const cast = await announcing()
      await act(cast)
      expect(await deliveriesOf(cast.service)).toEqual([])
    })

    test('to a webhook that was added later, or removed before it was sent', async () => {
      const { service, receiver, baseline, hook } = await announcing()
      await ok(promote(service, baseline))
      await subscribe(service, { url: 'https://late.example/' })
      await ok(service.call(`DELETE /v1/webhooks/${hook.webhook_id}`))
      await drainOutbox(service.context)
      expect(receiver.sent).toEqual([])
      expect(await deliveriesOf(service)).toEqual([])
    })
  })
}

interface Cast {
  readonly service: TestService
  readonly receiver: Receiver
  readonly baseline: string
  readonly candidate: string
  readonly hook: { webhook_id: string; secret: string }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

function eventsOf({ sent }: Receiver): string[] {
  return sent.map(outgoing => payloadOf(outgoing).event as string)
}
