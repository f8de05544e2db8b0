import { describe, expect, test } from 'vitest'
import { type RouteName, routes } from '../../../../handlers/index.ts'
import { PRICES, eventOf, importPrices, register, releaseOf } from '../../../support/services/builders.ts'
import {
  decision,
  ingest,
  ok,
  promote,
  refusal,
  unprocessableAt,
} from '../../../support/services/requests.ts'
import type { MakeService } from '../../../support/services/service.ts'

const ROUTES = Object.keys(routes) as RouteName[]

/** Paths, methods and bodies, whatever the endpoint. */
export function routingContract(makeService: MakeService): void {
  describe('an unknown path', () => {
    test.each([
      'GET /v1',
      'GET /v1/nothing',
      'GET /v2/releases',
      'POST /v1/release',
      'GET /v1/releases/a/b',
      'GET /V1/releases',
      'DELETE /nothing',
      'GET /v1/pricing/acme',
      'GET /%2e%2e/%2e%2e/etc/passwd',
      'GET /__proto__',
      'GET /constructor',
    ] as const)('%s is 404 in JSON, told by its type from what an endpoint does not find', async route => {
      const service = await makeService()
      const answer = await service.call(route)
      expect([answer.status, answer.body]).toEqual([
        404,
        { detail: expect.stringMatching(/\S/), type: 'no_route' },
      ])
    })

    test('is 404 for HEAD as well, without a body', async () => {
      const service = await makeService()
      const answer = await service.call('HEAD /v1/nothing')
      expect([answer.status, answer.text]).toEqual([404, ''])
    })
  })

  describe('a known path', () => {
    test.each(pathsWithMethods())('%s with another method is 405 and allows %s', async (path, allowed) => {
      const service = await makeService()
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (allowed.includes(method)) continue
        const answer = await service.call(`${method} ${path}`)
        expect({ method, status: answer.status }).toEqual({ method, status: 405 })
        expect(answer.headers.get('content-type')).toBe('application/json')
        expect(answer.body.detail).toMatch(/\S/)
        expect(answer.headers.get('allow')!.split(', ').toSorted()).toEqual(allowed)
      }
    })

    test.each(['/v1/promote', '/v1/events', '/v1/diff'] as const)('%s does not take HEAD', async path => {
      const service = await makeService()
      const answer = await service.call(`HEAD ${path}`)
      expect([answer.status, answer.text]).toEqual([405, ''])
      expect(answer.headers.get('allow')).toBe('POST')
    })

    test.each(ROUTES.filter(route => /^GET [^{]*$/.test(route)))(
      '%s answers HEAD like GET, without a body',
      async route => {
        const service = await makeService()
        await importPrices(service)
        const release_id = await register(service)
        await ingest(service, [eventOf({ release_id, run_id: 'a' })])
        await ok(promote(service, release_id))
        const query = {
          agent_id: 'bot',
          release_id,
          baseline_release_id: release_id,
          candidate_release_id: release_id,
          window: '1h',
        }
        const path = route.slice('GET '.length) as `/${string}`
        const get = await service.call(`GET ${path}`, { query })
        const head = await service.call(`HEAD ${path}`, { query })
        expect(get.status).toBe(200)
        expect([head.status, head.text]).toEqual([200, ''])
        const lasting = (headers: Headers) => [...headers].filter(([name]) => !VARYING.has(name))
        expect(lasting(head.headers)).toEqual(lasting(get.headers))
      },
    )

    test('may end with a slash, and its query may hold what it does not know', async () => {
      const service = await makeService()
      const release = await register(service)
      expect(await ok(service.call('GET /v1/releases/'))).toEqual(await ok(service.call('GET /v1/releases')))
      expect((await ok(service.call(`GET /v1/releases/${release}/`))).release_id).toBe(release)
      await ok(service.call('GET /v1/releases', { query: { colour: 'red', __proto__x: '1' } }))
      await ok(service.call('POST /v1/promote/', { body: decision(release) }))
    })
  })

  describe('a path parameter', () => {
    test('is percent-decoded once', async () => {
      const service = await makeService()
      const provider = 'a/b %41?#é'
      await importPrices(service, { ...PRICES, provider })
      const table = await ok(service.call(`GET /v1/pricing/${encodeURIComponent(provider)}/v1`))
      expect(table.provider).toBe(provider)
      await refusal(service.call('GET /v1/pricing/a%2Fb%20A%3F%23%C3%A9/v1'), 404)
    })

    test.each(['%zz', '%', '%C3%28', '%ff'])('that is no percent-encoding is unknown: %s', async text => {
      const service = await makeService()
      const { status } = await service.call(`GET /v1/releases/${text}`)
      expect([404, 422]).toContain(status)
    })

    test.each([
      ['GET /v1/releases/a%00b', 'release_id'],
      ['GET /v1/actions/%00', 'action_id'],
      ['GET /v1/pricing/acme/a%00', 'pricing_version'],
      [`GET /v1/releases/${'x'.repeat(513)}`, 'release_id'],
    ] as const)('that holds a NUL or is too long is 422: %s', async (route, name) => {
      const service = await makeService()
      expect(await unprocessableAt(service.call(route))).toEqual([['path', name]])
    })
  })

  describe('a query parameter', () => {
    test.each([
      ['GET /v1/actions', { agent: 'a\0b' }, 'agent'],
      ['GET /v1/actions', { env: '\0' }, 'env'],
      ['GET /v1/runs', { release_id: '\0', window: '1h' }, 'release_id'],
      ['GET /v1/runs/export', { release_id: 'r', window: '1h\0' }, 'window'],
      ['GET /v1/promotion-requests', { status: 'pending\0' }, 'status'],
    ] as const)('of %s that holds a NUL is 422: %j', async (route, query, name) => {
      const service = await makeService()
      expect(await unprocessableAt(service.call(route, { query }))).toEqual([['query', name]])
    })

    test('a query parameter that is given twice is refused', async () => {
      const service = await makeService()
      const twice = service.call('GET /v1/actions?agent=a&agent=b')
      expect(await unprocessableAt(twice)).toEqual([['query', 'agent']])
    })

    test('that is optional and blank counts as left out', async () => {
      const service = await makeService()
      const query = { agent: '', env: '', limit: '', after: '', evidence: '' }
      expect((await ok(service.call('GET /v1/actions', { query }))).actions).toEqual([])
    })
  })

  describe('a body', () => {
    const writable = ROUTES.filter(route => /^(?:POST|PUT) [^{]*$/.test(route) && route !== 'POST /v1/events')

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
  return Array.from({ length: count }, () => item).join(',')
}

function manyFields(count: number): string {
  return Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')
}

const VARYING = new Set(['content-length', 'transfer-encoding', 'connection', 'date', 'x-request-id'])

/** Every path without parameters, and what its Allow header has to list. */
function pathsWithMethods(): [path: `/${string}`, allowed: string[]][] {
  const methods = new Map<`/${string}`, Set<string>>()
  for (const route of ROUTES) {
    const [method, template] = route.split(' ') as [string, string]
    const path = template.replaceAll(/\{\w+\}/g, 'some') as `/${string}`
    const allowed = methods.get(path) ?? new Set<string>()
    allowed.add(method)
    if (method === 'GET') allowed.add('HEAD')
    methods.set(path, allowed)
  }
  return [...methods].map(([path, allowed]) => [path, [...allowed].toSorted()])
}
