import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type Server, createServer, request } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import assert from 'node:assert/strict'
import { Miniflare, type MiniflareOptions } from 'miniflare'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { launchBrowser } from '../../../test/support/browser/browser.ts'
import { makeAuthority } from '../../../test/support/processes/certificates.ts'
import { freePort } from '../../../test/support/processes/free_port.ts'
import { COMPATIBILITY } from '../../../test/support/workers/workerd.ts'
import { buildWorker } from '../../worker.ts'
import { NotHere } from '../packages.ts'
import { withService } from '../service.ts'
import {
  PASSWORD,
  type RealProvider,
  SECRET,
  type StartProvider,
  startKeycloak,
  startOidcProvider,
} from './providers.ts'

/**
 * People sign in with identity providers of others, in a browser over HTTPS and with `svc`, at a service on Node and in
 * workerd: `npm run prove -- sign-in`, or `-- sign-in keycloak` for one of them.
 */
const PROVIDERS: Readonly<Record<string, StartProvider>> = {
  'oidc-provider': startOidcProvider,
  keycloak: startKeycloak,
}

/** Of the command line. */
const PROFILE = ['--profile', 'prod']

// Pages of an earlier build prove nothing of these.
execFileSync(process.execPath, ['tools/web.mjs'], { cwd: ROOT_PATH, stdio: 'ignore' })
const folder = mkdtempSync(join(tmpdir(), 'svc-sign-in-'))
const authority = makeAuthority()
writeFileSync(join(folder, 'authority.pem'), authority.cert)
const port = await freePort()
const base = `https://localhost:${port}`
/** The end of TLS, in front of whatever service runs. */
let upstream = ''
const front = createSecureServer(authority.issue('localhost'), (incoming, outgoing) => {
  const headers = { ...incoming.headers, 'x-forwarded-proto': 'https' }
  const onward = request(upstream + incoming.url!, { method: incoming.method!, headers }, answered => {
    outgoing.writeHead(answered.statusCode!, answered.rawHeaders)
    answered.pipe(outgoing)
  })
  onward.on('error', () => outgoing.destroy())
  incoming.pipe(onward)
}).listen(port)
const evil = await pageOfAnother()
const browser = await launchBrowser()
let failed = 0
try {
  const named = process.argv.slice(2)
  for (const [name, start] of Object.entries(PROVIDERS)) {
    if (named.length > 0 && !named.includes(name)) continue
    try {
      await withProvider(name, await start(base))
    } catch (error) {
      if (!(error instanceof NotHere)) throw error
      process.stdout.write(`sign-in, ${name}: it could not be installed: ${error.message}\n`)
    }
  }
} finally {
  await browser.close()
  for (const server of [front, evil]) {
    server.closeAllConnections()
    server.close()
  }
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failed === 0 ? 0 : 1

async function withProvider(name: string, provider: RealProvider): Promise<void> {
  try {
    const roles = [{ role: 'admin', claims: { groups: 'deployers' } }]
    const { issuer, scopes } = provider
    const login = {
      client_id: 'pages',
      client_secret_ref: 'SIGN_IN_SECRET',
      cli_client_id: 'svc',
      scopes: [...scopes],
    }
    const config = { public_url: base, auth: { oidc: [{ issuer, name_claim: 'name', login, roles }] } }
    await withService({ SIGN_IN_SECRET: SECRET }, url => proven(`${name}, Node`, provider, url), config)
    const worker = await startWorker(config)
    try {
      await proven(`${name}, workerd`, provider, (await worker.ready).origin)
    } finally {
      await worker.dispose()
    }
  } finally {
    await provider.close()
  }
}

async function startWorker(config: object): Promise<Miniflare> {
  const options = {
    ...COMPATIBILITY,
    modules: [{ type: 'ESModule', path: 'index.js', contents: await buildWorker() }],
    d1Databases: { DB: 'DB' },
    bindings: { SERVICE_CONFIG: JSON.stringify(config), SIGN_IN_SECRET: SECRET },
    handleRuntimeStdio: () => {},
    assets: {
      directory: join(ROOT_PATH, 'dist/web'),
      binding: 'ASSETS',
      routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
      assetConfig: { html_handling: 'none', not_found_handling: 'none' },
    },
  }
  return new Miniflare(options as MiniflareOptions)
}

/** What is proven of a provider and a runtime, step by step: each goes on from where the one before it came to. */
async function proven(what: string, { issuer }: RealProvider, url: string): Promise<void> {
  upstream = url
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    const steps: Readonly<Record<string, () => Promise<void>>> = {
      'a person signs in and is back where it began': () => signsIn(page, issuer),
      'cookies are for this host over HTTPS alone': () => holdsCookies(context),
      'what the person changes is on record under that name': () => changes(page, issuer),
      'a code that comes back twice opens nothing': () => replays(page),
      'pages of others change nothing, frame nothing and plant nothing': () => isAttacked(context, page),
      'who signs out has to give the password again': () => signsOut(page),
      'who is in no group is told so': () => isRefused(context),
      'svc login takes a code, renews and ends its session': () => usesCode(browser),
      'svc login takes a browser of this machine': () => usesLoopback(context),
    }
    for (const [step, work] of Object.entries(steps)) {
      try {
        await work()
        process.stdout.write(`sign-in, ${what}: ${step}\n`)
      } catch (error) {
        failed++
        process.stdout.write(`sign-in, ${what}: NOT SO: ${step}\n${String((error as Error).stack)}\n`)
        process.stdout.write(`at ${page.url()}: ${(await page.innerText('body')).slice(0, 500)}\n`)
        return
      }
    }
  } finally {
    await context.close()
  }
}

async function signsIn(page: Page, issuer: string): Promise<void> {
  await page.goto(`${base}/?view=log&agent=a`)
  await page.locator('main').getByRole('link', { name: 'Sign in' }).click()
  await answer(page, 'ann', async () => page.url().startsWith(base))
  assert.equal(page.url(), `${base}/?view=log&agent=a`)
  await page.locator('.sidebar').getByText('Ann Archer').waitFor()
  const { session } = await json(page, 'v1/session')
  assert.equal(session.issuer, issuer)
  assert.equal(session.role, 'admin')
}

async function holdsCookies(context: BrowserContext): Promise<void> {
  const cookies = await context.cookies([base, `${base}/v1/session`])
  const described = cookies.map(({ name, httpOnly, secure, sameSite }) => [name, httpOnly, secure, sameSite])
  assert.deepEqual(
    described.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
    [
      ['__Host-service-csrf', false, true, 'Strict'],
      ['__Host-service-session', true, true, 'Strict'],
      ['__Host-service-session-id', true, true, 'Lax'],
      ['__Secure-service-id-token', true, true, 'Strict'],
    ],
  )
}

async function changes(page: Page, issuer: string): Promise<void> {
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'Access' }).click()
  await page.getByRole('button', { name: 'Create a token…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('ci')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByRole('button', { name: 'I have kept it' }).click()
  const { entries } = await json(page, 'v1/audit?kind=token.made&limit=1')
  const { subject } = (await json(page, 'v1/session')).session
  const [{ actor, actor_source, actor_identity }] = entries
  assert.deepEqual(
    { actor, actor_source, actor_identity },
    {
      actor: 'Ann Archer',
      actor_source: 'oidc',
      actor_identity: { issuer, subject },
    },
  )
  await page.evaluate(async () => {
    const csrf = /service-csrf=(\w+)/.exec(document.cookie)![1]!
    await fetch('v1/tokens/ci', { method: 'DELETE', headers: { 'x-service-csrf': csrf } })
  })
}

async function replays(page: Page): Promise<void> {
  const answers: string[] = []
  const note = (sent: { url(): string }): void =>
    void (sent.url().includes('/callback?') && answers.push(sent.url()))
  page.on('request', note)
  await page.goto(`${base}/v1/sign-in/sso?to=`)
  await page.waitForURL(`${base}/`)
  page.off('request', note)
  await page.goto(answers[0]!)
  await page.getByText('This browser did not begin this sign-in').waitFor()
  await page.getByRole('link', { name: 'Back to the web UI' }).click()
  await page.locator('.sidebar').getByText('Ann Archer').waitFor()
}

/** A server of somebody else, whose page forges requests, frames ours, and plants cookies for all ports of its host. */
function pageOfAnother(): Promise<Server> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<iframe src="${base}/"></iframe><script>
      document.cookie = '__Host-service-session=rgss_0; path=/'
      document.cookie = '__Host-service-session=rgss_0; path=/; secure'
      document.cookie = 'service-session=rgss_0; path=/'
      const send = mode => fetch('${base}/v1/tokens', { method: 'POST', mode, credentials: 'include',
        headers: mode === 'cors' ? { 'content-type': 'application/json' } : {},
        body: JSON.stringify({ name: 'evil', role: 'admin' }) }).then(({ status }) => String(status), () => 'refused')
      Promise.all([send('cors'), send('no-cors')]).then(said => { document.title = said.join(' ') })
    </script>`)
  })
  return new Promise(resolve => {
    server.listen(0, () => resolve(server))
  })
}

async function isAttacked(context: BrowserContext, page: Page): Promise<void> {
  const { port: evilPort } = evil.address() as AddressInfo
  // One host is of another site, the other shares its cookies with ours.
  for (const host of ['127.0.0.1', 'localhost']) {
    const other = await context.newPage()
    await other.goto(`http://${host}:${evilPort}/`)
    await other.waitForFunction(() => document.title !== '')
    const [cors] = (await other.title()).split(' ')
    assert.equal(cors, 'refused')
    // What the browser shows in the place of a page that may not be framed.
    await other.frames()[1]!.waitForURL(/^chrome-error:/)
    await other.close()
  }
  const { tokens } = await json(page, 'v1/tokens')
  assert.deepEqual(
    tokens.filter(({ name }: { name: string }) => name === 'evil'),
    [],
  )
  const { session, problem } = await json(page, 'v1/session')
  assert.deepEqual([session.name, problem], ['Ann Archer', null])
}

async function signsOut(page: Page): Promise<void> {
  await page.goto(`${base}/?view=board`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  const isBack = async (): Promise<boolean> => page.url() === `${base}/`
  await answer(page, 'nobody', isBack)
  await page.getByRole('heading', { name: 'Sign in to see this ledger' }).waitFor()
  await page.locator('main').getByRole('link', { name: 'Sign in' }).click()
  await page.locator('input[type=password]').waitFor()
}

async function isRefused(context: BrowserContext): Promise<void> {
  const page = await context.newPage()
  await page.goto(`${base}/v1/sign-in/sso`)
  await answer(page, 'eve', async () => page.url().startsWith(base))
  await page.getByText(/No role is set for Eve Archer: groups is (?:empty|missing)/).waitFor()
  await page.close()
  await context.clearCookies()
}

interface Command {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs svc as a process; `hears` gets what it has said on stderr so far, each time that it says more. */
function svc(args: readonly string[], hears: (said: string) => void = () => {}): Promise<Command> {
  const child = spawn(process.execPath, [join(ROOT_PATH, 'bin/svc.cjs'), ...args], {
    cwd: folder,
    env: {
      ...process.env,
      XDG_CONFIG_HOME: join(folder, 'config'),
      NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
    },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (text: Buffer) => (stdout += text.toString()))
  child.stderr.on('data', (text: Buffer) => {
    stderr += text.toString()
    hears(stderr)
  })
  return new Promise(resolve => {
    child.on('close', code => resolve({ code, stdout, stderr }))
  })
}

async function usesCode(of: Browser): Promise<void> {
  // Somebody whom the provider does not know yet.
  const context = await of.newContext({ ignoreHTTPSErrors: true })
  const page = await context.newPage()
  let visiting: Promise<void> | undefined
  let isDone = false
  const ran = svc(['login', ...PROFILE, '--url', base], said => {
    const [, plain, code] = /Open (\S+) and enter (\S+)/.exec(said) ?? []
    if (plain === undefined || code === undefined) return
    visiting ??= page.goto(plain).then(() => answer(page, 'ann', async () => isDone, code))
  })
  void ran.then(() => (isDone = true))
  const { code, stdout, stderr } = await ran
  await visiting
  assert.equal(code, 0, stderr)
  assert.equal(stdout, 'signed in as Ann Archer (admin)\n')
  await context.close()
  const file = join(folder, 'config/svc/profiles/prod.json')
  const before = JSON.parse(readFileSync(file, 'utf8'))
  assert.equal(typeof before.login.refresh_token, 'string')
  // As if the session had ended.
  writeFileSync(file, JSON.stringify({ ...before, token: `rgss_${'0'.repeat(88)}` }), { mode: 0o600 })
  const renewed = await svc(['release', 'list', ...PROFILE])
  assert.equal(renewed.code, 0, renewed.stderr)
  assert.match((await svc(['whoami', ...PROFILE])).stdout, /^Ann Archer at https:.* \(signed in with /)
  assert.equal((await svc(['logout', ...PROFILE])).stdout, `signed out of ${base}\n`)
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { url: base })
}

async function usesLoopback(context: BrowserContext): Promise<void> {
  const page = await context.newPage()
  let visiting: Promise<void> | undefined
  const ran = await svc(['login', ...PROFILE, '--browser'], said => {
    const location = /Sign in at (\S+)/.exec(said)?.[1]
    const isBack = async (): Promise<boolean> => (await page.innerText('body')).startsWith('Done: close this')
    if (location !== undefined) visiting ??= page.goto(location).then(() => answer(page, 'ann', isBack))
  })
  await visiting
  assert.equal(ran.code, 0, ran.stderr)
  assert.equal((await svc(['whoami', ...PROFILE])).code, 0)
  await page.close()
}

/** Fills in what a provider asks, and says yes to what it offers, until that has come to its end. */
async function answer(page: Page, person: string, isOver: () => Promise<boolean>, code = ''): Promise<void> {
  for (let step = 0; step < 40; step++) {
    await page.waitForLoadState()
    if (await isOver()) return
    const form = page.locator('form')
    for (const [name, value] of Object.entries({
      username: person,
      login: person,
      password: PASSWORD,
      user_code: code,
      device_user_code: code,
    })) {
      const field = form.locator(`input[name=${name}]:visible`)
      if ((await field.count()) === 1) await field.fill(value)
    }
    // A button may be outside of the form that it submits.
    const button = page.locator('[type=submit]:visible, form button:not([type=button]):visible').first()
    if ((await button.count()) === 1) await button.click({ timeout: 2000 }).catch(() => {})
    await page.waitForTimeout(250)
  }
  throw new Error(`it goes on and on at ${page.url()}`)
}

// oxlint-disable-next-line typescript/no-explicit-any -- a proof looks into answers freely
function json(page: Page, path: string): Promise<any> {
  return page.evaluate(async from => (await fetch(from)).json(), path)
}
