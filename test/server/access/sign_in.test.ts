import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type TestProvider, testProvider } from '../../support/access/provider.ts'
import {
  PUBLIC_URL,
  REDIRECT_URI,
  type Visitor,
  begin,
  comeBack,
  cookieHeader,
  signIn,
  signInAt,
  visitorOf,
} from '../../support/access/visitor.ts'
import { endOverdue } from '../../../src/features/identity/sessions.ts'
import { importPrices, register } from '../../support/services/builders.ts'
import type { Answer } from '../../support/services/call.ts'
import { grant, operating } from '../../support/services/credentials.ts'
import { decision, failedChecks, ok, refusal } from '../../support/services/requests.ts'
import { NOON, type TestService, sameLedger, testService } from '../../support/services/service.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const SESSION = '__Host-service-session'

interface Scene {
  readonly provider: TestProvider
  readonly service: TestService
  readonly visitor: Visitor
  /** Time goes on for everybody. */
  readonly pass: (ms: number) => void
}

async function scene(
  more: Parameters<typeof signInAt>[1] & { readonly secret?: string } = {},
): Promise<Scene> {
  const clock = { now: NOON }
  const { secret } = more
  const provider = await testProvider({
    redirectUris: [REDIRECT_URI],
    now: () => clock.now,
    ...(secret === undefined ? {} : { secret }),
  })
  const service = await testService({
    workspace: signInAt(provider, more),
    secret: name => (name === 'CLIENT_SECRET' ? secret : undefined),
  })
  const pass = (ms: number): void => void (service.clock.now = clock.now += ms)
  return { provider, service, visitor: visitorOf(service), pass }
}

/** The page that a failed sign-in ends with. */
async function problem(answer: Promise<Answer>, status: number): Promise<string> {
  const { status: given, headers, text } = await answer
  expect({ given, text }).toMatchObject({ given: status })
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(headers.getSetCookie()).toEqual([])
  return /<p>([^]*)<\/p>/.exec(text)![1]!.replaceAll('&#39;', "'")
}

async function kinds(service: TestService): Promise<[kind: string, actor: string, because: string][]> {
  const { entries } = await ok(operating(service).call('GET /v1/audit', { query: { limit: 50 } }))
  return entries
    .filter(({ kind }: { kind: string }) => kind.startsWith('session.'))
    .map(({ kind, actor, details }: any) => [kind, actor, details.because ?? details.kind ?? ''])
    .toReversed()
}

describe('signing in', () => {
  test('opens a session that the pages use, and comes back to the page that was asked for', async () => {
    const { provider, visitor, service } = await scene()
    await refusal(visitor.call('GET /v1/releases'), 401)
    const answer = await comeBack(visitor, provider.authorize(await begin(visitor, '?view=diff&a=1')))
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${PUBLIC_URL}/?view=diff&a=1`])
    await ok(visitor.call('GET /v1/releases'))
    expect(await ok(visitor.call('GET /v1/session'))).toMatchObject({
      caller: { name: 'Ann', source: 'oidc', allows: ['read', 'write'], agents: null },
      session: { kind: 'browser', subject: 'u-1', issuer: provider.url, state: 'open' },
      problem: null,
      sign_in: [{ name: 'sso', issuer: provider.url }],
    })
    expect(await kinds(service)).toEqual([
      ['session.key_made', 'service', ''],
      ['session.opened', 'Ann', 'browser'],
    ])
    expect(service.logged).toEqual([])
    expect(await failedChecks(operating(service), true)).toEqual([])
  })

  test('asks the provider with PKCE, a state and a nonce, which are others each time', async () => {
    const { visitor } = await scene({ login: { scopes: ['groups', 'openid'] } })
    const urls = [new URL(await begin(visitor)).searchParams, new URL(await begin(visitor)).searchParams]
    for (const parameters of urls) {
      expect(Object.fromEntries(parameters)).toMatchObject({
        client_id: 'pages',
        response_type: 'code',
        redirect_uri: REDIRECT_URI,
        scope: 'openid groups',
        code_challenge_method: 'S256',
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      })
    }
    for (const name of ['state', 'nonce', 'code_challenge']) {
      const [one, other] = urls.map(parameters => parameters.get(name)!)
      expect(one!.length).toBeGreaterThan(40)
      expect(one).not.toBe(other)
    }
  })

  test('sets cookies that no script, no other host and no other site gets', async () => {
    const { provider, visitor } = await scene()
    const out = await visitor.call('GET /v1/sign-in/sso')
    const [attempt] = out.headers.getSetCookie()
    expect(attempt).toMatch(
      /^__Host-service-sign-in-[\w-]+=[\w+/=]+\.[0-9a-f]{32}; Path=\/; Max-Age=600; SameSite=Lax; HttpOnly; Secure$/,
    )
    const back = await comeBack(visitor, provider.authorize(out.headers.get('location')!))
    const cookies = Object.fromEntries(back.headers.getSetCookie().map(set => [set.split('=')[0], set]))
    expect(cookies[SESSION]).toMatch(
      /=rgss_[0-9a-f]{88}; Path=\/; Max-Age=43200; SameSite=Strict; HttpOnly; Secure$/,
    )
    expect(cookies['__Host-service-session-id']).toMatch(/; Max-Age=43200; SameSite=Lax; HttpOnly; Secure$/)
    expect(cookies['__Host-service-csrf']).toMatch(
      /=[0-9a-f]{32}; Path=\/; Max-Age=43200; SameSite=Strict; Secure$/,
    )
    expect(cookies['__Secure-service-id-token']).toMatch(
      /; Path=\/v1\/session; Max-Age=43200; SameSite=Strict; HttpOnly; Secure$/,
    )
    expect([...visitor.cookies.keys()].filter(name => name.includes('sign-in'))).toEqual([])
  })

  test('by a client with a secret sends it, and says which variable lacks it', async () => {
    const { provider, visitor } = await scene({
      secret: 's%:',
      login: { client_secret_ref: 'CLIENT_SECRET' },
    })
    provider.configuration = { token_endpoint_auth_methods_supported: ['client_secret_post'] }
    expect(await problem(comeBack(visitor, provider.authorize(await begin(visitor))), 503)).toMatch(
      /invalid_client; check client_id and client_secret_ref/,
    )
    const other = await scene({ login: { client_secret_ref: 'CLIENT_SECRET' } })
    expect(
      await problem(comeBack(other.visitor, other.provider.authorize(await begin(other.visitor))), 503),
    ).toMatch(/CLIENT_SECRET, which client_secret_ref names, is not set/)
    const third = await scene({ secret: 'geheim', login: { client_secret_ref: 'CLIENT_SECRET' } })
    await signIn(third.visitor, third.provider)
  })

  test('in two tabs at once ends in one session, and leaves no cookies behind', async () => {
    const { provider, visitor, service } = await scene()
    const [one, two] = [await begin(visitor, '?view=runs'), await begin(visitor)]
    expect((await comeBack(visitor, provider.authorize(two))).status).toBe(303)
    expect((await comeBack(visitor, provider.authorize(one))).headers.get('location')).toBe(
      `${PUBLIC_URL}/?view=runs`,
    )
    await ok(visitor.call('GET /v1/releases'))
    expect((await kinds(service)).map(([kind, , because]) => [kind, because]).slice(1)).toEqual([
      ['session.opened', 'browser'],
      ['session.ended', 'replaced'],
      ['session.opened', 'browser'],
    ])
    for (let tab = 0; tab < 12; tab++) await begin(visitor)
    expect(visitor.cookies.size).toBeLessThan(10)
  })

  test('that takes longer than ten minutes has to begin again', async () => {
    const { provider, visitor, pass } = await scene()
    const back = provider.authorize(await begin(visitor))
    pass(10 * MINUTE_MS + 1)
    expect(await problem(comeBack(visitor, back), 400)).toMatch(/took longer than 10 minutes/)
  })

  test('puts the subject and its issuer on record with what the person does', async () => {
    const { provider, visitor, service } = await scene()
    await importPrices(operating(service))
    const release_id = await register(operating(service))
    await signIn(visitor, provider)
    const headers = { 'x-service-actor': 'boss', 'x-forwarded-user': 'root' }
    const { action_id } = await ok(visitor.call('POST /v1/promote', { body: decision(release_id), headers }))
    const identity = { issuer: provider.url, subject: 'u-1' }
    expect(await ok(visitor.call(`GET /v1/actions/${action_id}`))).toMatchObject({
      actor: 'Ann',
      actor_source: 'oidc',
      claimed_actor: 'boss',
      actor_identity: identity,
    })
    const { entries } = await ok(operating(service).call('GET /v1/audit', { query: { limit: 1 } }))
    expect(entries[0]).toMatchObject({ kind: 'decision', actor: 'Ann', actor_identity: identity })
    expect(await failedChecks(operating(service), true)).toEqual([])
  })

  test('takes claims from the userinfo endpoint where the ID token lacks them', async () => {
    const { provider, visitor } = await scene()
    provider.claims = { sub: 'u-2' }
    provider.userinfo = { name: 'Bob', groups: ['deployers'] }
    await signIn(visitor, provider)
    expect((await ok(visitor.call('GET /v1/session'))).caller).toMatchObject({ name: 'Bob' })
    // About somebody else, it says nothing.
    provider.userinfo = { sub: 'u-9', name: 'Root', groups: ['admins'] }
    const other = visitorOf(visitor.service)
    expect(await problem(comeBack(other, provider.authorize(await begin(other))), 400)).toMatch(
      /not the answer/,
    )
  })

  test('at a service without a login is told so', async () => {
    const service = await testService()
    expect(await problem(service.call('GET /v1/sign-in/sso'), 404)).toMatch(/Nobody can sign in by sso here/)
    expect((await ok(service.call('GET /v1/session'))).sign_in).toEqual([])
  })
})

describe('a person', () => {
  const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `group-${index}`)
  const CLAIMS: readonly [what: string, claims: Record<string, unknown>, says: RegExp][] = [
    ['in no group', { groups: undefined }, /No role is set for Ann: groups is missing\./],
    ['in other groups', { groups: many(200) }, /groups has 200 other values/],
    ['in another group', { groups: 'group' }, /groups has another value/],
    ['whose groups are another thing', { groups: { deployers: true } }, /groups is object, not a text/],
    ['whose groups are null', { groups: null }, /groups is null, not a text/],
    ['whose groups are nested', { groups: [['deployers']] }, /groups is empty/],
    [
      'of so many groups that they are left out',
      { groups: undefined, _claim_names: { groups: 'src1' } },
      /groups was left out, as there are too many/,
    ],
    ['without a name', { name: undefined }, /its name is missing/],
    ['with a name that is none', { name: { given: 'Ann' } }, /its name is no text/],
    ['with a disguised name', { name: 'Ann\u202e' }, /not a name that can be put on record/],
    ['with a blank name', { name: ' ' }, /not a name that can be put on record/],
  ]

  test('who may do nothing is told why, and so is the audit log', async () => {
    const { provider, visitor, service, pass } = await scene()
    const usual = provider.claims
    for (const [what, claims, says] of CLAIMS) {
      provider.claims = { ...usual, ...claims }
      const said = await problem(comeBack(visitor, provider.authorize(await begin(visitor))), 403)
      expect(said, what).toMatch(says)
      expect((await kinds(service)).at(-1), what).toEqual([
        'session.refused',
        'u-1',
        expect.stringMatching(says),
      ])
      await refusal(visitor.call('GET /v1/releases'), 401)
      // Six an hour are put on record.
      pass(HOUR_MS / 6)
    }
  })

  test('in one of 200 groups, or in one by its beginning, has the role of the group', async () => {
    const { provider, visitor } = await scene()
    provider.claims = { ...provider.claims, groups: [...many(199), 'team-red'] }
    await signIn(visitor, provider)
    expect((await ok(visitor.call('GET /v1/session'))).session).toMatchObject({ role: 'read' })
    expect(await refusal(visitor.call('POST /v1/promote', { body: {} }), 403)).toBe(
      'Your role may not change anything. That needs the role write or admin.',
    )
    expect(await refusal(visitor.call('POST /v1/aggregates', { body: {} }), 403)).toBe(
      'Your role may not send aggregates. That needs a token for their source, or the role admin.',
    )
  })

  test('whose address nobody verified is not named by it', async () => {
    const { provider, visitor } = await scene({ issuer: { name_claim: 'email' } })
    provider.claims = { ...provider.claims, email: 'boss@example.com' }
    for (const email_verified of [undefined, false, 'true']) {
      provider.claims = { ...provider.claims, email_verified }
      expect(await problem(comeBack(visitor, provider.authorize(await begin(visitor))), 403)).toMatch(
        /its email is not verified/,
      )
    }
    provider.claims = { ...provider.claims, email_verified: true }
    await signIn(visitor, provider)
  })

  test('who is refused again and again does not fill the log', async () => {
    const { provider, visitor, service } = await scene()
    provider.claims = { ...provider.claims, groups: [] }
    for (let time = 0; time < 9; time++) {
      await problem(comeBack(visitor, provider.authorize(await begin(visitor))), 403)
    }
    expect((await kinds(service)).filter(([kind]) => kind === 'session.refused').length).toBe(6)
    const metrics = await operating(service).call('GET /metrics')
    expect(metrics.text).toContain('service_sign_ins_total{outcome="refused"} 9')
  })

  test('is on record with an address only where the workspace says so', async () => {
    for (const addresses of [true, false]) {
      const { provider, visitor, service } = await scene({ workspace: { audit: { addresses } } })
      await signIn(visitor, provider)
      const query = { kind: 'session.opened' }
      const { entries } = await ok(operating(service).call('GET /v1/audit', { query }))
      expect(entries[0].details.address).toBe(addresses ? '127.0.0.1' : undefined)
    }
  })
})

describe('a session', () => {
  test('ends when it is not used, and when its time has ended, by the database’s clock', async () => {
    const { provider, visitor, service, pass } = await scene()
    await signIn(visitor, provider)
    for (let hour = 0; hour < 11; hour++) {
      pass(HOUR_MS)
      await ok(visitor.call('GET /v1/releases'))
    }
    pass(HOUR_MS)
    expect(await refusal(visitor.call('GET /v1/releases'), 401)).toMatch(
      /has ended: its time has ended; sign in again/,
    )
    expect(await endOverdue(service.context)).toBe(1)
    const again = await signIn(visitorOf(service), provider)
    await ok(again.call('GET /v1/releases'))
    pass(2 * HOUR_MS)
    expect(await refusal(again.call('GET /v1/releases'), 401)).toMatch(/it was not used for a while/)
    expect(await ok(again.call('GET /v1/session'))).toMatchObject({
      caller: null,
      problem: expect.stringMatching(/not used for a while/),
    })
    expect(await endOverdue(service.context)).toBe(1)
    expect(await endOverdue(service.context)).toBe(0)
    expect((await kinds(service)).filter(([kind]) => kind === 'session.ended')).toEqual([
      ['session.ended', 'service', 'expired'],
      ['session.ended', 'service', 'idle'],
    ])
    expect(await failedChecks(operating(service), true)).toEqual([])
  })

  test('is refused while the clock that would end it is wrong', async () => {
    const { provider, visitor, service } = await scene()
    await signIn(visitor, provider)
    service.clock.now += 10_000
    service.clock.ahead = 11 * MINUTE_MS
    expect(await refusal(visitor.call('GET /v1/releases'), 503)).toMatch(/the clock is wrong/)
  })

  test('ends at once where the person signs out, here and at the provider', async () => {
    const { provider, visitor, service } = await scene()
    await signIn(visitor, provider)
    const stolen = cookieHeader(visitor.cookies)
    const out = await ok(visitor.call('DELETE /v1/session'))
    const url = new URL(out.provider_url)
    expect([out.ended, url.origin + url.pathname]).toEqual([1, `${provider.url}/sign-out`])
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: 'pages',
      post_logout_redirect_uri: `${PUBLIC_URL}/`,
      id_token_hint: expect.stringMatching(/^ey/),
    })
    expect([...visitor.cookies.keys()]).toEqual([])
    const thief = service.call('GET /v1/releases', { headers: { cookie: stolen } })
    expect(await refusal(thief, 401)).toMatch(/you signed out/)
    expect(await ok(visitor.call('DELETE /v1/session'))).toEqual({ ended: 0, provider_url: null })
  })

  test('that is stolen is ended by its owner, by an admin, and nobody else', async () => {
    const { provider, visitor, service } = await scene()
    await signIn(visitor, provider)
    const { session_id } = (await ok(visitor.call('GET /v1/session'))).session
    provider.claims = { sub: 'u-2', name: 'Bob', groups: ['deployers'] }
    const bob = await signIn(visitorOf(service), provider)
    expect((await ok(bob.call('GET /v1/sessions'))).sessions.map(({ name }: any) => name)).toEqual(['Bob'])
    await refusal(bob.call(`DELETE /v1/sessions/${session_id}`), 404)
    await refusal(bob.call('DELETE /v1/sessions/ses_000000000000'), 404)
    provider.claims = { sub: 'u-3', name: 'Eve', groups: ['admins'] }
    const admin = await signIn(visitorOf(service), provider)
    expect((await ok(admin.call('GET /v1/sessions'))).sessions.map(({ name }: any) => name)).toEqual([
      'Eve',
      'Bob',
      'Ann',
    ])
    expect(await ok(admin.call(`DELETE /v1/sessions/${session_id}`))).toEqual({ ended: 1 })
    expect(await refusal(visitor.call('GET /v1/releases'), 401)).toMatch(/it was revoked/)
    const ids = (await ok(bob.call('GET /v1/sessions'))).sessions
    expect(await ok(bob.call(`DELETE /v1/sessions/${ids[0].session_id}`))).toEqual({ ended: 1 })
    await refusal(bob.call('GET /v1/releases'), 401)
    expect((await kinds(service)).filter(([kind]) => kind === 'session.ended')).toEqual([
      ['session.ended', 'Eve', 'revoked'],
      ['session.ended', 'Bob', 'revoked'],
    ])
  })

  test('that another server ended is believed for no longer than five seconds', async () => {
    const { provider, visitor, service, pass } = await scene()
    await signIn(visitor, provider)
    await ok(visitor.call('GET /v1/releases'))
    const other = await sameLedger(service, service.sql, signInAt(provider))
    const { sessions } = await ok(operating(other).call('GET /v1/sessions'))
    await ok(operating(other).call(`DELETE /v1/sessions/${sessions[0].session_id}`))
    pass(5000)
    expect(await refusal(visitor.call('GET /v1/releases'), 401)).toMatch(/it was revoked/)
  })

  test('ends when service.yaml says otherwise of roles, or no more of the issuer', async () => {
    const { provider, visitor, service } = await scene()
    await signIn(visitor, provider)
    const cookie = cookieHeader(visitor.cookies)
    const roles = [{ role: 'read', claims: { groups: 'deployers' } }]
    for (const workspace of [
      signInAt(provider, { issuer: { roles } }),
      signInAt(provider, { login: { client_id: 'others' } }),
      signInAt({ url: 'https://elsewhere.example' }),
    ]) {
      const other = await sameLedger(service, service.sql, workspace)
      const answer = other.call('GET /v1/releases', { headers: { cookie } })
      expect(await refusal(answer, 401)).toMatch(
        /service.yaml changed the roles of people since; sign in again/,
      )
    }
    const same = await sameLedger(service, service.sql, signInAt(provider))
    await ok(same.call('GET /v1/releases', { headers: { cookie } }))
  })

  test('that was edited in the table opens nothing, and the doctor finds it', async () => {
    const { provider, visitor, service, pass } = await scene()
    await signIn(visitor, provider)
    const EDITS: Readonly<Record<string, string>> = {
      role: `'admin'`,
      agents: `'["b"]'`,
      subject: `'u-9'`,
      name: `'Boss'`,
      kind: `'cli'`,
      expires_at: 'expires_at + 1',
      idle_ms: 'idle_ms * 2',
      roles_hash: `''`,
    }
    const [before] = (await service.sql.query({ text: 'SELECT * FROM sessions', params: [] })).rows
    for (const [column, value] of Object.entries(EDITS)) {
      await service.sql.batch([{ text: `UPDATE sessions SET ${column} = ${value}`, params: [] }])
      pass(5000)
      await refusal(visitor.call('GET /v1/releases'), 401)
      expect(await failedChecks(operating(service), true), column).toEqual([
        ['held_rows', expect.stringContaining('does not match log_seq')],
      ])
      await service.sql.batch([{ text: `UPDATE sessions SET ${column} = ?`, params: [before![column]!] }])
    }
    pass(5000)
    await ok(visitor.call('GET /v1/releases'))
  })

  test('says nothing where a token is presented beside it', async () => {
    const { provider, visitor, service } = await scene()
    await signIn(visitor, provider)
    const token = await grant(service, 'reader', { role: 'read' })
    const headers = { authorization: `Bearer ${token}` }
    expect((await ok(visitor.call('GET /v1/session', { headers }))).caller).toMatchObject({ name: 'reader' })
    await refusal(visitor.call('GET /v1/releases', { headers: { authorization: 'Bearer x' } }), 401)
  })
})

describe('a provider', () => {
  test.each([
    ['down', /can't be reached/],
    ['broken', /can't be reached/],
    ['huge', /can't be reached/],
  ] as const)('that is %s is told, and asked again after a while', async (state, says) => {
    const { provider, visitor, pass } = await scene()
    provider.state = state
    expect(await problem(visitor.call('GET /v1/sign-in/sso'), 503)).toMatch(says)
    const before = provider.requests['/.well-known/openid-configuration']
    await problem(visitor.call('GET /v1/sign-in/sso'), 503)
    expect(provider.requests['/.well-known/openid-configuration']).toBe(before)
    provider.state = 'up'
    pass(10_000)
    const location = await begin(visitor)
    provider.state = state
    expect(await problem(comeBack(visitor, provider.authorize(location)), 503)).toMatch(says)
  })

  test.skipIf(process.env.PROVE === undefined)(
    'that never answers is not waited for',
    async () => {
      const { provider, visitor } = await scene()
      provider.state = 'silent'
      const startedAt = performance.now()
      await problem(visitor.call('GET /v1/sign-in/sso'), 503)
      expect(performance.now() - startedAt).toBeLessThan(9000)
    },
    20_000,
  )

  const SAYS: readonly [what: string, configuration: Record<string, unknown>, says: RegExp][] = [
    ['of another issuer', { issuer: 'https://evil.example' }, /not the answer/],
    ['without an authorization endpoint', { authorization_endpoint: undefined }, /lacks an address/],
    ['whose endpoint runs a script', { authorization_endpoint: 'javascript:alert(1)' }, /not HTTPS/],
    ['that takes plain PKCE alone', { code_challenge_methods_supported: ['plain'] }, /PKCE with S256/],
  ]

  test.each(SAYS)('%s is not gone to', async (_what, configuration, says) => {
    const { provider, visitor } = await scene()
    provider.configuration = configuration
    const answer = await visitor.call('GET /v1/sign-in/sso')
    expect(answer.headers.get('location')).toBeNull()
    expect(answer.text).toMatch(says)
  })

  test('that says why it let nobody in is quoted, as text', async () => {
    const { provider, visitor } = await scene()
    const back = provider.authorize(await begin(visitor))
    for (const name of ['code']) back.searchParams.delete(name)
    back.searchParams.set('error', 'access_denied')
    back.searchParams.set('error_description', 'not <b>you</b>')
    const says = await problem(comeBack(visitor, back), 403)
    expect(says).toContain('did not let you in: not &#60;b&#62;you&#60;/b&#62;.')
  })

  test('whose keys have changed is believed by the new ones', async () => {
    const { provider, visitor } = await scene()
    await signIn(visitor, provider)
    provider.rotate()
    // Past the time in which unknown keys are not fetched again, of which jose has a clock of its own.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11_000 })
    onTestFinished(() => void vi.useRealTimers())
    const again = await signIn(visitorOf(visitor.service), provider)
    await ok(again.call('GET /v1/releases'))
  })

  test('that knows the redirect URI otherwise is answered with ours', async () => {
    const { provider, visitor } = await scene()
    const location = new URL(await begin(visitor))
    const back = provider.authorize(location.href)
    const code = back.searchParams.get('code')!
    provider.codes.get(code)!.set('redirect_uri', 'https://gate.example.com/other')
    expect(await problem(comeBack(visitor, back), 400)).toContain(REDIRECT_URI)
  })

  test('whose clock is an hour ahead is told so', async () => {
    const { provider, visitor } = await scene()
    provider.forge = claims => ({ ...claims, nbf: NOON / 1000 + 3600 })
    expect(await problem(comeBack(visitor, provider.authorize(await begin(visitor))), 503)).toMatch(/clock/)
  })
})
