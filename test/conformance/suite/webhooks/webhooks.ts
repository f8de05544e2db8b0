import { describe, expect, test } from 'vitest'
import { ALL_EVENTS, deliveriesOf, makeReceiver, subscribe } from '../../../support/services/receiver.ts'
import { ok, refusal, unprocessableAt } from '../../../support/services/requests.ts'
import type { MakeService } from '../../../support/services/service.ts'

/** POST, GET and DELETE /v1/webhooks, and the test of one. */
export function webhooksContract(makeService: MakeService): void {
  describe('webhooks', () => {
    test('tell their secret once, when they are added', async () => {
      const service = await makeService()
      const added = await ok(
        service.call('POST /v1/webhooks', {
          body: { url: 'https://a.example/x', events: ['promote.succeeded'], description: 'chat' },
        }),
      )
      expect(added).toEqual({
        webhook_id: expect.stringMatching(/^whk_[0-9a-f]{12}$/),
        url: 'https://a.example/x',
        events: ['promote.succeeded'],
        description: 'chat',
        enabled: true,
        created_at: '2026-01-31T12:00:00.000Z',
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{48}$/),
        secret_preview: `whsec_…${added.secret.slice(-4)}`,
      })
      const { secret: _secret, ...listed } = added
      const list = await service.call('GET /v1/webhooks')
      expect(list.body).toEqual({ webhooks: [listed] })
      expect(list.text + JSON.stringify(service.logged)).not.toContain(added.secret)
    })

    test('are listed oldest first, and may be many for one URL', async () => {
      const service = await makeService()
      const ids = [await subscribe(service), await subscribe(service), await subscribe(service)]
      const { webhooks } = await ok(service.call('GET /v1/webhooks'))
      expect(webhooks.map((webhook: { webhook_id: string }) => webhook.webhook_id)).toEqual(
        ids.map(({ webhook_id }) => webhook_id),
      )
      expect(new Set(ids.map(({ secret }) => secret)).size).toBe(3)
    })

    test('take each event of the specification, once', async () => {
      const service = await makeService()
      const events = [...ALL_EVENTS, 'test.ping']
      expect(await subscribe(service, { events: [...events, ...events] })).toMatchObject({ events })
    })

    test.each([
      [{ url: 'ftp://a.example' }, ['body', 'url']],
      [{ url: 'a.example' }, ['body', 'url']],
      [{ url: '' }, ['body', 'url']],
      [{ url: 5 }, ['body', 'url']],
      [{ url: undefined }, ['body', 'url']],
      [{ url: 'https://ann:pw@a.example' }, ['body', 'url']],
      [{ url: 'http://169.254.169.254/latest/meta-data' }, ['body', 'url']],
      [{ url: 'http://[::ffff:a9fe:a9fe]/' }, ['body', 'url']],
      [{ url: 'https://a.example/\0' }, ['body', 'url']],
      [{ events: [] }, ['body', 'events']],
      [{ events: 'promote.succeeded' }, ['body', 'events']],
      [{ events: undefined }, ['body', 'events']],
      [{ events: ['promote.succeeded', 'promoted'] }, ['body', 'events', 1]],
      [{ events: [null] }, ['body', 'events', 0]],
      [{ description: 5 }, ['body', 'description']],
      [{ enabled: true }, ['body', 'enabled']],
    ])('refuse %j and are not added', async (change, loc) => {
      const service = await makeService()
      const body = { url: 'https://a.example', events: ['promote.succeeded'], ...change }
      expect(await unprocessableAt(service.call('POST /v1/webhooks', { body }))).toEqual([loc])
      expect(await ok(service.call('GET /v1/webhooks'))).toEqual({ webhooks: [] })
    })

    test('refuse private addresses where the workspace does', async () => {
      const service = await makeService({ workspace: { webhooks: { deny_private: true } } })
      for (const url of ['http://127.0.0.1:9', 'http://2130706433', 'http://10.0.0.1', 'http://[::1]']) {
        const body = { url, events: ['promote.succeeded'] }
        expect(await unprocessableAt(service.call('POST /v1/webhooks', { body }))).toEqual([['body', 'url']])
      }
    })

    test('are removed once', async () => {
      const service = await makeService()
      const { webhook_id } = await subscribe(service)
      const path = `DELETE /v1/webhooks/${webhook_id}` as const
      expect(await ok(service.call(path))).toEqual({ webhook_id, deleted: true })
      expect(await refusal(service.call(path), 404)).toBe(`Unknown webhook: ${webhook_id}`)
      expect(await ok(service.call('GET /v1/webhooks'))).toEqual({ webhooks: [] })
    })
  })

  describe('the test of a webhook', () => {
    test('sends a signed test.ping and tells the answer', async () => {
      const receiver = makeReceiver({ status: 200, text: 'x'.repeat(500) })
      const service = await makeService({ send: receiver.send })
      const { webhook_id } = await subscribe(service, { events: ['promote.succeeded'] })
      const tested = await ok(service.call(`POST /v1/webhooks/${webhook_id}/test`))
      const [outgoing] = receiver.sent
      const payload = JSON.parse(outgoing!.body)
      expect(payload).toEqual({
        event: 'test.ping',
        delivery_id: tested.delivery_id,
        created_at: '2026-01-31T12:00:00.000Z',
        data: expect.objectContaining({ environment: 'local', actor: 'http', reason: expect.any(String) }),
      })
      expect(payload.data.release_id).toMatch(/^rel_/)
      expect(outgoing!.headers).toMatchObject({
        'x-service-event': 'test.ping',
        'x-service-delivery': tested.delivery_id,
      })
      expect(tested).toEqual({
        webhook_id,
        delivery_id: expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        status: 'delivered',
        response_code: 200,
        duration_ms: 0,
        response_text: 'x'.repeat(200),
        problem: null,
      })
      expect(await deliveriesOf(service)).toEqual([])
    })

    test.each([
      [
        { status: 500, text: 'oops' },
        { response_code: 500, response_text: 'oops', problem: /answered 500/ },
      ],
      [
        { status: 302, text: '' },
        { response_code: 302, response_text: '', problem: /redirects are not/ },
      ],
      [{ problem: 'no way' }, { response_code: null, response_text: null, problem: /^no way$/ }],
    ])('tells that %j is no success', async (answer, { problem, ...facts }) => {
      const service = await makeService({ send: makeReceiver(answer).send })
      const { webhook_id } = await subscribe(service)
      const tested = await ok(service.call(`POST /v1/webhooks/${webhook_id}/test`))
      expect(tested).toMatchObject({ status: 'failed', ...facts, problem: expect.stringMatching(problem) })
    })

    test('of an unknown one is 404', async () => {
      const service = await makeService()
      expect(await refusal(service.call('POST /v1/webhooks/whk_x/test'), 404)).toBe('Unknown webhook: whk_x')
    })
  })
}
