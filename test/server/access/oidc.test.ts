import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  type TestIssuer,
  confused,
  encoded,
  partOf,
  testIssuer,
  unsigned,
} from '../../support/access/issuer.ts'
import { importPrices, register } from '../../support/services/builders.ts'
import { bearing, operating } from '../../support/services/credentials.ts'
import { decision, ok, refusal } from '../../support/services/requests.ts'
import { NOON, type TestService, testService } from '../../support/services/service.ts'

const SUB = 'repo:acme/bot:ref:refs/heads/main'

async function trusting(
  more: Record<string, unknown> = {},
): Promise<{ issuer: TestIssuer; service: TestService }> {
  const clock = { now: NOON }
  const issuer = await testIssuer(() => clock.now)
  const service = await testService({
    workspace: {
      ...more,
      auth: {
        oidc: [
          {
            issuer: issuer.url,
            audience: 'releases',
            roles: [
              { role: 'write', claims: { repository: 'acme/bot', ref: 'refs/heads/main' }, agents: ['bot'] },
              { role: 'read', claims: { repository: 'acme/*' } },
            ],
          },
        ],
      },
    },
  })
  return { issuer, service }
}

const MAIN = { repository: 'acme/bot', ref: 'refs/heads/main' }

describe('a token of an identity provider', () => {
  test('promotes without a stored secret, and its subject is the actor', async () => {
    const { issuer, service } = await trusting()
    await importPrices(operating(service))
    const release_id = await register(operating(service))
    const caller = bearing(service, issuer.token(MAIN))
    const { action_id } = await ok(
      caller.call('POST /v1/promote', { body: decision(release_id, { actor: 'ann' }) }),
    )
    expect(await ok(caller.call(`GET /v1/actions/${action_id}`))).toMatchObject({
      actor: SUB,
      actor_source: 'oidc',
      claimed_actor: 'ann',
    })
    expect(await ok(service.call('GET /health'))).toMatchObject({ mutation_auth: 'bearer' })
    await refusal(service.call('GET /v1/releases'), 401)
    expect(issuer.requests).toEqual({ keys: 1, configuration: 1 })
  })

  test('is good for what its claims say', async () => {
    const { issuer, service } = await trusting()
    const body = decision('rel_a')
    const reader = bearing(service, issuer.token({ repository: 'acme/other' }))
    await ok(reader.call('GET /v1/releases'))
    await refusal(reader.call('POST /v1/promote', { body }), 403)
    const branch = bearing(service, issuer.token({ ...MAIN, ref: 'refs/heads/x' }))
    await refusal(branch.call('POST /v1/promote', { body }), 403)
    const stranger = bearing(service, issuer.token({ repository: 'evil/bot' }))
    expect(await refusal(stranger.call('GET /v1/releases'), 403)).toMatch(/No role is set/)
    const other = await register(operating(service), { agent: 'b' })
    const caller = bearing(service, issuer.token(MAIN))
    expect(await refusal(caller.call('POST /v1/promote', { body: decision(other) }), 400)).toMatch(
      /Unknown release/,
    )
  })

  const seconds = NOON / 1000
  const WRONG: readonly [why: string, token: (issuer: TestIssuer) => string, says: RegExp][] = [
    ['for another audience', issuer => issuer.token({ ...MAIN, aud: 'elsewhere' }), /aud/],
    ['for no audience', issuer => issuer.token({ ...MAIN, aud: undefined }), /aud/],
    ['of another issuer', issuer => issuer.token({ ...MAIN, iss: 'https://evil.example' }), /not valid/],
    ['of no issuer', issuer => issuer.token({ ...MAIN, iss: undefined }), /not valid/],
    ['that has expired', issuer => issuer.token({ ...MAIN, exp: seconds - 31 }), /exp/],
    ['that never expires', issuer => issuer.token({ ...MAIN, exp: undefined }), /exp/],
    ['that is not valid yet', issuer => issuer.token({ ...MAIN, nbf: seconds + 31 }), /nbf/],
    ['of nobody', issuer => issuer.token({ ...MAIN, sub: undefined }), /sub/],
    ['of a disguised name', issuer => issuer.token({ ...MAIN, sub: 'a\u202eb' }), /sub/],
    ['of a name with half a surrogate pair', issuer => issuer.token({ ...MAIN, sub: 'a\ud83d' }), /sub/],
    ['of a name with a NUL', issuer => issuer.token({ ...MAIN, sub: 'a\0' }), /sub/],
    ['with no signature', issuer => unsigned(partOf(issuer.token(MAIN), 1)), /not valid/],
    [
      'with an empty signature',
      issuer => `${issuer.token(MAIN).split('.').slice(0, 2).join('.')}.`,
      /not valid/,
    ],
    ['signed with the public key', issuer => confusedBy(issuer, issuer.publicPem()), /not valid/],
    ['with another key', issuer => issuer.token(MAIN, { kid: 'unknown' }), /key/],
    ['with claims put into it', issuer => withPayload(issuer.token(MAIN), { sub: 'boss' }), /signature/],
    ['with a critical header', issuer => issuer.token(MAIN, { crit: ['x'], x: 1 }), /not valid/],
  ]

  test.each(WRONG)('%s opens nothing', async (_why, tokenBy, says) => {
    const { issuer, service } = await trusting()
    expect(await refusal(bearing(service, tokenBy(issuer)).call('GET /v1/releases'), 401)).toMatch(says)
  })

  test('is refused while the clock that would end it is wrong', async () => {
    const { issuer, service } = await trusting()
    const caller = bearing(service, issuer.token({ ...MAIN, exp: seconds + 3600 }))
    await ok(caller.call('GET /v1/releases'))
    // Later than what was read of the database's clock is believed for.
    service.clock.now += 10_000
    service.clock.ahead = 11 * 60_000
    expect(await refusal(caller.call('GET /v1/releases'), 503)).toMatch(/the clock is wrong: the server's/)
  })

  test('is taken within half a minute of its time: clocks differ', async () => {
    const { issuer, service } = await trusting()
    for (const claims of [{ exp: seconds - 29 }, { nbf: seconds + 29 }]) {
      const caller = bearing(service, issuer.token({ ...MAIN, ...claims }))
      expect((await caller.call('GET /v1/releases')).status).toBe(200)
    }
  })

  test('that is refused counts for its address as none does', async () => {
    const { issuer, service } = await trusting({ limits: { per_address: '2/m' } })
    const peer = { kind: 'socket', address: '198.51.100.7' } as const
    const expired = bearing(service, issuer.token({ ...MAIN, exp: seconds - 60 }))
    const statuses: number[] = []
    for (let call = 0; call < 3; call++) {
      statuses.push((await expired.call('GET /v1/releases', { peer })).status)
    }
    expect(statuses).toEqual([401, 401, 429])
  })

  test('that can not be verified now counts for its address, too', async () => {
    const { issuer, service } = await trusting({ limits: { per_address: '2/m' } })
    issuer.state = 'down'
    const peer = { kind: 'socket', address: '198.51.100.7' } as const
    const statuses: number[] = []
    for (let call = 0; call < 3; call++) {
      statuses.push((await bearing(service, issuer.token(MAIN)).call('GET /v1/releases', { peer })).status)
    }
    expect(statuses).toEqual([503, 503, 429])
  })

  test('opens nothing however it is changed', async () => {
    const { issuer, service } = await trusting()
    const token = issuer.token(MAIN)
    const bits = fc.tuple(fc.nat(token.length - 1), fc.constantFrom(...'ABCabc019_-.'))
    await fc.assert(
      fc.asyncProperty(fc.oneof(bits, fc.json(), fc.object()), async given => {
        const changed = changedBy(token, given)
        fc.pre(!sameBytes(changed, token))
        expect((await bearing(service, changed).call('GET /v1/releases')).status).toBe(401)
      }),
      { numRuns: 400 },
    )
    expect(issuer.requests.keys).toBeLessThan(3)
  })
})

describe('the keys of an issuer', () => {
  test('may change: a new one is found, and the old one is of no use after that', async () => {
    const { issuer, service } = await trusting()
    const old = issuer.token(MAIN)
    await ok(bearing(service, old).call('GET /v1/releases'))
    const before = issuer.requests.keys
    issuer.rotate()
    await expect
      .poll(async () => (await bearing(service, issuer.token(MAIN)).call('GET /v1/releases')).status, {
        timeout: 15_000,
      })
      .toBe(200)
    expect(issuer.requests.keys).toBe(before + 1)
    expect((await bearing(service, old).call('GET /v1/releases')).status).toBe(401)
  }, 30_000)

  // Anybody can write these, and none of them says anything of the issuer.
  const JUNK: readonly [what: string, header: Record<string, unknown>][] = [
    ['names no key, of which there are two', { kid: undefined }],
    ['names no key, and is of another kind', { kid: undefined, alg: 'ES256' }],
    ['names a key of another kind', { alg: 'EdDSA' }],
    ['names a key by a number', { kid: 1 }],
    ['names an algorithm that there is none of', { kid: undefined, alg: 'XX256' }],
    ['names no algorithm', { kid: undefined, alg: undefined }],
    ['has a critical header', { kid: undefined, crit: ['x'], x: 1 }],
  ]

  test.each(JUNK)('are not doubted because somebody sends a token that %s', async (_what, header) => {
    const { issuer, service } = await trusting()
    issuer.rotate({ keepsOld: true })
    await refusal(bearing(service, issuer.token(MAIN, header)).call('GET /v1/releases'), 401)
    const { keys } = issuer.requests
    issuer.rotate({ keepsOld: true })
    // Past the time in which unknown keys are not fetched again, of which jose has a clock of its own.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11_000 })
    onTestFinished(() => void vi.useRealTimers())
    await refusal(bearing(service, issuer.token(MAIN, header)).call('GET /v1/releases'), 401)
    await ok(bearing(service, issuer.token(MAIN)).call('GET /v1/releases'))
    expect(issuer.requests.keys).toBeLessThanOrEqual(keys + 2)
  })

  test.each(['down', 'garbage', 'moved', 'huge'] as const)(
    'that are %s are no refusal of the token, and are asked for again',
    async state => {
      const { issuer, service } = await trusting()
      issuer.state = state
      const caller = bearing(service, issuer.token(MAIN))
      const refused = await caller.call('GET /v1/releases')
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10'])
      const { configuration } = issuer.requests
      for (let call = 0; call < 5; call++) await refusal(caller.call('GET /v1/releases'), 503)
      expect(issuer.requests.configuration).toBe(configuration)
      issuer.state = 'up'
      service.clock.now += 10_000
      await ok(caller.call('GET /v1/releases'))
      // Those that were had go on while the issuer is away.
      issuer.state = 'down'
      await ok(caller.call('GET /v1/releases'))
    },
  )

  test('that are known go on, though somebody asks for others while the issuer is down', async () => {
    const { issuer, service } = await trusting()
    const caller = bearing(service, issuer.token(MAIN))
    await ok(caller.call('GET /v1/releases'))
    issuer.state = 'down'
    // Past the time in which unknown keys are not fetched again, of which jose has a clock of its own.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11_000 })
    onTestFinished(() => void vi.useRealTimers())
    const { keys } = issuer.requests
    const other = bearing(service, issuer.token(MAIN, { kid: 'unknown' }))
    await refusal(other.call('GET /v1/releases'), 503)
    expect(issuer.requests.keys).toBe(keys + 1)
    await ok(caller.call('GET /v1/releases'))
    await refusal(other.call('GET /v1/releases'), 503)
    expect(issuer.requests.keys).toBe(keys + 1)
  })

  test('that never come are not waited for', async () => {
    const { issuer, service } = await trusting()
    issuer.state = 'silent'
    const startedAt = performance.now()
    await refusal(bearing(service, issuer.token(MAIN)).call('GET /v1/releases'), 503)
    expect(performance.now() - startedAt).toBeLessThan(9000)
  }, 20_000)

  test('of an issuer that nobody named are not fetched', async () => {
    const { issuer, service } = await trusting()
    const other = await testIssuer(() => NOON)
    await refusal(bearing(service, other.token(MAIN)).call('GET /v1/releases'), 401)
    await refusal(
      bearing(service, issuer.token(MAIN, { jku: `${other.url}/keys`, kid: 'x' })).call('GET /v1/releases'),
      401,
    )
    expect(other.requests).toEqual({ keys: 0, configuration: 0 })
  })
})

function confusedBy(issuer: TestIssuer, pem: string): string {
  const token = issuer.token(MAIN)
  return confused(partOf(token, 1), pem, String(partOf(token, 0).kid))
}

function withPayload(token: string, claims: object): string {
  const [header, , signature] = token.split('.')
  return `${header}.${encoded({ ...partOf(token, 1), ...claims })}.${signature}`
}

/** Another character somewhere, or other JSON for its claims or header. */
function changedBy(token: string, given: unknown): string {
  const [header, payload, signature] = token.split('.') as [string, string, string]
  if (typeof given === 'string') return `${header}.${Buffer.from(given).toString('base64url')}.${signature}`
  if (!Array.isArray(given)) return `${encoded(given as object)}.${payload}.${signature}`
  const [index, char] = given as [number, string]
  return token.slice(0, index) + char + token.slice(index + 1)
}

/** The last character of base64url may differ in bits that encode nothing. */
function sameBytes(a: string, b: string): boolean {
  const bytes = (text: string): string =>
    text
      .split('.')
      .map(part => Buffer.from(part, 'base64url').toString('hex'))
      .join('.')
  return bytes(a) === bytes(b)
}
