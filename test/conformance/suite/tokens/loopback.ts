import { describe, expect, test } from 'vitest'
import type { Peer } from '../../../../src/http/access/access.ts'
import { bearing } from '../../../support/services/credentials.ts'
import { ok, refusal } from '../../../support/services/requests.ts'
import type { MakeService } from '../../../support/services/service.ts'

const NEAR: Peer = { kind: 'socket', address: '127.0.0.1', port: 8765 }

/** Reads without a token on a loopback socket, and whether a strict workspace answers them. */
const READS: readonly (readonly [why: string, headers: Record<string, string>, answered: boolean])[] = [
  ['its own name', { host: 'localhost:8765' }, true],
  ['its address', { host: '127.0.0.1:8765' }, true],
  ['IPv6', { host: '[::1]:8765' }, true],
  ['a page that rebinds its name', { host: 'evil.example:8765' }, false],
  ['such a page that plays a proxy', { host: 'evil.example:8765', 'x-forwarded-for': '203.0.113.9' }, false],
  ['such a page through a tunnel', { host: 'evil.example:9000', forwarded: 'for=203.0.113.9' }, false],
  ['a proxy', { host: 'gate.example.com', 'x-forwarded-for': '203.0.113.9' }, true],
  ['a proxy that says its scheme', { host: 'gate.example.com', 'x-forwarded-proto': 'https' }, true],
  ['a proxy that says nothing', { host: 'gate.example.com' }, false],
  ['a name that is allowed', { host: 'allowed.example.com' }, true],
  ['a name that is allowed, on any port', { host: 'ALLOWED.example.com:8443' }, true],
  ['a name that ends like one', { host: 'not-allowed.example.com' }, false],
]

/** What proxies add. */
const PROXIES: readonly Record<string, string>[] = [
  { forwarded: 'host=evil;proto=https' },
  { via: '1.1 proxy' },
  { 'x-forwarded-proto': 'https' },
  { 'x-forwarded-server': 'proxy' },
  { 'x-forwarded-port': '443' },
  { 'x-envoy-external-address': '203.0.113.9' },
  { 'x-azure-clientip': '203.0.113.9' },
  { 'cf-ray': 'x' },
  { 'x-forwarded-client-cert': 'Hash=00' },
  { 'x-forwarded-whatever': 'comes next' },
  { 'x-envoy-decorator-operation': 'x' },
  { 'x-original-remote-addr': '203.0.113.9' },
  { 'client-ip': '203.0.113.9' },
  { 'x-originating-ip': '203.0.113.9' },
  { 'x-sucuri-clientip': '203.0.113.9' },
  { 'incap-client-ip': '203.0.113.9' },
  { 'ali-cdn-real-ip': '203.0.113.9' },
  { 'x-host': 'gate.example.com' },
]

/** What a page in the operator's browser, and a proxy on the machine, may do without a token. */
export function loopbackContract(makeService: MakeService): void {
  describe('without a token, on a loopback socket', () => {
    test.each(READS)('a strict workspace reads by %s', async (_why, headers, answered) => {
      const workspace = { strict: true, allowed_hosts: ['allowed.example.com'] }
      const service = await makeService({ workspace })
      const answer = service.call('GET /v1/releases', { headers, peer: NEAR })
      if (answered) await ok(answer)
      else expect(await refusal(answer, 403)).toMatch(/allowed_hosts/)
      for (const open of ['GET /health', 'GET /openapi.json'] as const) {
        await ok(service.call(open, { headers, peer: NEAR }))
      }
    })

    test.each(READS)(
      'another workspace reads by %s, and notes what is odd once',
      async (_why, headers, answered) => {
        const service = await makeService({ workspace: { allowed_hosts: ['allowed.example.com'] } })
        await ok(service.call('GET /v1/releases', { headers, peer: NEAR }))
        const warned = service.logged.filter(({ level }) => level === 'warn')
        expect(warned.length).toBe(answered ? 0 : 1)
      },
    )

    test.each([80, undefined])('a page that plays a proxy is none where the port is %s', async port => {
      const service = await makeService({ workspace: { strict: true } })
      const headers = { host: 'evil.example', 'x-forwarded-for': '203.0.113.9' }
      const peer: Peer = { kind: 'socket', address: '127.0.0.1', port }
      expect(await refusal(service.call('GET /v1/releases', { headers, peer }), 403)).toMatch(/allowed_hosts/)
    })

    test('a token is enough under any name', async () => {
      const service = await makeService({ workspace: { strict: true }, tokens: { main: 'main-token' } })
      const headers = { host: 'evil.example:8765' }
      const answer = bearing(service, 'main-token').call('GET /v1/releases', { headers, peer: NEAR })
      expect((await answer).status).toBe(200)
    })

    test.each(PROXIES)('a change by way of a proxy that sends %j is refused', async headers => {
      const service = await makeService()
      const answer = service.call('POST /v1/events', { body: { events: [] }, headers, peer: NEAR })
      expect(await refusal(answer, 403)).toMatch(/through a proxy/)
    })

    test('the name of a user that a proxy adds is no refusal: the specification has it', async () => {
      const service = await makeService()
      const headers = { 'x-forwarded-user': 'ann' }
      const { status } = await service.call('POST /v1/events', { body: { events: [] }, headers, peer: NEAR })
      expect(status).toBe(422)
    })
  })
}
