import axe from 'axe-core'
import { type WebServer, webServer } from '../../../test/support/browser/web_server.ts'
import { type Story, tellStory } from '../../../test/support/browser/web_story.ts'
import { type FirefoxPage, openFirefox } from './firefox.ts'

const WIDTHS = [1440, 1024, 900, 390] as const

/** What is wrong with the pages in Firefox, a line each, and its version. Throws `NotHere` where there is none. */
export async function faultsInFirefox(): Promise<{ version: string; faults: string[] }> {
  const page = await openFirefox()
  const server = await webServer()
  try {
    const story = await tellStory(server)
    const faults: string[] = []
    for (const query of queriesOf(story)) faults.push(...(await faultsOf(page, `${server.url}/?${query}`)))
    faults.push(...(await searchByKeys(page, server, story)))
    faults.push(...(await rollBackByKeys(page, server, story)))
    return { version: page.version, faults: [...faults, ...page.problems] }
  } finally {
    await page.close()
    await server.close()
  }
}

function queriesOf({ baseline, candidate, regression }: Story): string[] {
  const place = 'agent=support-bot&env=prod'
  const deciding = 'decide_agent=support-bot&decide_env=prod'
  return [
    'view=board',
    'view=releases',
    `view=release&id=${candidate}`,
    `view=diff&${place}&baseline=${baseline}&candidate=${candidate}&spread=open`,
    `view=diff&${place}&baseline=${candidate}&candidate=${regression}`,
    `view=board&decide=promote&${deciding}&decide_release=${regression}`,
    `view=board&decide=rollback&${deciding}`,
    `view=agent&${place}`,
    'view=ledger',
    'view=suites',
    'view=rollouts',
    'view=approvals',
    `view=runs&release=${regression}&env=prod`,
    'view=webhooks',
    'view=watches',
    'view=policy',
    'view=policy&edit=fields',
    'view=policy&prices=import',
    'view=access',
  ]
}

async function faultsOf(page: FirefoxPage, url: string): Promise<string[]> {
  const where = new URL(url).search
  await page.resize(WIDTHS[0], 900)
  await page.goto(url)
  await page.evaluate(IS_READ)
  const broken = await page.evaluate<string[]>(`(() => { ${axe.source}; return ${AXE} })()`)
  const faults = broken.map(rule => `${where}: ${rule}`)
  for (const width of WIDTHS) {
    await page.resize(width, 900)
    const wide = await page.evaluate<number>(SIDEWAYS)
    if (wide > 0) faults.push(`${where}: ${wide} px too wide at ${width} px`)
  }
  return faults
}

/** Finds a run by its trace, by keys alone. */
async function searchByKeys(page: FirefoxPage, server: WebServer, { candidate }: Story): Promise<string[]> {
  const query = `release_id=${candidate}&window=24h&environment=prod&limit=1`
  const { events } = (await (await fetch(`${server.url}/v1/runs?${query}`)).json()) as {
    events: { run_id: string; request: { trace_id: string } }[]
  }
  const [{ run_id, request }] = events as [(typeof events)[number]]
  await page.goto(server.url)
  await page.evaluate(IS_READ)
  await page.press('/')
  await page.evaluate(until(`document.activeElement?.matches('.search-box')`))
  await page.press(...request.trace_id)
  await page.evaluate(until(`document.querySelector('[role=option]')?.textContent.startsWith('Run')`))
  await page.press(ENTER)
  await page.evaluate(until(`document.querySelector('dialog h2')?.textContent === 'Run'`))
  const found = await page.evaluate<boolean>(
    until(`document.querySelector('dialog')?.textContent.includes('${run_id}')`),
  )
  return found ? [] : [`the run of trace ${request.trace_id} does not open`]
}

/** Rolls back by keys alone; the ledger of the service has it then, and the page says so. */
async function rollBackByKeys(
  page: FirefoxPage,
  server: WebServer,
  { baseline, candidate }: Story,
): Promise<string[]> {
  await page.goto(`${server.url}/?decide=rollback&decide_agent=support-bot&decide_env=prod`)
  const said = `document.querySelector('dialog section.verdict')?.textContent`
  const judged = await page.evaluate<boolean>(until(`${said}?.includes('Passes the policy')`))
  await page.evaluate(`document.querySelector('dialog textarea, dialog .field.wide input').focus()`)
  await page.press(...'slow', TAB, ...'kim', ENTER)
  const result = `document.querySelector('dialog .result')?.textContent`
  const decided = await page.evaluate<boolean>(until(`${result}?.includes('Rolled back')`))
  const focused = await page.evaluate<boolean>(`document.activeElement.closest('.result') !== null`)
  const { actions } = (await (await fetch(`${server.url}/v1/actions`)).json()) as {
    actions: Record<'action' | 'release_id' | 'baseline_release_id' | 'actor', string>[]
  }
  const [last] = actions
  const isRecorded =
    last?.action === 'rollback' && last.release_id === baseline && last.baseline_release_id === candidate
  return [
    ...(judged ? [] : ['the rollback is not judged']),
    ...(decided ? [] : ['the rollback does not say that it was made']),
    ...(focused ? [] : ['the focus is not on what came of the rollback']),
    ...(isRecorded && last.actor === 'kim' ? [] : ['the rollback is not on record']),
  ]
}

/** As WebDriver names the keys. */
const [TAB, ENTER] = ['\uE004', '\uE007']

/** An expression that waits for another, at most 20 s, and says whether it came true. */
function until(condition: string): string {
  return `new Promise(resolve => {
    const end = Date.now() + 20_000
    const look = () => (${condition}) ? resolve(true) : Date.now() > end ? resolve(false) : setTimeout(look, 50)
    look()
  })`
}

const IS_READ = until(`document.querySelector('h1') && !document.querySelector('.skeleton')`)

const AXE = `axe.run({
    runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
    resultTypes: ['violations'],
  }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`

const SIDEWAYS = `new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => {
  const shown = [document.documentElement, ...document.querySelectorAll('dialog[open]')]
  resolve(Math.max(...shown.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)))
})))`
