import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Browser, type BrowserServer, type LaunchOptions, chromium } from 'playwright-core'
import { ROOT_PATH } from '../../../src/runtime/root.ts'

const require = createRequire(import.meta.url)

const CACHE = join(ROOT_PATH, 'node_modules/.cache/chromium/')

/** A headless Chromium of the caller's own. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch(launchOptions())
}

/** A headless Chromium that several processes can connect to. */
export function serveBrowser(): Promise<BrowserServer> {
  return chromium.launchServer({ ...launchOptions(), host: '127.0.0.1' })
}

/** The Chromium of the npm package on Linux x64, with the libraries it brings, or the one that CHROME_PATH names. */
function launchOptions(): LaunchOptions {
  const given = process.env.CHROME_PATH
  if (given !== undefined) return { executablePath: given, args: ARGUMENTS }
  if (!existsSync(CACHE)) unpack()
  return {
    executablePath: join(CACHE, 'chromium'),
    args: ARGUMENTS,
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(CACHE, 'al2023', 'lib'),
      FONTCONFIG_PATH: join(CACHE, 'fonts'),
      HOME: CACHE,
    },
  }
}

/**
 * As root and without a graphics card; nothing that loosens what a page may do. Drawing by an emulated card takes three
 * times as long as drawing without one, but Chromium ends itself where it finds none.
 */
const ARGUMENTS = [
  '--no-sandbox',
  '--no-zygote',
  '--in-process-gpu',
  '--disable-gpu',
  '--disable-background-networking',
  '--no-first-run',
]

/** The package's own list names the folders of a cloud; without a font, a page with an input field crashes. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>${CACHE}fonts</dir>
  <cachedir>${CACHE}fonts-cache</cachedir>
</fontconfig>
`

/** Unpacks next to its place and moves it there, so that of several processes at once each finds it whole. */
function unpack(): void {
  mkdirSync(dirname(CACHE.replace(/\/$/, '')), { recursive: true })
  const staging = mkdtempSync(`${CACHE.replace(/\/$/, '')}-`)
  const bin = join(dirname(require.resolve('@sparticuz/chromium')), '..', 'bin')
  const program = `
    const { inflate } = await import('@sparticuz/chromium')
    for (const name of ['chromium.br', 'swiftshader.tar.br', 'fonts.tar.br', 'al2023.tar.br']) await inflate(${JSON.stringify(bin)} + '/' + name)`
  execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: ROOT_PATH,
    env: { ...process.env, TMPDIR: staging },
  })
  writeFileSync(join(staging, 'fonts', 'fonts.conf'), FONTS)
  try {
    renameSync(staging, CACHE)
  } catch {
    rmSync(staging, { recursive: true, force: true })
  }
}
