import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { openProvider } from '../test/support/access/openid_provider.ts'
import { signInAt } from '../test/support/access/visitor.ts'
import { launchBrowser } from '../test/support/browser/browser.ts'
import { freePort } from '../test/support/processes/free_port.ts'
import { webServer } from '../test/support/browser/web_server.ts'
import { seedEvaluations } from '../test/support/browser/web_evaluations.ts'
import { BEGINS, seedRollouts } from '../test/support/browser/web_rollouts.ts'
import { artifactOf, runStory } from '../test/support/browser/web_story.ts'

/** Takes pictures of every page in both themes, on a phone and in forced colours, into a folder: `npm run screenshots -- FOLDER`. */
const folder = resolve(process.argv[2] ?? 'dist/screenshots')
const only = process.argv[3] ?? ''
mkdirSync(folder, { recursive: true })

const server = await webServer()
const story = await runStory(server)
for (const [agent, environment] of [
  ['invoice-reader', 'prod'],
  ['invoice-reader', 'staging'],
  ['triage-bot', 'staging'],
] as const) {
  const { release_id } = await server.send('POST /v1/releases', {
    artifact: artifactOf(agent, '0.9.0', 'First try.'),
    checksum: 'cd'.repeat(32),
    environment,
  })
  if (agent !== 'triage-bot') {
    const body = { release_id, environment, window: '24h', reason: 'first release', actor: 'cho' }
    await server.send('POST /v1/promote', body)
  }
}
await seedEvaluations(server)
const approving = await webServer({ workspace: { promotion_requires_approval: true } })
const empty = await webServer()
const locked = await webServer({ token: 'secret' })
const splitting = await webServer(BEGINS)
const { cast, rollouts } = await seedRollouts(splitting)
const newest = cast.at(-1)!
const port = await freePort()
const public_url = `http://127.0.0.1:${port}`
const provider = await openProvider({
  redirectUris: [`${public_url}/v1/sign-in/sso/callback`],
  now: Date.now,
})
provider.claims = { sub: 'u-1', name: 'Ann Archer', groups: ['admins'] }
const staffed = await webServer({
  token: 'secret',
  port,
  workspace: signInAt(provider, { workspace: { public_url } }),
})
await staffed.send('POST /v1/tokens', {
  name: 'ci-deploy',
  role: 'write',
  agents: ['support-bot'],
  expires: '90d',
})
await staffed.send('POST /v1/tokens', { name: 'dashboard', role: 'read' })

const { baseline, candidate, regression } = story
const place = 'agent=support-bot&env=prod'
const dialog = 'decide_agent=support-bot&decide_env=prod'
const PAGES: readonly (readonly [name: string, query: string, act?: (page: Page) => Promise<unknown>])[] = [
  ['board', '?view=board'],
  ['place', `?view=place&${place}`],
  ['place-quiet', '?view=place&agent=invoice-reader&env=prod'],
  ['place-passes', `?view=place&${place}&baseline=${baseline}&candidate=${candidate}`],
  ['place-few', `?view=place&${place}&baseline=${baseline}&candidate=${candidate}&window=2h`],
  ['release', `?view=place&${place}&release=${candidate}`],
  ['acknowledge', `?view=place&${place}&acknowledge=${regression}`],
  ['promote', `?view=board&decide=promote&${dialog}&decide_release=${regression}`],
  ['rollback', `?view=board&decide=rollback&${dialog}`],
  ['log', '?view=log'],
  ['action', '?view=log', page => page.getByRole('link', { name: 'Promotion' }).nth(3).click()],
  ['runs', `?view=runs&release=${regression}&env=prod`],
  ['run', `?view=runs&release=${regression}&env=prod`, page => page.locator('td a.mono').first().click()],
  ['health', '?view=settings'],
  ['webhooks', '?view=settings&part=webhooks'],
  ['evaluations', '?view=place&agent=returns-bot&env=prod&sheet=evaluations'],
  ['policy', '?view=settings&part=policy'],
  ['policy-edit', '?view=settings&part=policy&edit=fields'],
  ['access', '?view=settings&part=access'],
]
const START = `?view=place&agent=${newest.agent}&env=prod&decide=rollout&decide_agent=${newest.agent}&decide_env=prod&decide_release=${newest.candidate}`
const ROLLOUT_PAGES: typeof PAGES = [
  ['board-rollouts', '?view=board'],
  ['place-rollout', `?view=place&agent=${cast[0]!.agent}&env=prod`],
  ...Object.entries(rollouts).map(
    ([state, id]) => [`rollout-${state}`, `?view=place&rollout=${id}`] as const,
  ),
  [
    'rollout-abort',
    `?view=place&rollout=${rollouts.running}`,
    page => page.getByRole('dialog').getByRole('button', { name: 'Abort…' }).click(),
  ],
  ['rollout-start', START, page => page.getByText('Completes after').waitFor()],
  [
    'rollout-start-error',
    START,
    async page => {
      await page.getByLabel('Steps').fill('50%:1h,5%:1h')
      await page.getByText('steps must rise').waitFor()
    },
  ],
]
const MODES = [
  ['light', { width: 1280, height: 860 }, 'light'],
  ['dark', { width: 1280, height: 860 }, 'dark'],
  ['phone', { width: 390, height: 844 }, 'light'],
  ['forced', { width: 1280, height: 860 }, 'dark'],
] as const

const browser = await launchBrowser()
for (const [mode, viewport, colorScheme] of MODES) {
  const forcedColors = mode === 'forced' ? 'active' : 'none'
  const context = await browser.newContext({ viewport, colorScheme, forcedColors, reducedMotion: 'reduce' })
  // A stream leaves no network idle.
  await context.route('**/v1/stream', route => route.fulfill({ status: 501, json: { detail: 'polled' } }))
  const page = await context.newPage()
  page.on('pageerror', error => process.stderr.write(`${mode}: ${error.message}\n`))
  page.on('console', message => {
    if (message.type() === 'error') process.stderr.write(`${mode}: ${message.text()}\n`)
  })
  const shoot = async (url: string, name: string, act?: (page: Page) => Promise<unknown>): Promise<void> => {
    if (!name.includes(only)) return
    await page.goto(url)
    await act?.(page)
    await page.waitForLoadState('networkidle')
    // A dialog covers what is in view, not the page.
    const fullPage = (await page.locator('dialog[open]').count()) === 0
    await page.screenshot({ path: join(folder, `${name}-${mode}.png`), fullPage })
  }
  for (const [name, query, act] of PAGES) await shoot(`${server.url}/${query}`, name, act)
  for (const [name, query, act] of ROLLOUT_PAGES) await shoot(`${splitting.url}/${query}`, name, act)
  await shoot(`${empty.url}/`, 'empty')
  await shoot(`${locked.url}/`, 'locked')
  await shoot(`${staffed.url}/?view=settings&part=access`, 'signed-out')
  await shoot(`${staffed.url}/`, 'sign-in')
  provider.claims = { ...provider.claims, groups: ['others'] }
  await shoot(`${staffed.url}/`, 'not-let-in', shown =>
    shown.getByRole('link', { name: 'Sign in' }).last().click(),
  )
  provider.claims = { ...provider.claims, groups: ['admins'] }
  await shoot(`${staffed.url}/?view=settings&part=access`, 'signed-in', shown =>
    shown.getByRole('link', { name: 'Sign in' }).last().click(),
  )
  await shoot(`${staffed.url}/?view=settings&part=access`, 'signed-in-token', shown =>
    shown.getByRole('button', { name: 'Create a token…' }).click(),
  )
  await context.close()
}
await browser.close()
for (const each of [server, splitting, approving, empty, locked, staffed]) await each.close()
provider.close()
