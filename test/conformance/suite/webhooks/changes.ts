import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { verifyWebhook } from '../../../../src/sdk/verify_webhook.ts'
import { importPrices, register } from '../../../support/services/builders.ts'
import { drainOutbox } from '../../../support/services/drain_outbox.ts'
import { deliveriesOf, makeReceiver, payloadOf, subscribe } from '../../../support/services/receiver.ts'
import { ok, promote, refusal, setPolicy, unprocessableAt } from '../../../support/services/requests.ts'
import { type MakeService, NOON, type ServiceOptions } from '../../../support/services/service.ts'

const CHAT_URL = 'https://chat.example.com:8443/services/T0001/B0002/s3cret-t0ken?sig=another%2Fs3cret'

/** Changes of a webhook, the rotation of its secret, and messages for chats. */
export function webhookChangesContract(makeService: MakeService): void {
  async function subscribed(more: Readonly<Record<string, unknown>> = {}, options: ServiceOptions = {}) {
    const receiver = makeReceiver()
    const service = await makeService({ send: receiver.send, ...options })
    await importPrices(service)
    await setPolicy(service, {})
    const release = await register(service)
    const hook = await subscribe(service, more)
    const path = `/v1/webhooks/${hook.webhook_id}` as const
    const change = (body: object) => service.call(`PATCH ${path}`, { body })
    const rotate = (body: object = {}) => service.call(`POST ${path}/rotate`, { body })
    const listed = async () => (await ok(service.call('GET /v1/webhooks'))).webhooks[0]
    return { service, receiver, release, hook, path, change, rotate, listed }
  }

  describe('a change of a webhook', () => {
    test('changes what it names, and nothing else', async () => {
      const { change, listed, hook } = await subscribed({ description: 'chat' })
      const before = await listed()
      const steps = [
        { url: 'https://b.example/x' },
        { events: ['promote.blocked', 'promote.blocked'] },
        { description: 'pager' },
        { enabled: false },
      ]
      for (const step of steps) await ok(change(step))
      const after = { ...before, ...Object.assign({}, ...steps), events: ['promote.blocked'] }
      expect(await listed()).toEqual(after)
      expect(await ok(change({ description: '', enabled: true }))).toEqual({
        ...after,
        description: null,
        enabled: true,
      })
      expect(JSON.stringify(await listed())).not.toContain(hook.secret)
    })

    test('sends what waits to the new address', async () => {
      const { service, receiver, release, change } = await subscribed()
      await ok(promote(service, release))
      await ok(change({ url: 'https://b.example/' }))
      await drainOutbox(service.context)
      expect(receiver.sent.map(({ url }) => url)).toEqual(['https://b.example/'])
    })

    test('while it is disabled nothing is sent or put in the outbox; what waited goes on after', async () => {
      const { service, receiver, release, change } = await subscribed()
      await ok(promote(service, release))
      await ok(change({ enabled: false }))
      await ok(promote(service, release))
      await drainOutbox(service.context)
      expect(receiver.sent).toEqual([])
      expect(await deliveriesOf(service)).toMatchObject([{ status: 'pending', attempts: 0 }])
      await ok(change({ enabled: true }))
      await drainOutbox(service.context)
      expect(receiver.sent.map(payloadOf)).toMatchObject([{ data: { audit_seq: 1 } }])
    })

    test.each([
      [{ url: 'ftp://a.example' }, ['body', 'url']],
      [{ url: 'http://169.254.169.254/' }, ['body', 'url']],
      [{ events: [] }, ['body', 'events']],
      [{ events: ['promoted'] }, ['body', 'events', 0]],
      [{ enabled: 'yes' }, ['body', 'enabled']],
      [{ secret: 'whsec_mine' }, ['body', 'secret']],
      [{ format: 'slack' }, ['body', 'format']],
    ])('%j is refused and changes nothing', async (body, loc) => {
      const { change, listed } = await subscribed()
      const before = await listed()
      expect(await unprocessableAt(change({ description: 'changed', ...body }))).toEqual([loc])
      expect(await listed()).toEqual(before)
    })

    test('of nothing is refused, and of an unknown webhook 404', async () => {
      const { service, change } = await subscribed()
      expect(await refusal(change({}), 400)).toContain('Nothing to change')
      expect(await refusal(service.call('PATCH /v1/webhooks/whk_x', { body: { enabled: true } }), 404)).toBe(
        'Unknown webhook: whk_x',
      )
    })
  })

  describe('the rotation of a secret', () => {
    const HOUR_MS = 3_600_000

    test('tells the new one once, and until when the one before signs too', async () => {
      const { rotate, listed, hook } = await subscribed()
      const before = await listed()
      const rotated = await ok(rotate({ overlap_s: 3600 }))
      expect(rotated).toEqual({
        ...before,
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{48}$/),
        secret_preview: `whsec_…${rotated.secret.slice(-4)}`,
        previous_secret_until: '2026-01-31T13:00:00.000Z',
      })
      expect(rotated.secret).not.toBe(hook.secret)
      const { secret: _secret, ...shown } = rotated
      expect(await listed()).toEqual(shown)
    })

    test('lasts a day unless it is told otherwise, and ends by the clock of the database', async () => {
      const { service, rotate, listed } = await subscribed()
      expect((await ok(rotate())).previous_secret_until).toBe('2026-02-01T12:00:00.000Z')
      service.clock.ahead = 48 * HOUR_MS
      expect(await listed()).toHaveProperty('previous_secret_until')
      service.clock.now = NOON + 24 * HOUR_MS
      expect(await listed()).not.toHaveProperty('previous_secret_until')
    })

    test('signs with both until then, and with the new one from then on', async () => {
      const { service, receiver, release, rotate, hook } = await subscribed()
      const { secret } = await ok(rotate({ overlap_s: 3600 }))
      const sentAt = async (ms: number) => {
        service.clock.now = NOON + ms
        await ok(promote(service, release))
        await drainOutbox(service.context)
        return receiver.sent.at(-1)!
      }
      const during = await sentAt(HOUR_MS - 1)
      const after = await sentAt(HOUR_MS)
      const holds = async ({ url, headers, body }: typeof during, by: string): Promise<boolean> => {
        const request = new Request(url, { method: 'POST', headers, body })
        const now = (): number => service.clock.now
        return verifyWebhook(request, by, { requireTimed: true, now }).then(
          () => true,
          () => false,
        )
      }
      expect([await holds(during, hook.secret), await holds(during, secret)]).toEqual([true, true])
      expect([await holds(after, hook.secret), await holds(after, secret)]).toEqual([false, true])
      const plain = (by: string, body: string): string =>
        `sha256=${createHmac('sha256', by).update(body).digest('hex')}`
      // One value, as the specification has it: for receivers that don't have the new secret yet.
      expect(during.headers['x-service-signature']).toBe(plain(hook.secret, during.body))
      expect(after.headers['x-service-signature']).toBe(plain(secret, after.body))
      expect(after.headers).not.toHaveProperty('x-service-signature-next')
      const at = new Date(NOON + HOUR_MS - 1)
      const id = during.headers['webhook-id']!
      expect(during.headers['webhook-signature']!.split(' ')).toEqual(
        [secret, hook.secret].map(by => new Webhook(by).sign(id, at, during.body)),
      )
    })

    test('can be ended before, and made without an overlap', async () => {
      const { service, receiver, rotate, change, path, hook } = await subscribed()
      const { secret } = await ok(rotate())
      expect(await ok(change({ end_rotation: true }))).not.toHaveProperty('previous_secret_until')
      await ok(service.call(`POST ${path}/test`))
      expect(receiver.sent.at(-1)!.headers['webhook-signature']).not.toContain(' ')
      await ok(rotate())
      const leaked = await ok(rotate({ overlap_s: 0 }))
      expect(leaked).not.toHaveProperty('previous_secret_until')
      expect(new Set([hook.secret, secret, leaked.secret]).size).toBe(3)
    })

    test('is refused while one lasts: a third secret would cut off who has the first', async () => {
      const { rotate, listed } = await subscribed()
      await ok(rotate({ overlap_s: 60 }))
      const before = await listed()
      expect(await refusal(rotate({ overlap_s: 60 }), 409)).toContain('until 2026-01-31T12:01:00.000Z')
      expect(await listed()).toEqual(before)
    })

    test('of two at once one is done, and one refused', async () => {
      const { rotate, listed } = await subscribed()
      const both = await Promise.all([rotate(), rotate()])
      expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
      const done = both.find(({ status }) => status === 200)!.body
      expect((await listed()).secret_preview).toBe(done.secret_preview)
    })

    test.each([-1, 2_592_001, 1.5, '60'])('over %j seconds is refused', async overlap_s => {
      const { rotate } = await subscribed()
      expect(await unprocessableAt(rotate({ overlap_s }))).toEqual([['body', 'overlap_s']])
    })

    test('of an unknown webhook is 404', async () => {
      const { service } = await subscribed()
      expect(await refusal(service.call('POST /v1/webhooks/whk_x/rotate', { body: {} }), 404)).toBe(
        'Unknown webhook: whk_x',
      )
    })
  })

  describe('a webhook of a chat', () => {
    test.each(['slack', 'teams'])('of %s is sent a message that names the decision', async format => {
      const { service, receiver, release } = await subscribed(
        { format, url: CHAT_URL },
        { workspace: { public_url: 'https://releases.example.com' } },
      )
      const { action_id } = await ok(promote(service, release, { actor: 'ann', reason: 'looks fine' }))
      await drainOutbox(service.context)
      const [{ url, body, headers }] = receiver.sent as [(typeof receiver.sent)[0]]
      expect(url).toBe(CHAT_URL)
      for (const text of [
        'Promoted',
        'bot',
        'local',
        release,
        'ann',
        'looks fine',
        'no policy was evaluated',
      ])
        expect(body).toContain(text)
      expect(body).toContain(`https://releases.example.com/?view=log&action=${action_id}`)
      expect(headers['x-service-signature']).toMatch(/^sha256=/)
      const shape = format === 'slack' ? { blocks: expect.any(Array) } : { type: 'message' }
      expect(JSON.parse(body)).toMatchObject(shape)
    })

    test.each(['slack', 'teams'])('of %s never shows its URL', async format => {
      const echo = { status: 404, text: `Cannot POST ${new URL(CHAT_URL).pathname} ${CHAT_URL}` }
      const receiver = makeReceiver(echo)
      const { service, release, hook, change, path } = await subscribed(
        { format, url: CHAT_URL },
        { send: receiver.send },
      )
      await ok(promote(service, release))
      await drainOutbox(service.context)
      receiver.answer = { problem: `connect failed to ${CHAT_URL}` }
      const shown = [
        hook,
        await ok(service.call('GET /v1/webhooks')),
        await ok(change({ description: 'room' })),
        await ok(service.call(`POST ${path}/rotate`, { body: {} })),
        await ok(service.call(`POST ${path}/test`)),
        await deliveriesOf(service),
        await ok(service.call('GET /v1/doctor')),
        service.logged,
      ]
      for (const secret of ['T0001', 's3cret-t0ken', 'another'])
        expect(JSON.stringify(shown), secret).not.toContain(secret === 'T0001' ? '/T0001' : secret)
      expect(await ok(service.call('GET /v1/webhooks'))).toMatchObject({
        webhooks: [{ url: 'https://chat.example.com:8443/…', format }],
      })
    })

    test('is refused by an unknown name', async () => {
      const service = await makeService()
      const body = { url: CHAT_URL, events: ['promote.succeeded'], format: 'irc' }
      expect(await unprocessableAt(service.call('POST /v1/webhooks', { body }))).toEqual([['body', 'format']])
    })
  })
}
