import type { Browser, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { openPage, settled } from './web_page.ts'
import type { WebServer } from './web_server.ts'
import { type Story, storyServer } from './web_story.ts'

/** A page of a server of its own that has the story, gone when the test is over. */
export async function openStory(
  browser: Browser,
  query: string,
  workspace: Record<string, unknown> = {},
): Promise<{ page: Page; server: WebServer; story: Story; problems: string[] }> {
  const { server, story } = await storyServer({ workspace })
  onTestFinished(() => server.close())
  const { page, problems } = await openPage(browser, `${server.url}/${query}`)
  await settled(page)
  return { page, server, story, problems }
}

/** The row of the board of the agent that the story is about. */
export const liveRow = (page: Page) => page.getByRole('row', { name: /support-bot/ })

export async function actionsOf({ url }: WebServer): Promise<Record<string, unknown>[]> {
  const response = await fetch(`${url}/v1/actions`)
  return ((await response.json()) as { actions: Record<string, unknown>[] }).actions
}
