import { describe, expect, test } from 'vitest'
import { type RouteName, routes } from '../../../../handlers/index.ts'
import { PRICES, eventOf, importPrices, register } from '../../../support/services/builders.ts'
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

/** Paths, methods and parameters, whatever the endpoint. */
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

    // A stream has no end to wait for.
    test.each(ROUTES.filter(route => /^GET (?!\/v1\/stream)[^{]*$/.test(route)))(
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
          id: 'a',
          provider: 'acme',
          model: 'm1',
          ...(route === 'GET /v1/audit/consistency' ? { from: 1 } : {}),
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

    test.each([
      ['GET /v1/actions?agent=a&agent=b', 'agent'],
      ['GET /v1/actions?environment=a&environment=b', 'environment'],
      ['GET /v1/actions?environment=a&env=b', 'environment'],
    ] as const)('that is given twice is refused, by its other name too: %s', async (route, name) => {
      const service = await makeService()
      expect(await unprocessableAt(service.call(route))).toEqual([['query', name]])
    })

    test.each(
      ROUTES.filter(route =>
        /^(?:POST|PUT|PATCH|DELETE) (?!.*(?:events|traces|scores|diff|test|preview|explain|ofrep|sessions?$))/.test(
          route,
        ),
      ),
    )('that %s does not have is refused, and nothing is done', async route => {
      const service = await makeService()
      const path = route.replaceAll(/\{\w+\}/g, 'some') as RouteName
      const body = route.startsWith('DELETE') ? {} : { body: {} }
      const answer = await service.call(path, { query: { dry_run: 'true' }, ...body })
      expect(answer.status).toBe(422)
      expect(answer.text).toContain('is not a parameter of this request')
    })

    test('that is a field of the body is said to belong there', async () => {
      const service = await makeService()
      const answer = service.call('POST /v1/promote', { query: { dry_run: 'true' }, body: {} })
      expect((await answer).text).toContain('is not a parameter of this request; put it into the body')
    })

    test('that is optional and blank counts as left out', async () => {
      const service = await makeService()
      const query = { agent: '', env: '', limit: '', after: '', evidence: '' }
      expect((await ok(service.call('GET /v1/actions', { query }))).actions).toEqual([])
    })
  })
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
