import { writeFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../test/support/browser/browser.ts'
import { BEGINS, seedRollouts } from '../test/support/browser/web_rollouts.ts'
import { fillBoard } from '../test/support/browser/web_scale.ts'
import { type WebServer, webServer } from '../test/support/browser/web_server.ts'
import { runStory } from '../test/support/browser/web_story.ts'
import { ROOT_PATH } from '../src/runtime/root.ts'

/** Takes the pictures of pages that README and docs show, into docs/images. `npm run build:web` comes before it. */
const SIZE = { width: 1280, height: 800 } as const

const [server, splitting] = await Promise.all([webServer(), webServer(BEGINS)])
await runStory(server)
await fillBoard(server, 12)
const { rollouts } = await seedRollouts(splitting)
const browser = await launchBrowser()
const context = await browser.newContext({ viewport: SIZE, colorScheme: 'light', reducedMotion: 'reduce' })
const page = await context.newPage()
const session = await context.newCDPSession(page)

const place = 'agent=support-bot&env=prod'
await take('board', server, '', shown => shown.getByText(/^1\.2\.0 is blocked/).waitFor())
await take('place', server, `view=place&${place}`, shown => shown.locator('path.series').first().waitFor())
await take('rollback', server, 'decide=rollback&decide_agent=support-bot&decide_env=prod', shown =>
  shown.getByText('Passes the policy').waitFor(),
)
await take('decision', server, 'view=log', shown =>
  shown
    .getByRole('listitem')
    .filter({ hasText: 'nicer answers' })
    .getByRole('link', { name: 'Promotion' })
    .click(),
)
await take('rollout', splitting, `view=place&rollout=${rollouts.running}`)

await browser.close()
await Promise.all([server.close(), splitting.close()])

/** WebP takes a third of what PNG does, and Playwright writes none. */
async function take(
  name: string,
  { url }: WebServer,
  query: string,
  act: (page: Page) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  await page.goto(`${url}/?${query}`)
  await page.locator('h1').first().waitFor()
  await act(page)
  await page.waitForFunction(() => document.querySelector('.skeleton') === null)
  // What was read last is drawn in the frame after.
  await page.evaluate(
    () => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 50 })
  writeFileSync(`${ROOT_PATH}docs/images/${name}.webp`, Buffer.from(data, 'base64'))
}
