import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type TestProvider, testProvider } from '../../../support/access/provider.ts'
import { signInAt } from '../../../support/access/visitor.ts'
import { type Ran, type Workspace, makeWorkspace, runSvc } from '../../../support/processes/cli.ts'
import { freePort } from '../../../support/processes/free_port.ts'
import { operating } from '../../../support/services/credentials.ts'
import { ok } from '../../../support/services/requests.ts'
import { ROOT_PATH } from '../../../../src/runtime/root.ts'
import { type SocketService, socketService } from '../../../support/services/socket.ts'

const FILE = 'config/svc/profiles/prod.json'

interface Scene {
  readonly provider: TestProvider
  readonly service: SocketService
  readonly laptop: Workspace
  /** Runs `svc` on the laptop; `hears` gets what it writes to stderr as it comes. */
  readonly svc: (line: string, hears?: (text: string) => void) => Promise<Ran>
  readonly login: (line?: string) => Promise<Ran>
  readonly profile: () => { token?: string; login?: { refresh_token?: string; nonce_secret: string } }
}

/** A provider, a service where people sign in, and the machine of one of them. */
async function scene({
  takesCodes = true,
  login = {},
}: { takesCodes?: boolean; login?: Record<string, unknown> } = {}): Promise<Scene> {
  const provider = await testProvider({
    redirectUris: [/^http:\/\/127\.0\.0\.1:\d+\/callback$/],
    now: Date.now,
  })
  provider.configuration = {
    scopes_supported: ['openid', 'offline_access'],
    revocation_endpoint: `${provider.url}/revoke`,
    ...(takesCodes ? { device_authorization_endpoint: `${provider.url}/device` } : {}),
  }
  provider.device.said = 'yes'
  const port = await freePort()
  const public_url = `http://127.0.0.1:${port}`
  const workspace = signInAt(provider, { login, workspace: { public_url } })
  const service = await socketService({ workspace }, { port })
  service.clock.now = Date.now()
  const laptop = makeWorkspace()
  const svc: Scene['svc'] = async (line, hears = () => {}) => {
    let stderr = ''
    const err = (text: string): void => (hears(text), void (stderr += text))
    const io = { env: { XDG_CONFIG_HOME: laptop.path('config') }, err }
    return { ...(await runSvc(line.split(' '), laptop.folder, io)), stderr }
  }
  return {
    provider,
    service,
    laptop,
    svc,
    login: (line = '') => svc(`login --profile prod --url ${service.url}${line}`, visiting(provider)),
    profile: () => JSON.parse(laptop.read(FILE)),
  }
}

/** Opens the address that `svc login` shows, as a browser in which the person is signed in at the provider. */
function visiting(provider: TestProvider): (text: string) => void {
  return text => {
    const location = /^Sign in at (\S+)\n$/.exec(text)?.[1]
    if (location !== undefined) void fetch(provider.authorize(location))
  }
}

describe('svc login', () => {
  test('by a code on another device keeps a session in the profile, for its owner alone', async () => {
    const { provider, svc, login, laptop, profile, service } = await scene()
    provider.device = { said: 'nothing', slow: 0, expires_in: 60 }
    let shown = ''
    const ran = await svc(`login --profile prod --url ${service.url}`, text => {
      shown += text
      if (shown.includes('ABCD-EFGH')) provider.device.said = 'yes'
    })
    expect(ran).toMatchObject({ code: 0, stdout: 'signed in as Ann (write)\n' })
    expect(ran.stderr).toMatch(
      new RegExp(
        `^Open ${provider.url}/code and enter ABCD-EFGH\nContinue only if you started this yourself\\.\n` +
          `svc: use it with --profile prod or SERVICE_PROFILE=prod; it ends \\S+\n$`,
      ),
    )
    expect(statSync(laptop.path(FILE)).mode & 0o777).toBe(0o600)
    expect(Object.keys(profile()).sort()).toEqual(['login', 'token', 'url'])
    const who = await svc('whoami --profile prod')
    expect(who).toMatchObject({ code: 0, stderr: '' })
    expect(who.stdout).toMatch(
      new RegExp(
        `^Ann at ${service.url} \\(signed in with ${provider.url} until \\S+\\); may read, register, promote and roll back\n$`,
      ),
    )
    expect((await svc('release list --profile prod')).code).toBe(0)
    // Signing in again makes another session, and needs no URL.
    const token = profile().token
    expect((await svc('login --profile prod')).code).toBe(0)
    expect(profile().token).not.toBe(token)
    expect((await login()).code).toBe(0)
  })

  test('goes as docs/access.md shows it', async () => {
    const { provider, service, svc } = await scene()
    const page = readFileSync(join(ROOT_PATH, 'docs/access.md'), 'utf8')
    const transcript = /^```console\n(.*?)^```$/ms
      .exec(page)![1]!
      .replaceAll('https://releases.example.com', service.url)
      .replaceAll('https://login.example.com/device', `${provider.url}/code`)
      .replaceAll('WDJB-MJHT', 'ABCD-EFGH')
      .replaceAll(' ann ', ' Ann ')
    const [, ...commands] = transcript.split('$ svc ')
    expect(commands).toHaveLength(4)
    for (const command of commands) {
      const [line, ...shown] = command.trimEnd().split('\n')
      const { code, stdout, stderr } = await svc(line!)
      expect({ line, code }).toEqual({ line, code: 0 })
      expect(`${stderr}${stdout}`.split('\n')).toEqual(expect.arrayContaining(shown))
    }
  })

  test.each([
    ['the person says no', { said: 'no' }, /did not let you in: access_denied\./],
    [
      'nobody says anything',
      { said: 'nothing', expires_in: 0.1 },
      /Nobody confirmed ABCD-EFGH in time; begin/,
    ],
  ] as const)('ends where %s, and keeps nothing', async (_what, device, says) => {
    const { provider, login, laptop } = await scene()
    provider.device = { slow: 0, expires_in: 60, ...device }
    const { code, stdout, stderr } = await login()
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(says)
    expect(laptop.has(FILE)).toBe(false)
  })

  test('by a browser where the provider takes no codes, or the person wants it', async () => {
    for (const [takesCodes, line] of [
      [false, ''],
      [true, ' --browser'],
    ] as const) {
      const { login, svc, provider } = await scene({ takesCodes })
      expect(await login(line)).toMatchObject({ code: 0, stdout: 'signed in as Ann (write)\n' })
      expect(provider.requests['/device']).toBeUndefined()
      expect((await svc('whoami --profile prod')).code).toBe(0)
    }
  })

  test.each(['', ' --browser'])(
    'does without offline_access where the provider refuses that:%s',
    async line => {
      const { provider, login, svc } = await scene()
      provider.refusesOffline = true
      const ran = await login(line)
      expect(ran).toMatchObject({ code: 0, stdout: 'signed in as Ann (write)\n' })
      expect(ran.stderr).toContain('Sign in again, without offline_access.')
      expect((await svc('whoami --profile prod')).code).toBe(0)
    },
  )

  test('listens to nobody but the browser that brings the answer to its own sign-in', async () => {
    const { provider, svc, service } = await scene({ takesCodes: false })
    const statuses: number[] = []
    const visit = async (location: string): Promise<void> => {
      const back = provider.authorize(location)
      for (const forge of [
        (url: URL) => url.searchParams.set('state', 'another'),
        (url: URL) => (url.pathname = '/other'),
      ]) {
        const forged = new URL(back)
        forge(forged)
        statuses.push((await fetch(forged)).status)
      }
      const answer = await fetch(back)
      statuses.push(answer.status)
    }
    let visited = Promise.resolve()
    const ran = await svc(`login --profile prod --url ${service.url}`, text => {
      const location = /^Sign in at (\S+)\n$/.exec(text)?.[1]
      if (location !== undefined) visited = visit(location)
    })
    await visited
    expect({ ...ran, statuses }).toMatchObject({ code: 0, statuses: [404, 404, 200] })
  })

  test('is refused by an ID token of another sign-in, and by another issuer', async () => {
    for (const forge of [
      { nonce: 'another' },
      { iss: 'https://evil.example' },
      { aud: 'others' },
      { exp: Date.now() / 1000 - 120 },
    ]) {
      const { provider, login, laptop } = await scene({ takesCodes: false })
      provider.forge = claims => ({ ...claims, ...forge })
      const { code, stderr } = await login()
      expect(code).toBe(1)
      expect(stderr).toMatch(/This is not the answer of .*(?:nonce|iss|aud)|clock/)
      expect(laptop.has(FILE)).toBe(false)
    }
  })

  test('says what is missing', async () => {
    const { svc, service, laptop, login, provider } = await scene({ login: { client_secret_ref: 'SECRET' } })
    expect((await svc(`login --url ${service.url}`)).stderr).toMatch(/name it with --profile NAME/)
    expect((await login()).stderr).toMatch(/needs auth\.oidc\[\]\.login\.cli_client_id, a public client/)
    const plain = await socketService()
    expect((await svc(`login --profile p --url ${plain.url}`)).stderr).toMatch(
      /Nobody can sign in at \S+: its service\.yaml has no auth\.oidc\[\]\.login/,
    )
    expect((await svc('login --profile unknown')).stderr).toMatch(/There is no profile unknown/)
    expect((await svc('logout --profile unknown')).stderr).toMatch(/There is no profile unknown/)
    laptop.write('config/svc/profiles/.keep', '')
    const other = await socketService({ workspace: signInAt(provider) })
    expect((await svc(`login --profile p --url ${other.url}`)).stderr).toMatch(
      /says that its address is https:\/\/gate\.example\.com, and a sign-in is valid for one address: give --url https:/,
    )
  })

  test('of two ways takes the one that is named', async () => {
    const provider = await testProvider({ redirectUris: [], now: Date.now })
    provider.configuration = { device_authorization_endpoint: `${provider.url}/device` }
    provider.device.said = 'yes'
    const port = await freePort()
    const { auth, ...rest } = signInAt(provider, {
      workspace: { public_url: `http://127.0.0.1:${port}` },
    }) as any
    const second = { ...auth.oidc[0], login: { client_id: 'pages', name: 'staff' } }
    const oidc = [{ ...auth.oidc[0], issuer: 'https://elsewhere.example' }, second]
    const service = await socketService({ workspace: { ...rest, auth: { oidc } } }, { port })
    service.clock.now = Date.now()
    const laptop = makeWorkspace()
    const svc = (...args: string[]): Promise<Ran> =>
      laptop.svcWith({ env: { XDG_CONFIG_HOME: laptop.path('config') } }, 'login', '--profile', 'p', ...args)
    expect((await svc('--url', service.url)).stderr).toMatch(/name one with --with, sso, staff\./)
    expect((await svc('--url', service.url, '--with', 'x')).stderr).toMatch(
      /called x; there are sso, staff\./,
    )
    expect(await svc('--url', service.url, '--with', 'staff')).toMatchObject({ code: 0 })
  })

  test.each([
    ['down', /Nobody can sign in with .* now: it can't be reached/],
    ['broken', /Nobody can sign in with .* now: it can't be reached/],
  ] as const)('says so where the provider is %s', async (state, says) => {
    const { provider, login } = await scene()
    provider.state = state
    const { code, stderr } = await login()
    expect(code).toBe(1)
    expect(stderr).toMatch(says)
  })
})

describe('a session of svc', () => {
  const HOURS_3 = 3 * 3_600_000

  test('that has ended is renewed by the refresh token, and the command goes on', async () => {
    const { login, svc, service, profile, provider } = await scene()
    await login()
    const before = profile()
    service.clock.now += HOURS_3
    // The provider's tokens are of this moment, which the service takes for the past.
    provider.forge = claims => ({
      ...claims,
      iat: service.clock.now / 1000,
      exp: service.clock.now / 1000 + 60,
    })
    expect(await svc('whoami --profile prod')).toMatchObject({ code: 0, stderr: '' })
    const after = profile()
    expect(after.token).not.toBe(before.token)
    expect(after.login!.refresh_token).not.toBe(before.login!.refresh_token)
    expect(after.login!.nonce_secret).toBe(before.login!.nonce_secret)
  })

  test('is renewed once by commands that run at the same time', async () => {
    const { login, svc, service, provider } = await scene()
    await login()
    service.clock.now += HOURS_3
    provider.forge = claims => ({
      ...claims,
      iat: service.clock.now / 1000,
      exp: service.clock.now / 1000 + 60,
    })
    const lines = Array.from({ length: 4 }, () => svc('release list --profile prod'))
    for (const ran of await Promise.all(lines)) expect(ran.code).toBe(0)
    expect(provider.refreshTokens.size).toBe(1)
    const { sessions } = await ok(operating(service).call('GET /v1/sessions'))
    expect(sessions.length).toBe(2)
  })

  test('that can not be renewed says what to do', async () => {
    const { login, svc, service, provider } = await scene()
    await login()
    service.clock.now += HOURS_3
    provider.refreshTokens.clear()
    const { code, stderr } = await svc('release list --profile prod')
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^svc: the session of prod was not renewed: .*the refresh token was used before\. Sign in again\.\nsvc: The session has ended: it was not used for a while; sign in again\. Run `svc login --profile NAME`\.\n$/,
    )
  })

  test('that was revoked is not renewed, but by the person', async () => {
    const { login, svc, service } = await scene()
    await login()
    const { sessions } = await ok(operating(service).call('GET /v1/sessions'))
    const listed = await svc('session list --profile prod')
    expect(listed.stdout).toMatch(new RegExp(`^${sessions[0].session_id}\\tAnn\\tcli\\twrite\\topen\\t`, 'm'))
    const revoked = await svc(`session revoke ${sessions[0].session_id} --profile prod`)
    expect(revoked).toMatchObject({ code: 0, stdout: `${sessions[0].session_id} revoked\n` })
    expect(revoked.stderr).toBe(`svc: sending to ${service.url}\n`)
    const { code, stderr } = await svc('release list --profile prod')
    expect(code).toBe(1)
    expect(stderr).toMatch(/A session of yours was revoked: sign in again with `svc login --browser`\./)
    expect((await svc('whoami --profile prod')).code).toBe(1)
    expect((await login(' --browser')).code).toBe(0)
    expect((await svc('release list --profile prod')).code).toBe(0)
  })

  test('is ended by svc logout, here and at the provider, and nothing is kept', async () => {
    const { login, svc, service, profile, provider } = await scene()
    await login()
    const { token } = profile()
    expect(await svc('logout --profile prod')).toEqual({
      code: 0,
      stdout: `signed out of ${service.url}\n`,
      stderr: '',
    })
    expect(profile()).toEqual({ url: service.url })
    expect(provider.refreshTokens.size).toBe(0)
    const answer = await service.call('GET /v1/releases', { headers: { authorization: `Bearer ${token}` } })
    expect(answer.status).toBe(401)
    expect((await svc('logout --profile prod')).stderr).toMatch(/Nobody is signed in by the profile prod/)
  })

  test('is forgotten by svc logout though neither the service nor the provider answers', async () => {
    const { login, svc, profile, provider, laptop } = await scene()
    await login()
    const port = await freePort()
    laptop.write(FILE, { ...profile(), url: `http://127.0.0.1:${port}` })
    provider.state = 'down'
    const { code, stderr } = await svc('logout --profile prod')
    expect(code).toBe(1)
    expect(stderr.match(/^svc: warning: /gm)?.length).toBe(2)
    expect(Object.keys(profile())).toEqual(['url'])
  })
})

test('svc whoami says who asks, whatever the credential is', async () => {
  const workspace = makeWorkspace({})
  const local = await workspace.svc('whoami')
  expect(local.stdout).toMatch(
    /^tester at .*\(the command line on its own ledger\); may read, send run events, /,
  )
  const service = await socketService({ tokens: { main: 'geheim' } })
  const none = await workspace.svc('whoami', '--url', service.url)
  expect(none).toMatchObject({
    code: 1,
    stdout: `nobody at ${service.url}\n`,
    stderr: 'svc: A Bearer token is required. Set the token of the profile, or SERVICE_LOCAL_API_TOKEN.\n',
  })
  const mistaken = { env: { SERVICE_LOCAL_API_TOKEN: 'falsch' } }
  const invalid = await workspace.svcWith(mistaken, 'whoami', '--url', service.url)
  expect(invalid).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^svc: The Bearer token is not valid/),
  })
  const env = { SERVICE_LOCAL_API_TOKEN: 'geheim' }
  const shared = await workspace.svcWith({ env }, 'whoami', '--url', service.url, '--output', 'json')
  expect(JSON.parse(shared.stdout)).toMatchObject({
    caller: { source: 'shared' },
    session: null,
    sign_in: [],
  })
  const wrong = await workspace.svcWith(
    { env: { SERVICE_LOCAL_API_TOKEN: 'x' } },
    'whoami',
    '--url',
    service.url,
  )
  expect(wrong).toMatchObject({ code: 1, stdout: `nobody at ${service.url}\n` })
})
