import { describe, expect, test, vi } from 'vitest'
import { type RouteName, routes } from '../../../handlers/index.ts'
import { nonceFor } from '../../../src/features/identity/rules_credential.ts'
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
import type { Answer } from '../../support/services/call.ts'
import { bearing, operating } from '../../support/services/credentials.ts'
import { ok, refusal } from '../../support/services/requests.ts'
import { NOON, type TestService, testService } from '../../support/services/service.ts'

const SESSION = '__Host-service-session'
const SESSION_ID = '__Host-service-session-id'
const CSRF = '__Host-service-csrf'
const SIGN_OUT = 'DELETE /v1/session'

interface Scene {
  readonly provider: TestProvider
  readonly service: TestService
  readonly visitor: Visitor
}

async function scene(more: Parameters<typeof signInAt>[1] = {}): Promise<Scene> {
  const provider = await testProvider({ redirectUris: [REDIRECT_URI], now: () => NOON })
  const service = await testService({ workspace: signInAt(provider, more) })
  return { provider, service, visitor: visitorOf(service) }
}

/** Expects that nobody is signed in by an answer. */
async function expectRefused(answer: Promise<Answer>, says: RegExp): Promise<void> {
  const { status, text, headers } = await answer
  expect({ status, text }).toMatchObject({ text: expect.stringMatching(says) })
  expect(status).toBeGreaterThanOrEqual(400)
  expect(headers.getSetCookie()).toEqual([])
}

describe('an attack on a sign-in', () => {
  test('with an answer to another state is refused', async () => {
    const { provider, visitor } = await scene()
    const back = provider.authorize(await begin(visitor))
    // The cookie of the attempt is found by the beginning of its state.
    back.searchParams.set('state', back.searchParams.get('state')!.slice(0, -2) + 'xx')
    await expectRefused(comeBack(visitor, back), /unexpected .*state/)
    back.searchParams.delete('state')
    await expectRefused(comeBack(visitor, back), /did not begin this sign-in/)
  })

  test('with an ID token of another nonce is refused', async () => {
    const { provider, visitor } = await scene()
    const location = await begin(visitor)
    provider.forge = claims => ({ ...claims, nonce: 'another' })
    await expectRefused(comeBack(visitor, provider.authorize(location)), /nonce/)
    provider.forge = claims => ({ ...claims, nonce: undefined })
    await expectRefused(comeBack(visitor, provider.authorize(await begin(visitor))), /nonce/)
  })

  test('that has a victim bring back what the attacker was answered is refused', async () => {
    const { provider, visitor, service } = await scene()
    const attacker = visitorOf(service)
    const back = provider.authorize(await begin(attacker))
    await expectRefused(comeBack(visitor, back), /did not begin this sign-in/)
    await begin(visitor)
    await expectRefused(comeBack(visitor, back), /did not begin this sign-in/)
  })

  test('with an attempt that nobody here made is refused', async () => {
    const { provider, visitor } = await scene()
    const back = provider.authorize(await begin(visitor))
    const [[name, value]] = [...visitor.cookies] as [[string, string]]
    const [text, signature] = value.split('.') as [string, string]
    const kept = JSON.parse(Buffer.from(text, 'base64').toString()) as object
    const forged = Buffer.from(JSON.stringify({ ...kept, to: '?forged' })).toString('base64')
    visitor.cookies.set(name, `${forged}.${signature}`)
    await expectRefused(comeBack(visitor, back), /did not begin this sign-in/)
  })

  test('that brings a code back twice opens no second session, though the provider takes it again', async () => {
    const { provider, visitor } = await scene()
    const back = provider.authorize(await begin(visitor))
    const [code, cookies] = [back.searchParams.get('code')!, new Map(visitor.cookies)]
    const asks = provider.codes.get(code)!
    expect((await comeBack(visitor, back)).status).toBe(303)
    await expectRefused(comeBack(visitor, back), /did not begin this sign-in/)
    // Whoever has copied the cookie as well.
    const thief = visitorOf(visitor.service)
    for (const [name, value] of cookies) thief.cookies.set(name, value)
    for (const name of visitor.lax) thief.lax.add(name)
    await expectRefused(comeBack(thief, back), /invalid_grant: it was used before/)
    provider.codes.set(code, asks)
    await expectRefused(comeBack(thief, back), /This sign-in was used before/)
  })

  test('that mixes up two providers is refused by the issuer that answers', async () => {
    const { provider, visitor } = await scene()
    const back = provider.authorize(await begin(visitor))
    back.searchParams.set('iss', 'https://evil.example')
    await expectRefused(comeBack(visitor, back), /iss/)
    back.searchParams.delete('iss')
    await expectRefused(comeBack(visitor, back), /iss/)
    expect(provider.requests['/token']).toBeUndefined()
  })

  test('that mixes up two providers which do not name themselves is refused by the redirect URI', async () => {
    const provider = await testProvider({ redirectUris: [REDIRECT_URI], now: () => NOON })
    const evil = await testProvider({ redirectUris: [REDIRECT_URI], now: () => NOON })
    for (const each of [provider, evil]) {
      each.configuration = { authorization_response_iss_parameter_supported: false }
    }
    const { auth, ...rest } = signInAt(provider) as any
    const other = { ...auth.oidc[0], issuer: evil.url, login: { client_id: 'pages', name: 'evil' } }
    const service = await testService({ workspace: { ...rest, auth: { oidc: [auth.oidc[0], other] } } })
    const visitor = visitorOf(service)
    const out = await visitor.call('GET /v1/sign-in/evil')
    // The evil provider sends the browser on to the honest one, with the parameters that it got.
    const forwarded = new URL(out.headers.get('location')!)
    forwarded.searchParams.set('redirect_uri', REDIRECT_URI)
    const back = provider.authorize(forwarded.href)
    back.searchParams.delete('iss')
    await expectRefused(comeBack(visitor, back), /begun with another provider/)
    expect(evil.requests['/token']).toBeUndefined()
  })

  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/evil',
    'javascript:alert(1)',
    '?a\r\nSet-Cookie: x=1',
    '?\u2028',
    '?'.padEnd(3000, 'x'),
    '@evil.example',
    '.evil.example',
  ])('that would come back to %j comes back to the pages', async to => {
    const { provider, visitor } = await scene()
    const answer = await comeBack(visitor, provider.authorize(await begin(visitor, to)))
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${PUBLIC_URL}/`])
  })

  test('that plants a session in the browser beforehand gains nothing by it', async () => {
    const { provider, visitor, service } = await scene()
    provider.claims = { sub: 'eve', name: 'Eve', groups: ['team-x'] }
    const attacker = await signIn(visitorOf(service), provider)
    const planted = attacker.cookies.get(SESSION)!
    visitor.cookies.set(SESSION, planted).set(CSRF, attacker.cookies.get(CSRF)!)
    provider.claims = { sub: 'ann', name: 'Ann', groups: ['deployers'] }
    await signIn(visitor, provider)
    expect(visitor.cookies.get(SESSION)).not.toBe(planted)
    expect((await ok(visitor.call('GET /v1/session'))).caller).toMatchObject({ name: 'Ann' })
    expect((await ok(attacker.call('GET /v1/session'))).caller).toMatchObject({ name: 'Eve' })
  })

  test('that names the session of somebody else as the one before does not end it', async () => {
    const { provider, visitor, service } = await scene()
    await signIn(visitor, provider)
    const { session_id } = (await ok(visitor.call('GET /v1/session'))).session
    const eve = await signIn(visitorOf(service), provider)
    const [, signature] = eve.cookies.get(SESSION_ID)!.split('.')
    const forged = Buffer.from(JSON.stringify({ id: session_id })).toString('base64')
    eve.cookies.set(SESSION_ID, `${forged}.${signature}`)
    await signIn(eve, provider)
    await ok(visitor.call('GET /v1/releases'))
  })

  test('that plants a second cookie beside the session is noticed, and one without the prefix is none', async () => {
    const { provider, visitor, service } = await scene()
    await signIn(visitor, provider)
    const own = cookieHeader(visitor.cookies)
    const eve = await signIn(visitorOf(service), provider)
    const call = (cookie: string) => service.call('GET /v1/session', { headers: { cookie } })
    for (const cookie of [`${own}; ${SESSION}=${eve.cookies.get(SESSION)}`, `${SESSION}=x; ${own}`]) {
      const { body } = await call(cookie)
      expect(body).toMatchObject({ caller: null, problem: expect.stringMatching(/Two sessions/) })
    }
    for (const name of ['service-session', '__Secure-service-session', '__host-service-session']) {
      const { body } = await call(`${name}=${eve.cookies.get(SESSION)}`)
      expect(body).toMatchObject({ caller: null, problem: null })
    }
  })

  test('by a cookie that nobody was given does not even reach the database', async () => {
    const { provider, visitor, service } = await scene()
    await signIn(visitor, provider)
    await ok(visitor.call('GET /v1/releases'))
    const own = visitor.cookies.get(SESSION)!
    const query = vi.spyOn(service.sql, 'query')
    const snapshot = vi.spyOn(service.sql, 'snapshot')
    for (const value of [
      own.slice(0, -1) + (own.endsWith('0') ? '1' : '0'),
      `rgss_${'0'.repeat(88)}`,
      '',
      'x',
    ]) {
      const answer = service.call('GET /v1/releases', { headers: { cookie: `${SESSION}=${value}` } })
      expect(await refusal(answer, 401)).toMatch(/is unknown here/)
    }
    expect([query, snapshot].map(({ mock }) => mock.calls)).toEqual([[], []])
  })

  test('by a cookie that is sent as a token, or a token as a cookie, is refused', async () => {
    const { provider, visitor, service } = await scene()
    await signIn(visitor, provider)
    await refusal(bearing(service, visitor.cookies.get(SESSION)!).call('GET /v1/releases'), 401)
    const { token } = await ok(exchange({ provider, service }))
    await ok(bearing(service, token).call('GET /v1/releases'))
    await refusal(service.call('GET /v1/releases', { headers: { cookie: `${SESSION}=${token}` } }), 401)
  })

  test('with an ID token that somebody else signed is refused', async () => {
    const { provider, visitor } = await scene()
    const location = await begin(visitor)
    const evil = await testProvider({ redirectUris: [], now: () => NOON })
    const nonce = new URL(location).searchParams.get('nonce')!
    provider.answer = answer => ({ ...answer, id_token: evil.idToken({ iss: provider.url, nonce }) })
    await expectRefused(comeBack(visitor, provider.authorize(location)), /no applicable key found/)
  })

  test.each([
    ['audience', { aud: 'others' }],
    ['authorized party', { aud: ['pages', 'others'], azp: 'others' }],
    ['client than its audience', { azp: 'others' }],
    ['subject, an empty one,', { sub: '' }],
    ['issuer', { iss: 'https://evil.example' }],
    ['time', { exp: NOON / 1000 - 60 }],
  ])('with an ID token of another %s is refused', async (_what, claims) => {
    const { provider, visitor } = await scene()
    provider.forge = usual => ({ ...usual, ...claims })
    const { status } = await comeBack(visitor, provider.authorize(await begin(visitor)))
    expect(status).toBeGreaterThanOrEqual(400)
    await refusal(visitor.call('GET /v1/releases'), 401)
  })

  test('that strips the transport of its encryption is refused where that is known', async () => {
    const { visitor } = await scene()
    const headers = { 'x-forwarded-proto': 'http' }
    await expectRefused(visitor.call('GET /v1/sign-in/sso', { headers }), /over HTTPS only: open https:/)
    expect(
      (await visitor.call('GET /v1/sign-in/sso', { headers: { 'x-forwarded-proto': 'https' } })).status,
    ).toBe(303)
  })
})

describe('a page of another origin', () => {
  /** What a forged request lacks, or says of where it comes from. */
  const FORGED: Readonly<Record<string, (csrf: string) => Record<string, string>>> = {
    'without the token': () => ({}),
    'with an empty token': () => ({ 'x-service-csrf': '' }),
    'with a token of its own': () => ({ 'x-service-csrf': '0'.repeat(32) }),
    'from another site': csrf => ({ 'x-service-csrf': csrf, 'sec-fetch-site': 'cross-site' }),
    'from a sibling': csrf => ({ 'x-service-csrf': csrf, 'sec-fetch-site': 'same-site' }),
    'from another origin': csrf => ({ 'x-service-csrf': csrf, origin: 'https://evil.example' }),
    'from a sandbox': csrf => ({ 'x-service-csrf': csrf, origin: 'null' }),
  }

  test('can not have a session change anything, by whatever route', async () => {
    const { provider, service, visitor } = await scene({ issuer: { roles: [{ role: 'admin', claims: {} }] } })
    // Reads answer nothing that another origin can read, and signing out comes last.
    const changing = (Object.keys(routes) as RouteName[])
      .filter(route => !route.startsWith('GET '))
      .sort((a, b) => Number(a === SIGN_OUT) - Number(b === SIGN_OUT))
    await signIn(visitor, provider)
    const [cookie, csrf] = [cookieHeader(visitor.cookies), visitor.cookies.get(CSRF)!]
    const wrong: unknown[] = []
    for (const route of changing) {
      const { access } = (await routes[route]()).default.spec
      const path = route.replaceAll(/\{\w+\}/g, 'some') as RouteName
      const body = route.startsWith('DELETE') ? {} : { body: {} }
      // What is open asks nobody who it is, so that a session adds nothing to it.
      const asks = access !== 'open' || route === SIGN_OUT
      for (const [what, headers] of Object.entries(FORGED)) {
        const forged = { cookie, host: 'gate.example.com', ...headers(csrf) }
        const { status, text } = await service.call(path, { ...body, headers: forged })
        if (asks !== (status === 403 && text.includes('the web UI'))) wrong.push([route, what, text])
      }
      const { text } = await visitor.call(path, body)
      if (text.includes('the web UI')) wrong.push([route, 'from the web UI', text])
    }
    expect(wrong).toEqual([])
  })

  test('can not sign somebody out', async () => {
    const { provider, service, visitor } = await scene()
    await signIn(visitor, provider)
    const cookie = cookieHeader(visitor.cookies)
    await refusal(service.call(SIGN_OUT, { headers: { cookie } }), 403)
    await ok(visitor.call('GET /v1/releases'))
  })
})

/** An ID token as `svc login` brings it. */
async function exchange(
  { provider, service }: Pick<Scene, 'provider' | 'service'>,
  claims: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): Promise<Answer> {
  const nonce_secret = `secret ${Math.random()}`
  const nonce = await nonceFor(PUBLIC_URL, nonce_secret)
  const id_token = provider.idToken({ nonce, ...claims })
  return service.call('POST /v1/sessions', { body: { id_token, nonce_secret, ...more } })
}

describe('an ID token that is brought by svc login', () => {
  test('opens one session, which works as a token and is on record', async () => {
    const { provider, service } = await scene()
    const { token, ...session } = await ok(exchange({ provider, service }))
    expect(session).toMatchObject({ kind: 'cli', name: 'Ann', role: 'write', state: 'open' })
    const caller = bearing(service, token)
    expect((await ok(caller.call('GET /v1/session'))).session).toMatchObject({
      session_id: session.session_id,
    })
    expect(await ok(caller.call(SIGN_OUT))).toEqual({ ended: 1, provider_url: null })
    expect(await refusal(caller.call('GET /v1/releases'), 401)).toMatch(/you signed out/)
  })

  const seconds = NOON / 1000
  const WRONG: readonly [what: string, claims: Record<string, unknown>, says: RegExp][] = [
    ['of another client', { aud: 'others' }, /aud/],
    ['made for another client', { azp: 'others' }, /another client/],
    ['of an empty subject', { sub: ' ' }, /its sub is empty/],
    ['that is old', { iat: seconds - 601, exp: seconds + 3600 }, /it is not new/],
    ['that is from the future', { iat: seconds + 601, exp: seconds + 3600 }, /it is not new/],
    ['that does not say when it was made', { iat: undefined }, /it is not new/],
    ['whose nonce was made for another service', { nonce: 'a'.repeat(64) }, /for another service/],
    ['whose nonce is no text', { nonce: 5 }, /for another service/],
  ]

  test.each(WRONG)('%s opens none', async (_what, claims, says) => {
    const { provider, service } = await scene()
    expect(await refusal(exchange({ provider, service }, claims), 401)).toMatch(says)
  })

  test('opens no second one', async () => {
    const { provider, service } = await scene()
    const body = { id_token: provider.idToken() }
    await ok(service.call('POST /v1/sessions', { body }))
    expect(await refusal(service.call('POST /v1/sessions', { body }), 400)).toMatch(/was used before/)
  })

  test('is not taken where the client has a secret, and no other is set up', async () => {
    const { provider, service } = await scene({ login: { client_secret_ref: 'SECRET' } })
    expect(await refusal(exchange({ provider, service }), 401)).toMatch(
      /comes from no provider that svc login/,
    )
    const other = await scene({ login: { client_secret_ref: 'SECRET', cli_client_id: 'cli' } })
    await refusal(exchange(other), 401)
    await ok(exchange(other, { aud: 'cli' }))
  })

  test('got by a refresh token opens none once a session was revoked, until the person signs in anew', async () => {
    const { provider, service } = await scene()
    const secret = { nonce_secret: 'kept' }
    const nonce = await nonceFor(PUBLIC_URL, 'kept')
    const { session_id } = await ok(exchange({ provider, service }, { nonce }, secret))
    // Renewed as long as nobody minds, with the nonce of before or with none.
    await ok(exchange({ provider, service }, { nonce, jti: 1 }, secret))
    await ok(exchange({ provider, service }, { nonce: undefined, jti: 2 }))
    await ok(operating(service).call(`DELETE /v1/sessions/${session_id}`))
    for (const claims of [{ nonce }, { nonce: undefined }, { nonce, auth_time: seconds - 1 }]) {
      const answer = exchange({ provider, service }, { ...claims, jti: 3 }, secret)
      expect(await refusal(answer, 401)).toMatch(/svc login --browser/)
    }
    await ok(exchange({ provider, service }, { nonce: undefined, auth_time: seconds + 1 }))
    await ok(exchange({ provider, service }))
  })
})
