import type { Browser, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { openPage, settled } from './web_page.ts'
import type { WebServer } from './web_server.ts'
import { type Story, storyServer } from './web_story.ts'

/** A page of a server of its own that has the story, gone when the test is over. */
export async function openStory(
  browser: Browser,
  query: string = PLACE,
  workspace: Record<string, unknown> = {},
): Promise<{ page: Page; server: WebServer; story: Story; problems: string[] }> {
  const { server, story } = await storyServer({ workspace })
  onTestFinished(() => server.close())
  const { page, problems } = await openPage(browser, `${server.url}/${query}`)
  await settled(page)
  return { page, server, story, problems }
}

/** What the page of the place says, and offers. */
export const verdictOf = (page: Page) => page.getByRole('region', { name: 'Verdict' })

/** The address of the place that the story is about. */
const PLACE = '?view=place&agent=support-bot&env=prod'

export async function actionsOf({ url }: WebServer): Promise<Record<string, unknown>[]> {
  const response = await fetch(`${url}/v1/actions`)
  return ((await response.json()) as { actions: Record<string, unknown>[] }).actions
}
