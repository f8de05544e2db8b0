import { describe, expect, test } from 'vitest'
import type { Peer } from '../../../../src/http/access/access.ts'
import { bearing, grant } from '../../../support/services/credentials.ts'
import { ok, refusal } from '../../../support/services/requests.ts'
import type { MakeService } from '../../../support/services/service.ts'

const FAR: Peer = { kind: 'socket', address: '10.0.0.5' }
const LIMITS = { per_credential: '3/m', per_address: '2/m' }

/** How often callers may ask. */
export function limitsContract(makeService: MakeService): void {
  describe('limits', () => {
    test('hold for a credential, wherever it comes from, and end', async () => {
      const service = await makeService({ workspace: { limits: LIMITS } })
      const caller = bearing(service, await grant(service, 'ci', { role: 'read' }))
      const other = bearing(service, await grant(service, 'other', { role: 'read' }))
      const ask = (address: string) => caller.call('GET /v1/releases', { peer: { kind: 'socket', address } })
      for (const address of ['10.0.0.5', '10.0.0.6', '10.0.0.7']) await ok(ask(address))
      const refused = await ask('10.0.0.8')
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '20'])
      await ok(other.call('GET /v1/releases', { peer: FAR }))
      service.clock.now += 20_000
      await ok(ask('10.0.0.5'))
      expect(await refusal(ask('10.0.0.5'), 429)).toMatch(/3\/m/)
    })

    test('hold for an address without a credential, also where it guesses tokens', async () => {
      const service = await makeService({ workspace: { limits: LIMITS } })
      await grant(service, 'ci', { role: 'read' })
      const guess = () => bearing(service, 'guess').call('GET /v1/releases', { peer: FAR })
      await refusal(guess(), 401)
      await refusal(guess(), 401)
      expect(await refusal(guess(), 429)).toMatch(/2\/m/)
      await refusal(service.call('GET /docs', { peer: FAR }), 429)
      for (let call = 0; call < 5; call++) await ok(service.call('GET /health', { peer: FAR }))
    })

    test('hold for what no endpoint answers: pages, paths and methods that there are none of', async () => {
      const service = await makeService({ workspace: { limits: { per_address: '3/m' } } })
      const routes = ['GET /', 'GET /nothing', 'DELETE /v1/releases', 'GET /%'] as const
      for (const [index, route] of routes.entries()) {
        const peer: Peer = { kind: 'socket', address: `10.0.1.${index}` }
        const statuses: number[] = []
        for (let call = 0; call < 4; call++) statuses.push((await service.call(route, { peer })).status)
        expect([route, statuses[3]]).toEqual([route, 429])
        expect(statuses.slice(0, 3)).not.toContain(429)
      }
    })

    test('go by the header alone that the workspace names, whatever else a client writes', async () => {
      const limits = { per_address: '2/m', client_header: 'X-Real-IP' }
      const service = await makeService({ workspace: { limits } })
      const ask = (headers: Record<string, string>) => service.call('GET /v1/releases', { headers })
      const statuses: number[] = []
      for (const own of ['198.51.100.1', '198.51.100.2', '198.51.100.3']) {
        const { status } = await ask({
          'x-real-ip': '203.0.113.9',
          'x-forwarded-for': own,
          forwarded: `for=${own}`,
        })
        statuses.push(status)
      }
      expect(statuses).toEqual([200, 200, 429])
      await ok(ask({ 'x-real-ip': '203.0.113.10' }))
    })

    test('hold behind a proxy of a header of its own, which opens no changes either', async () => {
      const limits = { per_address: '2/m', client_header: 'X-Our-Client' }
      const service = await makeService({ workspace: { limits } })
      const headers = { 'x-our-client': '203.0.113.9' }
      expect(await refusal(service.call('POST /v1/rollups/rebuild', { headers, body: {} }), 403)).toMatch(
        /not allowed through a proxy/,
      )
      await ok(service.call('GET /v1/releases', { headers }))
      await refusal(service.call('GET /v1/releases', { headers }), 429)
    })

    test('do not hold for this machine, but for whom a proxy on it asks', async () => {
      const service = await makeService({ workspace: { limits: LIMITS } })
      const ask = (headers: Record<string, string> = {}) => service.call('GET /v1/releases', { headers })
      for (let call = 0; call < 5; call++) await ok(ask())
      const proxied = { 'x-forwarded-for': '203.0.113.9' }
      for (let call = 0; call < 2; call++) await ok(ask(proxied))
      expect(await refusal(ask(proxied), 429)).toMatch(/try again/)
      // The client's own value comes before the one that the proxy adds.
      await refusal(ask({ 'x-forwarded-for': '198.51.100.1, 203.0.113.9' }), 429)
      await ok(ask({ 'x-forwarded-for': '203.0.113.10' }))
    })

    test('take one network of IPv6 for one address', async () => {
      const service = await makeService({ workspace: { limits: LIMITS } })
      const ask = (address: string) => service.call('GET /v1/releases', { peer: { kind: 'socket', address } })
      await ok(ask('2001:db8:1:2::1'))
      await ok(ask('2001:db8:1:2:ffff::9'))
      expect(await refusal(ask('2001:db8:1:2::3'), 429)).toMatch(/try again/)
      await ok(ask('2001:db8:1:3::1'))
    })
  })
}
