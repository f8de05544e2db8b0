import { describe, expect, test } from 'vitest'
import { type RouteName, routes } from '../../../../handlers/index.ts'
import { releaseOf } from '../../../support/services/builders.ts'
import { decision, ok, refusal, unprocessableAt } from '../../../support/services/requests.ts'
import type { MakeService } from '../../../support/services/service.ts'

const ROUTES = Object.keys(routes) as RouteName[]

/** JSON bodies, whatever the endpoint. */
export function bodiesContract(makeService: MakeService): void {
  describe('a body', () => {
    const writable = ROUTES.filter(route =>
      /^(?:POST|PUT) (?!\/v1\/(?:events|traces|aggregates)$|\/ofrep\/)[^{]*$/.test(route),
    )

    test.each(writable)('of %s has to be a JSON object', async route => {
      const service = await makeService()
      for (const body of ['[]', 'null', '"text"', '7', 'true', '', '{', '{"a":1,}', "{'a':1}"]) {
        const locs = await unprocessableAt(service.call(route, { body }))
        expect({ body, locs }).toEqual({ body, locs: [['body']] })
      }
    })

    test.each(writable)('of %s has to be sent as JSON', async route => {
      const service = await makeService()
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/json']) {
        const answer = service.call(route, { body: '{}', headers: { 'content-type': type } })
        expect(await unprocessableAt(answer)).toEqual([['body']])
      }
      expect(await unprocessableAt(service.call(route))).toEqual([['body']])
    })

    test.each(writable)('of %s may not have unknown fields', async route => {
      const service = await makeService()
      for (const name of ['colour', '__proto__', 'constructor', 'toString']) {
        const locs = await unprocessableAt(service.call(route, { body: `{"${name}":{"x":1}}` }))
        expect(locs).toContainEqual(['body', name])
      }
    })

    test.each(writable)('of %s may not have a field twice', async route => {
      const service = await makeService()
      for (const body of ['{"a":1,"a":2}', '{"b":[{"a":1, "\\u0061" :2}]}']) {
        const answer = await service.call(route, { body })
        expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body'], type: 'repeated' }] } })
        expect(answer.text).toContain('the field \\"a\\" twice')
      }
    })

    test.each(['a\\u0000b', '\\ud800', '\\udfffx'])('may not hold the text %s', async text => {
      const service = await makeService()
      const body = JSON.stringify(decision('rel_a', { reason: 'TEXT' })).replace('TEXT', text)
      expect(await unprocessableAt(service.call('POST /v1/promote', { body }))).toEqual([['body', 'reason']])
      const artifact = JSON.stringify({ artifact: releaseOf({ version: 'TEXT' }), checksum: 'a'.repeat(64) })
      const registered = service.call('POST /v1/releases', { body: artifact.replace(/TEXT/, text) })
      expect((await unprocessableAt(registered))[0]!.slice(0, 3)).toEqual(['body', 'artifact', 'metadata'])
    })

    test('of a few fields is read up to 256 kB', async () => {
      const service = await makeService()
      const body = `{"reason": "${'x'.repeat(300_000)}"}`
      expect(await refusal(service.call('POST /v1/promote', { body }), 413)).toMatch(/262144 bytes/)
    })

    test('with very many problems is answered with the first of them', async () => {
      const service = await makeService()
      const names = Array.from({ length: 20_000 }, (_, index) => [`f${index}`, 0])
      const { status, text, body } = await service.call('POST /v1/diff', { body: Object.fromEntries(names) })
      expect([status, body.detail.length]).toEqual([422, 51])
      expect(body.detail.at(-1)).toEqual({
        loc: ['body'],
        msg: expect.stringMatching(/^and \d{5} more problems$/),
        type: 'more',
      })
      expect(text.length).toBeLessThan(20_000)
    })

    test.each<[string, RouteName, string, number]>([
      ['many bad prices', 'POST /v1/pricing', `{"table":{"entries":[${many('{"model":1}', 200_000)}]}}`, 422],
      [
        'one bad price behind many',
        'POST /v1/pricing',
        `{"table":{"entries":[${many('{"m":1}', 9000)}]}}`,
        422,
      ],
      ['many unknown fields of a policy', 'PUT /v1/policy', `{${manyFields(15_000)}}`, 422],
      ['a policy of a megabyte', 'PUT /v1/policy', `{${manyFields(90_000)}}`, 413],
      [
        'many bad tools',
        'POST /v1/releases',
        `{"artifact":{"spec":{"tools":{"tool_names":[${many('1', 9999)}]}}}}`,
        422,
      ],
      ['deep tags', 'POST /v1/releases', `{"artifact":{"tags":{"a":[${many('[0]', 400_000)}]}}}`, 422],
      ['empty events', 'POST /v1/events', `{"events":[${many('{}', 5_000_000)}]}`, 413],
      ['more events than are taken', 'POST /v1/events', `{"events":[${many('{}', 50_001)}]}`, 422],
      ['an event of many labels', 'POST /v1/events', `{"events":[{"labels":{${manyFields(300_000)}}}]}`, 413],
      [
        'an event of many tools',
        'POST /v1/events',
        `{"events":[{"usage":{"tools":[${many('1', 90_000)}]}}]}`,
        400,
      ],
      [
        'a webhook for many events',
        'POST /v1/webhooks',
        `{"url":"http://x/","events":[${many('"a"', 60_000)}]}`,
        422,
      ],
    ])('of %s is refused in a fraction of a second', async (_what, route, body, status) => {
      const service = await makeService()
      // What is loaded at the first request counts for none of them.
      await service.call(route, { body: '{}' })
      const before = process.cpuUsage()
      expect((await service.call(route, { body })).status).toBe(status)
      const { user, system } = process.cpuUsage(before)
      // It took 2 to 29 s of one core; an idle machine needs 0.02 to 0.3.
      expect(user + system).toBeLessThan(1_500_000)
    })

    test('larger than the service takes is 413', async () => {
      const service = await makeService()
      const body = `{"events":["${'x'.repeat(17 * 1024 * 1024)}"]}`
      expect(await refusal(service.call('POST /v1/events', { body }), 413)).toMatch(/bytes/)
      expect((await ok(service.call('GET /health'))).status).toBe('ok')
    })

    test('nested too deeply is refused, not crashed on', async () => {
      const service = await makeService()
      const deep = '['.repeat(20_000) + ']'.repeat(20_000)
      const artifact = JSON.stringify(releaseOf()).replace('{', `{"x-deep":${deep},`)
      const calls = [
        service.call('POST /v1/releases', {
          body: `{"artifact":${artifact},"checksum":"${'a'.repeat(64)}"}`,
        }),
        service.call('POST /v1/promote', { body: `{"reason":${deep}}` }),
        service.call('PUT /v1/policy', { body: `{"max_latency_ms":${deep}}` }),
        service.call('POST /v1/events', { body: `{"events":[{"api_version":${deep}}]}` }),
        service.call('POST /v1/events', { body: `{"events":[{"labels":${deep}}]}` }),
      ]
      for (const answer of await Promise.all(calls)) expect([400, 422]).toContain(answer.status)
    })

    test('nested deeper than 64 levels is refused by every route', async () => {
      const service = await makeService()
      const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
      for (const route of [
        ...writable,
        'POST /v1/events',
        'POST /v1/traces',
        'POST /v1/aggregates',
      ] as const) {
        // The message of a fault names the value, and could not follow it.
        const deep = await service.call(route, { body: `{"events":${nested(5000)}}` })
        expect([400, 422]).toContain(deep.status)
        expect(deep.text).toMatch(/64 levels deep/)
      }
      const long = `{"events":[${' '.repeat(600_000)}${nested(64)}]}`
      expect(await service.call('POST /v1/events', { body: long })).toMatchObject({
        status: 422,
        text: expect.stringMatching(/64 levels deep/),
      })
      const { text } = await service.call('POST /v1/webhooks', { body: `{"events":${nested(63)}}` })
      expect(text).not.toMatch(/levels deep/)
    })

    test('of a refused request has written nothing', async () => {
      const service = await makeService()
      const before = await ok(service.call('GET /v1/metrics'))
      for (const route of writable) {
        if (route === 'POST /v1/rollups/rebuild') continue
        expect((await service.call(route, { body: '{"x":1}' })).status).toBe(422)
      }
      expect(await ok(service.call('GET /v1/metrics'))).toEqual(before)
      expect(service.logged).toEqual([])
    })
  })
}

function many(item: string, count: number): string {
  return `${item},`.repeat(count).slice(0, -1)
}

function manyFields(count: number): string {
  return Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')
}
