import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { type Signable, signedRequest } from '../../../src/ledger/webhooks/signing.ts'
import { WebhookVerificationError, verifyWebhook } from '../../../src/sdk/verify_webhook.ts'

const SECRET = `whsec_${btoa('a key of thirty-six bytes, no fewer.')}`
const BODY =
  '{"event":"promote.succeeded","delivery_id":"d-1","created_at":"2026-01-31T12:00:00.000Z","data":{"reason":"schön","audit_seq":7}}'
const NOW = Date.UTC(2026, 0, 31, 12)
const now = (): number => NOW
const SIGNABLE: Signable = {
  url: 'https://hooks.example.com/',
  secret: SECRET,
  event: 'promote.succeeded',
  deliveryId: 'd-1',
  body: BODY,
}

/** A signed delivery with some of its headers or its body changed; undefined leaves a header out. */
async function delivery(changes: Record<string, string | undefined> = {}, body = BODY): Promise<Request> {
  const { url, headers } = await signedRequest(SIGNABLE, NOW)
  const kept = Object.entries({ ...headers, ...changes }).filter(([, value]) => value !== undefined)
  return new Request(url, { method: 'POST', headers: kept as [string, string][], body })
}

const WITHOUT_PLAIN = { 'x-service-signature': undefined }
const WITHOUT_TIMED = {
  'webhook-id': undefined,
  'webhook-timestamp': undefined,
  'webhook-signature': undefined,
}

describe('a delivery is believed', () => {
  test.each([
    ['with both families of headers', {}],
    ['with those of the specification alone', WITHOUT_TIMED],
    ['with those of Standard Webhooks alone', WITHOUT_PLAIN],
  ])('%s', async (_what, changes) => {
    expect(await verifyWebhook(await delivery(changes), SECRET, { now, requireTimed: false })).toEqual({
      ...JSON.parse(BODY),
      audit_seq: 7,
    })
  })

  test('with several signatures of which one is right, as while a secret is rotated', async () => {
    const { headers } = await signedRequest(SIGNABLE, NOW)
    const both = `v1,${btoa('another one')} v1a,x ${headers['webhook-signature']}`
    expect(await verifyWebhook(await delivery({ 'webhook-signature': both }), SECRET, { now })).toBeDefined()
  })

  test('by who has either secret, while it is rotated', async () => {
    const next = `whsec_${btoa('the secret that comes after this one')}`
    const { url, headers } = await signedRequest({ ...SIGNABLE, secret: next, previousSecret: SECRET }, NOW)
    for (const secret of [SECRET, next]) {
      for (const changes of [
        {},
        WITHOUT_TIMED,
        { ...WITHOUT_PLAIN, 'x-service-signature-next': undefined },
      ]) {
        const kept = Object.entries({ ...headers, ...changes }).filter(([, value]) => value !== undefined)
        const request = new Request(url, { method: 'POST', headers: kept as [string, string][], body: BODY })
        expect(
          await verifyWebhook(request, secret, { now, requireTimed: changes !== WITHOUT_TIMED }),
        ).toBeDefined()
      }
      const signed = await signedRequest({ ...SIGNABLE, secret: next, previousSecret: SECRET }, Date.now())
      expect(new Webhook(secret).verify(BODY, signed.headers)).toEqual(JSON.parse(BODY))
    }
    const neither = verifyWebhook(await delivery(), `whsec_${btoa('a third')}`, { now })
    await expect(neither).rejects.toThrow(WebhookVerificationError)
  })

  test.each([-300, 300])('%i seconds from now', async seconds => {
    const later = { now: () => NOW + seconds * 1000 }
    expect(await verifyWebhook(await delivery(), SECRET, later)).toBeDefined()
  })

  test.each([
    ['with both families of headers', {}],
    ['with those of Standard Webhooks alone', WITHOUT_PLAIN],
  ])('where a time is required, %s', async (_what, changes) => {
    const timed = { now, requireTimed: true }
    expect(await verifyWebhook(await delivery(changes), SECRET, timed)).toEqual({
      ...JSON.parse(BODY),
      audit_seq: 7,
    })
  })

  test('by the library of Standard Webhooks too', async () => {
    const { headers } = await signedRequest(SIGNABLE, Date.now())
    expect(new Webhook(SECRET).verify(BODY, headers)).toEqual(JSON.parse(BODY))
  })

  test('when that library signed it', async () => {
    const signature = new Webhook(SECRET).sign('d-1', new Date(NOW), BODY)
    const request = await delivery({ ...WITHOUT_PLAIN, 'webhook-signature': signature })
    expect(await verifyWebhook(request, SECRET, { now })).toBeDefined()
  })
})

describe('a delivery is refused', () => {
  test.each([
    ['without a signature', { ...WITHOUT_PLAIN, ...WITHOUT_TIMED }, BODY, 'not signed'],
    ['with another body', {}, BODY.replace('d-1', 'd-2'), 'webhook-signature does not match'],
    ['with another body and one family', WITHOUT_TIMED, `${BODY} `, 'X-Service-Signature does not match'],
    ['with another id', { 'webhook-id': 'd-2' }, BODY, 'webhook-signature does not match'],
    [
      'with another time',
      { 'webhook-timestamp': String(NOW / 1000 + 1) },
      BODY,
      'webhook-signature does not',
    ],
    ['without an id', { 'webhook-id': undefined }, BODY, 'is missing'],
    ['with a time that is none', { 'webhook-timestamp': 'noon' }, BODY, 'not a number'],
    [
      'with a wrong signature beside a right one',
      { 'x-service-signature': `sha256=${'0'.repeat(64)}` },
      BODY,
      'X-Service-Signature does not match',
    ],
    ['with a next signature that is none', { 'x-service-signature-next': 'sha256=' }, BODY, '64 hex digits'],
    [
      'with half a signature',
      { ...WITHOUT_TIMED, 'x-service-signature': 'sha256=00ff' },
      BODY,
      '64 hex digits',
    ],
    ['with a signature that is no base64', { 'webhook-signature': 'v1,***' }, BODY, 'does not match'],
    ['with a signature of another version', { 'webhook-signature': 'v2,AAAA' }, BODY, 'does not match'],
  ])('%s', async (_what, changes, body, message) => {
    const refusal = verifyWebhook(await delivery(changes, body), SECRET, { now, requireTimed: false })
    await expect(refusal).rejects.toThrow(WebhookVerificationError)
    await expect(refusal).rejects.toThrow(message)
  })

  test.each([-301, 301])('%i seconds from now', async seconds => {
    const later = { now: () => NOW + seconds * 1000 }
    await expect(verifyWebhook(await delivery(), SECRET, later)).rejects.toThrow('more than 300 s')
    const tolerant = { ...later, toleranceS: 400 }
    expect(await verifyWebhook(await delivery(), SECRET, tolerant)).toBeDefined()
  })

  test.each([`whsec_${btoa('another key')}`, 'whsec_', '', 'whsec_***'])(
    'with the secret %j',
    async secret => {
      for (const changes of [{}, WITHOUT_TIMED, WITHOUT_PLAIN]) {
        await expect(verifyWebhook(await delivery(changes), secret, { now })).rejects.toThrow(
          WebhookVerificationError,
        )
      }
    },
  )

  test('without a time, unless that is said to do', async () => {
    const timed = { now, requireTimed: true }
    for (const options of [{ now }, timed]) {
      const stripped = verifyWebhook(await delivery(WITHOUT_TIMED), SECRET, options)
      await expect(stripped).rejects.toThrow('webhook-signature is missing, and requireTimed requires it')
    }
    const late = { now: () => NOW + 301_000, requireTimed: true }
    await expect(verifyWebhook(await delivery(), SECRET, late)).rejects.toThrow('more than 300 s')
  })

  test.each([Number.NaN, -1, Number.NEGATIVE_INFINITY])('with a tolerance of %d', async toleranceS => {
    for (const changes of [{}, WITHOUT_TIMED]) {
      const refusal = verifyWebhook(await delivery(changes), SECRET, { now, toleranceS })
      await expect(refusal).rejects.toThrow(WebhookVerificationError)
      await expect(refusal).rejects.toThrow(`toleranceS must be 0 or more (it is ${toleranceS})`)
    }
  })

  test('by a clock that tells no time', async () => {
    const stopped = verifyWebhook(await delivery(), SECRET, { now: () => Number.NaN })
    await expect(stopped).rejects.toThrow('more than 300 s')
  })

  test.each([
    'null',
    '0',
    '"text"',
    '[]',
    '{}',
    BODY.replace('"event"', '"evnt"'),
    BODY.replace('"d-1"', '1'),
    BODY.replace(/\{"reason".*\}/, 'null}'),
  ])('with a signed body that is no delivery: %s', async body => {
    const { url, headers } = await signedRequest({ ...SIGNABLE, body }, NOW)
    const request = new Request(url, { method: 'POST', headers, body })
    await expect(verifyWebhook(request, SECRET, { now })).rejects.toThrow('the body is not a delivery')
  })

  test('with a body that is signed but no JSON', async () => {
    const { url, headers } = await signedRequest({ ...SIGNABLE, body: 'hello' }, NOW)
    const request = new Request(url, { method: 'POST', headers, body: 'hello' })
    await expect(verifyWebhook(request, SECRET, { now })).rejects.toThrow('not JSON')
  })
})
