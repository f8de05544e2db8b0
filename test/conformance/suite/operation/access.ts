import type { Answer } from '../../../support/services/call.ts'
import { describe, expect, test } from 'vitest'
import { type RouteName, routes } from '../../../../handlers/index.ts'
import type { Peer } from '../../../../src/http/access/access.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'

type Gate = 'open' | 'read' | 'ingest' | 'write'
const ROUTES = Object.keys(routes) as RouteName[]
const TOKENS = { main: 'main-token', previous: 'old-token', ingest: 'ingest-token', read: 'read-token' }

/** The specification's table (Authentication); what it doesn't list is decided by DESIGN, section 8. */
function gateOf(route: string): Gate {
  if (OPEN.has(route) || route.startsWith('GET /v1/sign-in/')) return 'open'
  if (/^GET \/v1\/(?:webhook|tokens)/.test(route)) return 'write'
  if (route.startsWith('GET /') || READING_POSTS.has(route)) return 'read'
  return INGESTING.has(route) ? 'ingest' : 'write'
}

/** Sessions are opened by what the request holds, and ended by whoever has one. */
const OPEN = new Set([
  'GET /health',
  'GET /ready',
  'GET /docs',
  'GET /openapi.json',
  'POST /v1/diff',
  'GET /v1/session',
  'DELETE /v1/session',
  'POST /v1/sessions',
])

const INGESTING = new Set(['POST /v1/events', 'POST /v1/traces', 'POST /v1/scores', 'POST /v1/scores/cases'])

const READING_POSTS = new Set([
  // Of one's own.
  'DELETE /v1/sessions/{session_id}',
  'POST /v1/diff/groups',
  'POST /v1/scores/diff',
  'POST /v1/policy/test',
  'POST /v1/actions/{action_id}/explain',
  'POST /v1/gate/{agent_id}/{environment}',
  'POST /ofrep/v1/evaluate/flags',
  'POST /ofrep/v1/evaluate/flags/{key}',
])

const LOOPBACK = ['127.0.0.1', '::1', '::ffff:127.0.0.1', 'localhost']
const FOREIGN = [
  '10.0.0.5',
  '192.168.0.1',
  '::ffff:10.0.0.5',
  'fe80::1',
  '2001:db8::1',
  '128.0.0.1',
  '',
  undefined,
]

const basic = (credentials: string): string => `Basic ${btoa(credentials)}`

/** The Authorization header by name, and the gates that it opens where all four tokens are set. */
const PRESENTED: Record<string, { header: string | undefined; opens: readonly Gate[] }> = {
  'no header': { header: undefined, opens: [] },
  'an empty header': { header: '', opens: [] },
  'an empty token': { header: 'Bearer ', opens: [] },
  'the main token': { header: `Bearer ${TOKENS.main}`, opens: ['read', 'ingest', 'write'] },
  'the previous token': { header: `Bearer ${TOKENS.previous}`, opens: ['read', 'ingest', 'write'] },
  'the ingest token': { header: `Bearer ${TOKENS.ingest}`, opens: ['ingest'] },
  'the read token': { header: `Bearer ${TOKENS.read}`, opens: ['read'] },
  'another scheme': { header: `Basic ${TOKENS.main}`, opens: [] },
  'the read token as a password': { header: basic(`gate:${TOKENS.read}`), opens: ['read'] },
  'the read token as a password of nobody': { header: basic(`:${TOKENS.read}`), opens: ['read'] },
  'the main token as a password, which reads only': { header: basic(`x:${TOKENS.main}`), opens: ['read'] },
  'the ingest token as a password': { header: basic(`x:${TOKENS.ingest}`), opens: [] },
  'the read token as a user': { header: basic(`${TOKENS.read}:`), opens: [] },
  'a wrong password': { header: basic(`${TOKENS.read}:wrong`), opens: [] },
  'a password that is no base64': { header: 'Basic %%%', opens: [] },
  'the token alone': { header: TOKENS.main, opens: [] },
  'a wrong token': { header: 'Bearer wrong-token', opens: [] },
  'a prefix of the token': { header: `Bearer ${TOKENS.main.slice(0, -1)}`, opens: [] },
  'the token and more': { header: `Bearer ${TOKENS.main}x`, opens: [] },
  'the token in capitals': { header: `Bearer ${TOKENS.main.toUpperCase()}`, opens: [] },
  'two tokens': { header: `Bearer ${TOKENS.main} ${TOKENS.main}`, opens: [] },
}

/** Headers that a request to a loopback service may carry, and whether writes stay allowed. */
const FROM_LOOPBACK: Record<string, { headers: Record<string, string>; allowed: boolean }> = {
  'a Host of localhost': { headers: { host: 'localhost:8765' }, allowed: true },
  'a Host of 127.0.0.1': { headers: { host: '127.0.0.1:8765' }, allowed: true },
  'a Host of ::1': { headers: { host: '[::1]:8765' }, allowed: true },
  'a foreign Host': { headers: { host: 'evil.example' }, allowed: false },
  'a foreign Host with a port': { headers: { host: 'evil.example:8765' }, allowed: false },
  'a Host that starts like localhost': { headers: { host: 'localhost.evil.example' }, allowed: false },
  'a Host that is another address': { headers: { host: '10.0.0.5:8765' }, allowed: false },
  'its own Origin': { headers: { origin: 'http://localhost:8765' }, allowed: true },
  'a foreign Origin': { headers: { origin: 'https://evil.example' }, allowed: false },
  'an Origin on another port': { headers: { origin: 'http://localhost:3000' }, allowed: false },
  'the Origin null': { headers: { origin: 'null' }, allowed: false },
  'a cross-site fetch in capitals': { headers: { 'sec-fetch-site': 'Cross-Site' }, allowed: false },
  'the name of another host, from a proxy': {
    headers: { 'x-forwarded-host': 'gate.example.com' },
    allowed: false,
  },
  'a foreign client of a cluster': { headers: { 'x-cluster-client-ip': '203.0.113.9' }, allowed: false },
  'a cross-site fetch': { headers: { 'sec-fetch-site': 'cross-site' }, allowed: false },
  'a same-site fetch': { headers: { 'sec-fetch-site': 'same-site' }, allowed: false },
  'a same-origin fetch': { headers: { 'sec-fetch-site': 'same-origin' }, allowed: true },
  'an address typed by the user': { headers: { 'sec-fetch-site': 'none' }, allowed: true },
  'a proxy for a foreign client': { headers: { 'x-forwarded-for': '203.0.113.9' }, allowed: false },
  'a chain with a foreign client': {
    headers: { 'x-forwarded-for': '127.0.0.1, 203.0.113.9' },
    allowed: false,
  },
  'a chain that begins foreign': { headers: { 'x-forwarded-for': '203.0.113.9, 127.0.0.1' }, allowed: false },
  'a proxy for a loopback client': { headers: { 'x-forwarded-for': '127.0.0.1, ::1' }, allowed: true },
  'a proxy that hides its client': { headers: { 'x-forwarded-for': 'unknown' }, allowed: false },
  'Forwarded for a foreign client': { headers: { forwarded: 'for=203.0.113.9;proto=https' }, allowed: false },
  'Forwarded for a quoted client': {
    headers: { forwarded: 'proto=http; For="[2001:db8::1]:4711"' },
    allowed: false,
  },
  'Forwarded for loopback': { headers: { forwarded: 'for="[::1]:4711", for=127.0.0.1' }, allowed: true },
  'X-Real-IP of a foreign client': { headers: { 'x-real-ip': '203.0.113.9' }, allowed: false },
  'a token that is not asked for': { headers: { authorization: 'Bearer whatever' }, allowed: true },
}

/** Who may call what (specification, Authentication; DESIGN, section 6). */
export function accessContract(makeService: MakeService): void {
  carriedAccessContract(makeService)
  everyRoute(makeService)
}

const ONE_OF_EACH: readonly RouteName[] = [
  'GET /health',
  'POST /v1/diff',
  'GET /v1/releases',
  'POST /v1/gate/{agent_id}/{environment}',
  'POST /v1/events',
  'POST /v1/promote',
  'GET /v1/webhooks',
  'POST /v1/tokens',
]

/** What each route has to say, by its gate. */
function expected(verdict: (gate: Gate) => Verdict, requests = ONE_OF_EACH): Record<string, Verdict> {
  return Object.fromEntries(requests.map(route => [route, verdict(gateOf(route))]))
}

/** What each route says. */
async function verdicts(
  service: TestService,
  peer: Peer,
  headers: Record<string, string> = {},
  requests = ONE_OF_EACH,
): Promise<Record<string, string>> {
  const said: Record<string, string> = {}
  for (const route of requests) said[route] = verdictOf(await callRoute(service, route, peer, headers))
  return said
}

const readOnly = (gate: Gate): Verdict => (gate === 'open' || gate === 'read' ? 'admitted' : 'forbidden')

/** What a credential opens from anywhere, where tokens are set. */
function openedBy({ opens }: { readonly opens: readonly Gate[] }): (gate: Gate) => Verdict {
  return gate => {
    if (gate === 'open' || opens.includes(gate)) return 'admitted'
    // A valid token that is for something else is not an invalid one.
    return opens.length === 0 ? 'unauthorized' : 'forbidden'
  }
}

/** That every route asks whom its gate admits. Who passes a gate is decided in one place, which the tables below ask. */
function everyRoute(makeService: MakeService): void {
  describe('every route', () => {
    test('has the gate of the specification', async () => {
      for (const route of ROUTES) {
        const { default: endpoint } = await routes[route]()
        // A route of an admin, or of a source of aggregates, is one that changes something, to callers without a name.
        const { access } = endpoint.spec
        const gate = access === 'admin' || access === 'aggregates' ? 'write' : access
        expect([route, gate]).toEqual([route, gateOf(route)])
      }
    })

    test('is open to loopback, and to others if it reads, where no token is set', async () => {
      const service = await makeService()
      const [near, far] = [
        await verdicts(service, NEAR, {}, ROUTES),
        await verdicts(service, FAR, {}, ROUTES),
      ]
      expect(near).toEqual(expected(() => 'admitted', ROUTES))
      expect(far).toEqual(expected(readOnly, ROUTES))
    })

    test.each(['no header', 'the main token', 'the ingest token', 'the read token', 'a wrong token'])(
      'asks for its token where there are any, and is given %s',
      async name => {
        const { header, opens } = PRESENTED[name]!
        const service = await makeService({ tokens: TOKENS })
        const headers = header === undefined ? {} : { authorization: header }
        const said = await verdicts(service, FAR, headers, ROUTES)
        expect(said).toEqual(expected(openedBy({ opens }), ROUTES))
      },
    )
  })
}

/** Who passes a gate, by a route of each kind. */
export function carriedAccessContract(makeService: MakeService): void {
  describe('without a token', () => {
    test.each(LOOPBACK)('%s may call everything', async address => {
      const service = await makeService()
      expect(await verdicts(service, { kind: 'socket', address })).toEqual(expected(() => 'admitted'))
    })

    test.each([
      ...FOREIGN.map(address => ({ kind: 'socket', address }) as const),
      { kind: 'unknown' } as const,
    ])('%j may read and diff, and nothing else', async peer => {
      const service = await makeService()
      expect(await verdicts(service, peer)).toEqual(expected(readOnly))
    })

    test.each(Object.entries(FROM_LOOPBACK))('a loopback client with %s', async (_name, given) => {
      const service = await makeService()
      const wanted = given.allowed ? () => 'admitted' as const : readOnly
      expect(await verdicts(service, NEAR, given.headers)).toEqual(expected(wanted))
    })

    test.each([{ 'x-forwarded-for': '127.0.0.1' }, { forwarded: 'for=127.0.0.1' }, { 'x-real-ip': '::1' }])(
      'a foreign client is not admitted by the header %j',
      async headers => {
        const service = await makeService()
        expect(await verdicts(service, FAR, headers as Record<string, string>)).toEqual(expected(readOnly))
      },
    )

    test.each([{ main: '' }, { main: ' ' }, { read: 'r', ingest: 'i', previous: 'p' }])(
      'which the tokens %j are not',
      async tokens => {
        const service = await makeService({ tokens })
        for (const token of Object.values(tokens)) {
          const headers = { authorization: `Bearer ${token}` }
          expect(await verdicts(service, FAR, headers)).toEqual(expected(readOnly))
          expect(await verdicts(service, NEAR)).toEqual(expected(() => 'admitted'))
        }
      },
    )

    test('a refusal names the variable to set', async () => {
      const service = await makeService()
      const { body } = await callRoute(service, 'POST /v1/promote', FAR)
      expect(body.detail).toContain('SERVICE_LOCAL_API_TOKEN')
    })

    test('a refused write has written nothing', async () => {
      const service = await makeService()
      const body = { table: { provider: 'p', pricing_version: 'v', entries: [] } }
      const refused = await service.call('POST /v1/pricing', { body, peer: { kind: 'unknown' } })
      expect(refused.status).toBe(403)
      expect((await service.call('GET /v1/pricing')).body).toEqual({ pricing: [] })
    })
  })

  describe('with tokens', () => {
    test.each([
      [TOKENS.main, 'The token is valid, but as the password of Basic it only reads'],
      [TOKENS.read, 'This token may not change anything.'],
    ])('a write with the password %s is refused for what is wrong with it', async (token, reason) => {
      const service = await makeService({ tokens: TOKENS })
      const { status, body } = await callRoute(service, 'POST /v1/promote', FAR, {
        authorization: basic(`x:${token}`),
      })
      expect(status).toBe(403)
      expect(body.detail).toContain(reason)
    })

    test.each(Object.entries(PRESENTED))('%s opens what it is for, from anywhere', async (_name, given) => {
      const service = await makeService({ tokens: TOKENS })
      const headers = given.header === undefined ? {} : { authorization: given.header }
      for (const peer of [NEAR, FAR, { kind: 'unknown' } as const]) {
        expect(await verdicts(service, peer, headers)).toEqual(expected(openedBy(given)))
      }
    })

    test.each(Object.entries(FROM_LOOPBACK))('the right one is enough beside %s', async (_name, given) => {
      const service = await makeService({ tokens: TOKENS })
      const headers = { ...given.headers, authorization: `Bearer ${TOKENS.main}` }
      expect(await verdicts(service, FAR, headers)).toEqual(expected(() => 'admitted'))
    })

    test('the scheme is read in any case, and blanks around the configured token do not count', async () => {
      const service = await makeService({ tokens: { main: `  ${TOKENS.main}\n` } })
      for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
        const headers = { authorization: `${scheme} ${TOKENS.main}` }
        expect(await verdicts(service, FAR, headers)).toEqual(expected(() => 'admitted'))
      }
    })

    test('tokens that are not set open nothing', async () => {
      const service = await makeService({ tokens: { main: TOKENS.main, previous: '', ingest: ' ' } })
      const closed = expected(gate => (gate === 'open' ? 'admitted' : 'unauthorized'))
      for (const token of ['', ' ', 'undefined', 'null', TOKENS.previous, TOKENS.ingest, TOKENS.read]) {
        expect(await verdicts(service, NEAR, { authorization: `Bearer ${token}` })).toEqual(closed)
      }
    })

    test('a filter of a diff takes read access only where the workspace says so', async () => {
      const named = await makeService({ tokens: TOKENS, workspace: { anonymous_diff: 'totals' } })
      const withToken = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
      const call = (service: TestService, filter: object, options: object = {}): Promise<Answer> =>
        service.call('POST /v1/diff', {
          body: { baseline_release_id: 'rel_a', candidate_release_id: 'rel_b', window: '1h', ...filter },
          ...options,
        })
      for (const filter of [{ tenant_id: 'acme' }, { task_id: 'billing' }, { tenant_id: '' }]) {
        for (const options of [{}, withToken(TOKENS.ingest), withToken('unknown')]) {
          const refused = await call(named, filter, options)
          expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
          expect(refused.body.detail).toContain('anonymous_diff: totals')
        }
        // Read access, or a workspace without the setting: the unknown release is what is wrong.
        for (const token of [TOKENS.read, TOKENS.main]) {
          expect((await call(named, filter, withToken(token))).status).toBe(400)
        }
      }
      expect((await call(named, { tenant_id: null })).status).toBe(400)
      expect((await call(await makeService({ tokens: TOKENS }), { tenant_id: 'acme' })).status).toBe(400)
      const local = await makeService({ workspace: { anonymous_diff: 'totals' } })
      expect((await call(local, { tenant_id: 'acme' })).status).toBe(400)
    })

    test.each([
      [{}, true],
      [{ anonymous_diff: 'open' }, false],
      [{ anonymous_diff: 'totals' }, false],
      [{ auth: 'named' }, false],
    ] as const)('doctor warns of an open diff beside named credentials: %j', async (workspace, warns) => {
      const service = await makeService({ workspace })
      const peer = { kind: 'cli', actor: 'a' } as const
      const warned = async (): Promise<boolean> =>
        (await service.call('GET /v1/doctor', { peer })).body.checks.some(
          ({ name, warning }: { name: string; warning?: boolean }) => name === 'anonymous_diff' && warning,
        )
      expect(await warned()).toBe(false)
      await service.call('POST /v1/tokens', { peer, body: { name: 'ci', role: 'read' } })
      expect(await warned()).toBe(warns)
    })

    test('HEAD is gated like GET', async () => {
      const service = await makeService({ tokens: TOKENS })
      expect((await service.call('HEAD /v1/releases')).status).toBe(401)
      expect((await service.call('HEAD /metrics')).status).toBe(401)
      expect((await service.call('HEAD /health')).status).toBe(200)
    })

    test('no answer repeats a token', async () => {
      const service = await makeService({ tokens: TOKENS })
      const headers = Object.values(PRESENTED).map(({ header = '' }) => ({ authorization: header }))
      for (const given of headers) {
        const answer = await callRoute(service, 'POST /v1/promote', NEAR, given)
        expect(answer.text + JSON.stringify([...answer.headers])).not.toMatch(/-token/i)
      }
      expect(JSON.stringify(service.logged)).not.toMatch(/-token/i)
    })
  })
}

type Verdict = 'admitted' | 'forbidden' | 'unauthorized'

const NEAR: Peer = { kind: 'socket', address: '127.0.0.1' }
const FAR: Peer = { kind: 'socket', address: '10.0.0.5' }

/** Calls a route with a body that gets no further than validation. */
function callRoute(
  service: TestService,
  route: RouteName,
  peer: Peer,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const path = route.replaceAll(/\{\w+\}/g, 'some') as RouteName
  return service.call(path, { peer, headers, ...(route.startsWith('GET ') ? {} : { body: { x: 1 } }) })
}

function verdictOf({ status, headers, body, text }: Answer): string {
  const isJsonError =
    headers.get('content-type') === 'application/json' &&
    typeof body.detail === 'string' &&
    body.detail !== ''
  const challenge = headers.get('www-authenticate')
  // 501 is from behind the gate: a service in process holds no streams.
  if ([200, 404, 409, 422, 501].includes(status) && challenge === null) return 'admitted'
  if (status === 403 && isJsonError && challenge === null) return 'forbidden'
  if (status === 401 && isJsonError && /^Bearer\b/.test(challenge ?? '')) return 'unauthorized'
  return `${status} ${challenge} ${text}`
}
