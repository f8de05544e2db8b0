import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectBrowser } from '../support/browser/web_page.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { type AuditBundles, auditBundles } from '../support/processes/audit_bundles.ts'

const VERIFIERS = join(ROOT_PATH, 'examples/verify')
const hasPython = spawnSync('python3', ['--version']).status === 0

let bundles: AuditBundles
beforeAll(async () => {
  bundles = await auditBundles()
})

describe('examples/verify/verify.html', () => {
  const requested: string[] = []
  const problems: string[] = []
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    browser = await connectBrowser()
    page = await browser.newPage()
    page.on('request', request => requested.push(request.url()))
    page.on('pageerror', error => problems.push(error.message))
    page.on('console', message => problems.push(message.text()))
    await page.goto(pathToFileURL(join(VERIFIERS, 'verify.html')).href)
  })
  afterAll(() => browser.close())

  /** What the page says of a bundle. */
  async function said(bundle: string, publicKey?: string): Promise<string | null> {
    const file = join(bundles.folder, 'tried.jsonl')
    writeFileSync(file, bundle)
    await page.reload()
    if (publicKey !== undefined) await page.getByLabel('Public key').setInputFiles(publicKey)
    await page.getByLabel('Bundle').setInputFiles(file)
    return page.locator('output strong').filter({ hasText: /HOLD/ }).textContent()
  }

  test('says of each bundle what holds, and asks no network', async () => {
    const { cases, key, otherKey } = bundles
    for (const { what, bundle, holds } of cases) expect(`${what}: ${await said(bundle, key)}`).toMatch(holds)
    const whole = cases[0]!.bundle
    expect(await said(whole)).toMatch(/^HOLDS: 5 of 5 entries, 1 of them decisions, /)
    const shown = await page.locator('output').textContent()
    expect(shown).toContain('NOT CHECKED who made it')
    expect(shown).toContain('It does not prove that what was recorded is true')
    expect(await said(whole, otherKey)).toBe(
      'DOES NOT HOLD: no signature of the checkpoint is one by this key',
    )
    expect(requested.filter(url => !url.startsWith('file:'))).toEqual([])
    expect(problems).toEqual([])
  })
})

/** Without python3 this is skipped: `npm run prove -- trust` says so. */
describe.skipIf(!hasPython)('examples/verify/verify.py', () => {
  /** What it says of bundles with one public key, or none: exit code, and what it printed. */
  function said(texts: readonly string[], publicKey?: string): [code: number, text: string][] {
    const files = texts.map((text, index) => {
      const file = join(bundles.folder, `${index}.jsonl`)
      writeFileSync(file, text)
      return file
    })
    const program = `
import contextlib, io, json, sys
sys.path.insert(0, ${JSON.stringify(VERIFIERS)})
sys.dont_write_bytecode = True
import verify
said = []
for file in ${JSON.stringify(files)}:
    sys.argv = ["verify.py", file, *${JSON.stringify(publicKey === undefined ? [] : ['--key', publicKey])}]
    with contextlib.redirect_stdout(io.StringIO()) as text, contextlib.redirect_stderr(text):
        said.append([verify.main(), text.getvalue()])
print(json.dumps(said))
`
    const { stdout, stderr } = spawnSync('python3', ['-c', program], { encoding: 'utf8' })
    if (stderr !== '') throw new Error(stderr)
    return JSON.parse(stdout) as [number, string][]
  }

  test('says of each bundle what holds', () => {
    const { cases, key, otherKey } = bundles
    const answers = said(
      cases.map(({ bundle }) => bundle),
      key,
    )
    for (const [index, { what, holds }] of cases.entries()) {
      const [code, text] = answers[index]!
      expect(`${what}: ${text}`).toMatch(holds)
      expect([what, code]).toEqual([what, text.startsWith('HOLDS') ? 0 : 1])
    }
    const [[code, text]] = said([cases[0]!.bundle]) as [[number, string]]
    expect(code).toBe(0)
    expect(text).toContain('NOT CHECKED who made it')
    expect(text).toContain('It does not prove that what was recorded is true')
    expect(said([cases[0]!.bundle], otherKey)).toEqual([
      [1, 'DOES NOT HOLD: no signature of the checkpoint is one by this key\n'],
    ])
  })

  test('says what can not be checked, and does not call it false', () => {
    const [whole] = bundles.cases
    const isPrivate = join(bundles.folder, 'private.pem')
    writeFileSync(isPrivate, '-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n')
    expect(said([whole!.bundle], isPrivate)).toEqual([
      [2, `CAN'T CHECK: ${isPrivate} is a private key; give its public one, ${isPrivate}.pub\n`],
    ])
    expect(said(['PK\u0003\u0004', 'Audit pack of x\n'])).toEqual([
      [2, expect.stringMatching(/^CAN'T CHECK: .* is the ZIP: unpack it, then give entries\.jsonl\n$/)],
      [2, "CAN'T CHECK: the first line is not JSON, as that of a bundle is\n"],
    ])
  })

  // It is to be read in one sitting; 50 of them compare the answers of a pack, 40 its table, and 60 decide again.
  test('has at most 365 lines', () => {
    expect(readFileSync(join(VERIFIERS, 'verify.py'), 'utf8').split('\n').length - 1).toBeLessThanOrEqual(365)
  })
})
