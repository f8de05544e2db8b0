import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openPage, connectBrowser } from '../support/browser/web_page.ts'
import { fillBoard, fillLedger } from '../support/browser/web_scale.ts'
import { webServer } from '../support/browser/web_server.ts'
import { artifactOf } from '../support/browser/web_story.ts'

let browser: Browser

beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

/** `npm run prove -- pages` has 10,000 actions and 300 agents. */
const [ACTIONS, AGENTS] = [2000, 120]

test('a long log is paged, filtered and verified', async () => {
  const server = await webServer()
  onTestFinished(() => server.close())
  const { release_id } = await server.send('POST /v1/releases', {
    artifact: artifactOf('agent-7', '1'),
    checksum: 'a'.repeat(64),
    environment: 'prod',
  })
  await fillLedger(server, release_id, ACTIONS)
  const { page, problems } = await openPage(browser, `${server.url}/?view=log&kind=decision`)
  await page.getByText(`change ${ACTIONS - 1}`).waitFor()
  await expect
    .poll(() =>
      page
        .getByRole('list', { name: /^What happened/ })
        .getByRole('listitem')
        .count(),
    )
    .toBe(100)
  await page.getByRole('link', { name: 'Older' }).click()
  await page.getByText(`change ${ACTIONS - 101}`).waitFor()
  await page.reload()
  await page.getByText(`change ${ACTIONS - 101}`).waitFor()
  await page.getByRole('link', { name: 'Newest' }).click()
  await page.getByText(`change ${ACTIONS - 1}`).waitFor()
  await page.getByLabel('Agent').fill('agent-7')
  await page.keyboard.press('Enter')
  await page.getByText(`change ${ACTIONS - 33}`).waitFor()
  await expect.poll(() => page.getByText(`change ${ACTIONS - 1}`).count()).toBe(0)
  await page.getByRole('button', { name: 'Verify the chain' }).click()
  await page
    .getByText(`chain holds: all ${(ACTIONS + 1).toLocaleString('en')} decisions recomputed here`)
    .waitFor()
  expect(problems).toEqual([])
})

test('many agents stand on the board, and one is found by its name', async () => {
  const server = await webServer()
  onTestFinished(() => server.close())
  await fillBoard(server, AGENTS)
  const { page } = await openPage(browser, server.url)
  await page.getByRole('rowheader', { name: 'agent-000' }).waitFor()
  const rows = page.getByRole('table', { name: 'Agents' }).getByRole('row')
  await expect.poll(() => rows.count()).toBe(AGENTS + 1)
  // Rows out of sight are not drawn, and found by the browser all the same.
  await page.keyboard.press('End')
  await expect
    .poll(() =>
      page
        .getByText(`agent-${AGENTS - 1}`)
        .last()
        .isVisible(),
    )
    .toBe(true)
  await page.getByLabel('Find').pressSequentially('agent-11')
  await expect.poll(() => rows.count()).toBe(11)
  const found = (): string | null => new URL(page.url()).searchParams.get('find')
  expect(found()).toBe('agent-11')
  // The list is drawn between the keys of somebody who types this slowly, and no key is lost.
  for (const delay of [80, 90, 95, 100, 105, 110, 120]) {
    await page.getByLabel('Find').fill('')
    await page.getByLabel('Find').pressSequentially('agent-1191', { delay })
    await expect.poll(found).toBe('agent-1191')
  }
})
