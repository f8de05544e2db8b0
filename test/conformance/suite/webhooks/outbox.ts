import { describe, expect, test } from 'vitest'
import { createDispatcher } from '../../../../src/ledger/webhooks/dispatcher.ts'
import { drainOutbox } from '../../../support/services/drain_outbox.ts'
import { LEASE_MS, claimDue, recordAttempt } from '../../../../src/ledger/webhooks/outbox.ts'
import type { Sent } from '../../../../src/ledger/world/send.ts'
import { importPrices, register } from '../../../support/services/builders.ts'
import {
  TAKEN,
  type Receiver,
  deliveriesOf,
  makeReceiver,
  payloadOf,
  subscribe,
} from '../../../support/services/receiver.ts'
import {
  actionsOf,
  ok,
  promote,
  refusal,
  setPolicy,
  unprocessableAt,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

/** How the outbox delivers: attempts, leases, replays, and what answers say about them. */
export function outboxContract(makeService: MakeService): void {
  async function waiting(count: number, receiver: Receiver = makeReceiver()) {
    const service = await makeService({ send: receiver.send })
    await importPrices(service)
    await setPolicy(service, {})
    const release = await register(service)
    const { webhook_id } = await subscribe(service)
    for (let index = 0; index < count; index++) await ok(promote(service, release))
    return { service, receiver, release, webhook_id }
  }
  const drainAt = (service: TestService, ms: number): Promise<void> => {
    service.clock.now = NOON + ms
    return drainOutbox(service.context)
  }

  describe('attempts', () => {
    test('are three, the second and third 1 s and 2 s after a failure; then it is given up', async () => {
      const { service, receiver } = await waiting(1, makeReceiver({ status: 500, text: 'oops' }))
      const seen: number[] = []
      for (const ms of [0, 0, 999, 1000, 1001, 2999, 3000, 3001, 60_000]) {
        await drainAt(service, ms)
        seen.push(receiver.sent.length)
      }
      expect(seen).toEqual([1, 1, 1, 2, 2, 2, 3, 3, 3])
      const [first, ...more] = receiver.sent
      for (const { body, headers } of more) {
        expect(body).toBe(first!.body)
        expect(headers['x-service-delivery']).toBe(first!.headers['x-service-delivery'])
        expect(headers['webhook-signature']).not.toBe(first!.headers['webhook-signature'])
      }
      expect(service.logged.filter(({ level }) => level === 'warn')).toHaveLength(3)
      expect(await deliveriesOf(service)).toMatchObject([
        {
          status: 'failed',
          attempts: 3,
          next_attempt_at: null,
          last_attempt_at: '2026-01-31T12:00:03.000Z',
          response_code: 500,
          response_text: 'oops',
          problem: 'the receiver answered 500',
        },
      ])
    })

    test('end with the first that is taken', async () => {
      const { service, receiver } = await waiting(1, makeReceiver({ problem: 'no connection' }))
      await drainAt(service, 0)
      expect(await deliveriesOf(service, { status: 'pending' })).toMatchObject([
        { attempts: 1, next_attempt_at: '2026-01-31T12:00:01.000Z', response_code: null },
      ])
      receiver.answer = { status: 202, text: 'ok \0 \uD800' }
      await drainAt(service, 1000)
      await drainAt(service, 60_000)
      expect(receiver.sent).toHaveLength(2)
      expect(await deliveriesOf(service)).toMatchObject([
        {
          status: 'delivered',
          attempts: 2,
          response_code: 202,
          response_text: 'ok \uFFFD \uFFFD',
          problem: null,
        },
      ])
    })

    test('take what they last', async () => {
      const { service, receiver } = await waiting(1)
      receiver.answer = async () => {
        service.clock.now += 1234
        return TAKEN
      }
      await drainOutbox(service.context)
      expect(await deliveriesOf(service)).toMatchObject([{ duration_ms: 1234 }])
    })

    test('of a receiver that fails do not hold up another', async () => {
      const { service, receiver, release } = await waiting(0)
      await subscribe(service, { url: 'https://well.example/' })
      for (let index = 0; index < 20; index++) await ok(promote(service, release))
      receiver.answer = async ({ url }): Promise<Sent> =>
        url.includes('well') ? TAKEN : { status: 503, text: '' }
      await drainOutbox(service.context)
      const urls = receiver.sent.map(({ url }) => url)
      expect(urls.filter(url => url.includes('well'))).toHaveLength(20)
      // After the first failures it is left alone.
      expect(urls.filter(url => !url.includes('well'))).toHaveLength(4)
    })

    test('go on in the order of the decisions, four at a time', async () => {
      const { service, receiver } = await waiting(10)
      await drainOutbox(service.context)
      const sent = receiver.sent.map(outgoing => payloadOf(outgoing).data.action_id as string)
      const decided = (await actionsOf(service)).map(action => action.action_id as string).toReversed()
      for (const start of [0, 4, 8]) {
        expect(sent.slice(start, start + 4).sort()).toEqual(decided.slice(start, start + 4))
      }
    })
  })

  describe('a lease', () => {
    test('keeps dispatchers that run at once from sending twice', async () => {
      const { service, receiver } = await waiting(30)
      await Promise.all(Array.from({ length: 6 }, () => drainOutbox(service.context)))
      expect(receiver.sent).toHaveLength(30)
      expect(new Set(receiver.sent.map(({ headers }) => headers['webhook-id'])).size).toBe(30)
      expect(await deliveriesOf(service, { status: 'delivered', limit: 500 })).toHaveLength(30)
    })

    test('ends, so that what a dead process held is sent again under its id', async () => {
      const { service, receiver, webhook_id } = await waiting(1)
      const [claimed] = await claimDue(service.context, webhook_id, 4)
      await drainAt(service, LEASE_MS - 1)
      expect(receiver.sent).toEqual([])
      await drainAt(service, LEASE_MS)
      expect(receiver.sent.map(({ headers }) => headers['webhook-id'])).toEqual([claimed!.delivery_id])
    })

    test('that has passed to another records nothing', async () => {
      const { service, webhook_id } = await waiting(1)
      const [claimed] = await claimDue(service.context, webhook_id, 4)
      await drainAt(service, LEASE_MS)
      const facts = {
        response_code: 500,
        duration_ms: 1,
        response_text: '',
        problem: 'late',
      }
      await recordAttempt(service.context, claimed!, facts)
      expect(await deliveriesOf(service)).toMatchObject([{ status: 'delivered', attempts: 1 }])
    })

    test('is not taken by a dispatcher that was stopped, or whose time is over', async () => {
      const { service, receiver } = await waiting(1)
      const stopped = createDispatcher(service.context)
      stopped.stop()
      await stopped.dispatch()
      await drainOutbox(service.context, { forMs: 0 })
      expect([await stopped.settled(), receiver.sent]).toEqual([false, []])
    })
  })

  describe('a replay', () => {
    test.each([
      ['failed', { status: 500, text: '' }],
      ['delivered', TAKEN],
    ])('sends what was %s again, with the same id and body', async (status, answer) => {
      const { service, receiver } = await waiting(1, makeReceiver(answer))
      for (const ms of [0, 1000, 3000]) await drainAt(service, ms)
      const before = receiver.sent.length
      const [delivery] = await deliveriesOf(service)
      expect(delivery).toMatchObject({ status })
      receiver.answer = { status: 200, text: 'at last' }
      const path = `POST /v1/webhook-deliveries/${String(delivery!.delivery_id)}/replay` as const
      expect(await ok(service.call(path))).toMatchObject({ status: 'pending', attempts: 0 })
      await drainAt(service, 3000)
      expect(receiver.sent).toHaveLength(before + 1)
      expect(receiver.sent.at(-1)!.body).toBe(receiver.sent[0]!.body)
      expect(await deliveriesOf(service)).toMatchObject([
        { delivery_id: delivery!.delivery_id, status: 'delivered', attempts: 1, response_text: 'at last' },
      ])
    })

    test('does not disturb one that is being sent', async () => {
      const { service, receiver, webhook_id } = await waiting(1)
      const [claimed] = await claimDue(service.context, webhook_id, 4)
      await ok(service.call(`POST /v1/webhook-deliveries/${claimed!.delivery_id}/replay`))
      await drainOutbox(service.context)
      expect(receiver.sent).toEqual([])
    })

    test('of an unknown one is 404', async () => {
      const service = await makeService()
      const path = 'POST /v1/webhook-deliveries/d/replay' as const
      expect(await refusal(service.call(path), 404)).toBe('Unknown delivery: d')
    })
  })

  describe('what is told of the outbox', () => {
    test('the metrics count what waits and what was given up', async () => {
      const { service } = await waiting(3, makeReceiver({ status: 500, text: '' }))
      const counted = async () => {
        const { counters } = await ok(service.call('GET /v1/metrics'))
        return [counters.webhook_deliveries_pending, counters.webhook_deliveries_failed]
      }
      expect(await counted()).toEqual([3, 0])
      for (const ms of [0, 1000, 3000]) await drainAt(service, ms)
      expect(await counted()).toEqual([0, 3])
      const { text } = await service.call('GET /metrics')
      expect(text).toContain('\nservice_webhook_deliveries_pending 0\n')
      expect(text).toContain('\nservice_webhook_deliveries_failed 3\n')
    })

    test('the doctor shows it, and finds no fault of the ledger in it', async () => {
      const { service } = await waiting(2)
      const { ok: healthy, checks } = await ok(service.call('GET /v1/doctor'))
      expect(healthy).toBe(true)
      expect(checks).toContainEqual({
        name: 'webhook_outbox',
        ok: true,
        detail: '2 deliveries wait, the oldest since 2026-01-31T12:00:00.000Z; 0 were given up',
      })
    })

    test('lists are newest first, limited, and by state', async () => {
      const { service, webhook_id } = await waiting(3)
      const all = await deliveriesOf(service)
      const { actions } = await ok(service.call('GET /v1/actions'))
      expect(all.map(({ delivery_id }) => String(delivery_id).slice(0, 8))).toEqual(
        actions.map((action: { action_id: string }) => action.action_id.slice(4, 12)),
      )
      expect(await deliveriesOf(service, { limit: 2 })).toEqual(all.slice(0, 2))
      expect(await deliveriesOf(service, { status: 'failed' })).toEqual([])
      const path = `GET /v1/webhooks/${webhook_id}/deliveries` as const
      expect(await ok(service.call(path, { query: { limit: 1 } }))).toEqual({ deliveries: all.slice(0, 1) })
      expect(await unprocessableAt(service.call(path, { query: { status: 'lost' } }))).toEqual([
        ['query', 'status'],
      ])
      await refusal(service.call('GET /v1/webhooks/whk_x/deliveries'), 404)
    })
  })
}
