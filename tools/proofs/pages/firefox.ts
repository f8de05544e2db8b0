import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { NotHere, debianPackage } from '../packages.ts'

/** What stock Firefox needs besides that a server without a screen does not have. */
const LIBRARIES = [
  'libgtk-3-0',
  'libepoxy0',
  'libcolord2',
  'libwayland-cursor0',
  'libwayland-egl1',
  'libvpx7',
]

/** A page of Firefox as Debian packs it, driven by WebDriver BiDi (https://www.w3.org/TR/webdriver-bidi/). */
export interface FirefoxPage {
  readonly version: string
  /** What its console complained of. */
  readonly problems: readonly string[]
  goto(url: string): Promise<void>
  resize(width: number, height: number): Promise<void>
  /** The value of an expression, awaited. Throws what it throws. */
  evaluate<T>(expression: string): Promise<T>
  /** Presses keys one after the other. */
  press(...keys: string[]): Promise<void>
  close(): Promise<void>
}

/** Opens it. Throws `NotHere` where Debian's packages can't be had, or are too few for it to start. */
export async function openFirefox(): Promise<FirefoxPage> {
  const home = join(debianPackage('firefox-esr'), 'usr/lib/firefox-esr')
  const libraries = LIBRARIES.map(name => join(debianPackage(name), 'usr/lib/x86_64-linux-gnu'))
  const profile = mkdtempSync(join(tmpdir(), 'svc-firefox-'))
  const child = spawn(
    join(home, 'firefox-esr'),
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, HOME: profile, LD_LIBRARY_PATH: [home, ...libraries].join(':') },
    },
  )
  const problems: string[] = []
  const { send, end } = await connected(await addressOf(child), entry => problems.push(entry))
  const { capabilities } = await send('session.new', { capabilities: {} })
  await send('session.subscribe', { events: ['log.entryAdded'] })
  const { context } = await send('browsingContext.create', { type: 'tab' })
  return {
    version: `${capabilities.browserName} ${capabilities.browserVersion}`,
    problems,
    goto: async url => void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
    resize: async (width, height) =>
      void (await send('browsingContext.setViewport', { context, viewport: { width, height } })),
    evaluate: async expression => {
      const wrapped = `(async () => JSON.stringify(await (${expression})))()`
      const target = { context }
      const said = await send('script.evaluate', { expression: wrapped, target, awaitPromise: true })
      if (said.type === 'exception') throw new Error(said.exceptionDetails.text)
      return said.result.value === undefined ? undefined : JSON.parse(said.result.value)
    },
    press: async (...keys) => {
      const actions = keys.flatMap(value => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ])
      await send('input.performActions', { context, actions: [{ type: 'key', id: 'keys', actions }] })
    },
    close: async () => {
      const gone = new Promise(resolve => child.once('exit', resolve))
      end()
      child.kill()
      await gone
      rmSync(profile, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** Where it listens, as it says when it is up. */
async function addressOf(child: ChildProcess): Promise<string> {
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stderr! })) {
    lines.push(line)
    const address = /WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1]
    if (address === undefined) continue
    child.stderr!.resume()
    return address
  }
  throw new NotHere(`Firefox did not start:\n${lines.slice(-10).join('\n')}`)
}

// oxlint-disable-next-line typescript/no-explicit-any -- answers differ by method, as the protocol says
type Send = (method: string, params: object) => Promise<any>

async function connected(
  address: string,
  onProblem: (text: string) => void,
): Promise<{ send: Send; end: () => void }> {
  const socket = new WebSocket(`${address}/session`)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', () => reject(new Error(`${address} can't be reached`)), { once: true })
  })
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result, message, method, params } = JSON.parse(String(data))
    if (method === 'log.entryAdded' && params.level === 'error') onProblem(String(params.text))
    if (result === undefined) waiting.get(id)?.reject(new Error(message))
    else waiting.get(id)?.resolve(result)
    waiting.delete(id)
  })
  let sent = 0
  const send: Send = (method, params) => {
    const answer = Promise.withResolvers<unknown>()
    sent += 1
    waiting.set(sent, answer)
    socket.send(JSON.stringify({ id: sent, method, params }))
    return answer.promise
  }
  return { send, end: () => socket.close() }
}
