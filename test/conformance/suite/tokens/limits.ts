import { describe, expect, test } from 'vitest'
import type { Peer } from '../../../../src/http/access.ts'
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
      await refusal(ask('10.0.0.5'), 429)
    })

    test('hold for an address without a credential, also where it guesses tokens', async () => {
      const service = await makeService({ workspace: { limits: LIMITS } })
      await grant(service, 'ci', { role: 'read' })
      const guess = () => bearing(service, 'guess').call('GET /v1/releases', { peer: FAR })
      await refusal(guess(), 401)
      await refusal(guess(), 401)
      await refusal(guess(), 429)
      await refusal(service.call('GET /docs', { peer: FAR }), 429)
      for (let call = 0; call < 5; call++) await ok(service.call('GET /health', { peer: FAR }))
    })

    test('do not hold for this machine, but for whom a proxy on it asks', async () => {
      const service = await makeService({ workspace: { limits: LIMITS } })
      const ask = (headers: Record<string, string> = {}) => service.call('GET /v1/releases', { headers })
      for (let call = 0; call < 5; call++) await ok(ask())
      const proxied = { 'x-forwarded-for': '203.0.113.9' }
      for (let call = 0; call < 2; call++) await ok(ask(proxied))
      await refusal(ask(proxied), 429)
      // What a client writes itself stands before what the proxy adds.
      await refusal(ask({ 'x-forwarded-for': '198.51.100.1, 203.0.113.9' }), 429)
      await ok(ask({ 'x-forwarded-for': '203.0.113.10' }))
    })

    test('take one network of IPv6 for one address', async () => {
      const service = await makeService({ workspace: { limits: LIMITS } })
      const ask = (address: string) => service.call('GET /v1/releases', { peer: { kind: 'socket', address } })
      await ok(ask('2001:db8:1:2::1'))
      await ok(ask('2001:db8:1:2:ffff::9'))
      await refusal(ask('2001:db8:1:2::3'), 429)
      await ok(ask('2001:db8:1:3::1'))
    })
  })
}
