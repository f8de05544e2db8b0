import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Miniflare, type MiniflareOptions } from 'miniflare'
import { parse } from 'smol-toml'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { workerBundle } from '../support/workers/workerd.ts'
import { connectBrowser } from '../support/browser/web_page.ts'
import { assetServer } from '../../src/runtime/node/assets.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { artifactOf } from '../support/browser/web_story.ts'

/** What wrangler reads of wrangler.toml to run the Worker. */
interface Wrangler {
  readonly compatibility_date: string
  readonly compatibility_flags: string[]
  readonly vars: Record<string, string>
  readonly d1_databases: readonly { readonly binding: string; readonly database_id: string }[]
  readonly assets: {
    readonly directory: string
    readonly binding: string
    readonly run_worker_first: boolean
    readonly html_handling: 'none'
    readonly not_found_handling: 'none'
  }
}

let miniflare: Miniflare
let url: string

beforeAll(async () => {
  const config = parse(readFileSync(join(ROOT_PATH, 'wrangler.toml'), 'utf8')) as unknown as Wrangler
  const { directory, binding, run_worker_first, html_handling, not_found_handling } = config.assets
  miniflare = new Miniflare({
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
    modules: [{ type: 'ESModule', path: 'index.js', contents: await workerBundle() }],
    d1Databases: Object.fromEntries(config.d1_databases.map(one => [one.binding, one.database_id])),
    bindings: { ...config.vars, SERVICE_LOCAL_API_TOKEN: 's3cret' },
    assets: {
      directory: join(ROOT_PATH, directory),
      binding,
      routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: run_worker_first },
      assetConfig: { html_handling, not_found_handling },
    },
    handleRuntimeStdio: () => {},
  } as MiniflareOptions)
  url = (await miniflare.ready).origin
})

afterAll(() => miniflare.dispose())

describe('a Worker as wrangler.toml says', () => {
  test.each(['/', '/index.html', '/docs/docs.js'])(
    'serves %s with the headers that Node gives it',
    async path => {
      const page = (await assetServer()(path))!
      const answer = await fetch(url + path)
      expect(answer.status).toBe(200)
      expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(page.body as Uint8Array))).toBe(true)
      const { etag: _etag, ...headers } = page.headers
      expect(Object.keys(headers)).toContain('content-security-policy')
      for (const [name, value] of Object.entries(headers)) {
        expect([name, answer.headers.get(name)?.toLowerCase()]).toEqual([name, value.toLowerCase()])
      }
    },
  )

  test('serves the API beside them, and nothing else', async () => {
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({
      status: 'ok',
      mutation_auth: 'bearer',
    })
    const headers = { authorization: 'Bearer s3cret' }
    expect(await (await fetch(`${url}/v1/releases`, { headers })).json()).toEqual({ releases: [] })
    for (const path of ['/_headers', '/index', '/nothing', '/docs/']) {
      expect([path, (await fetch(url + path)).status]).toEqual([path, path === '/docs/' ? 200 : 404])
    }
  })

  test('shows what is live in a browser, once the token is given', async () => {
    const browser = await connectBrowser()
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('pageerror', error => problems.push(error.message))
    await page.goto(url)
    await page.getByText('This ledger takes a token').waitFor()
    await page.getByLabel('Token').fill('s3cret')
    await page.getByRole('button', { name: 'Use token' }).click()
    await page.getByText('No releases yet').waitFor()
    const send = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
      const headers = { authorization: 'Bearer s3cret', 'content-type': 'application/json' }
      const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      return (await answer.json()) as Record<string, unknown>
    }
    const registration = { artifact: artifactOf('courier', '1.0.0'), checksum: 'ab'.repeat(32) }
    const { release_id } = await send('/v1/releases', { ...registration, environment: 'prod' })
    await send('/v1/promote', { release_id, environment: 'prod', window: '24h', reason: 'first of all' })
    await page.reload()
    await page.getByRole('link', { name: 'courier' }).first().click()
    await page.getByText('first of all').waitFor()
    await page.getByRole('link', { name: 'Log', exact: true }).click()
    await page.getByRole('button', { name: 'Verify the chain' }).click()
    await page.getByText(/^chain holds: all [\d,]+ decisions? recomputed here$/).waitFor()
    expect(problems).toEqual([])
  })
})
