import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { assetServer } from '../../src/runtime/node/assets.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { npmPackages } from './packages.ts'

/** What wrangler needs of a checkout. */
const FILES = ['wrangler.toml', 'package.json', 'src', 'handlers', 'migrations', 'tools', 'dist/web']
const TOKEN = 'local'
const PAGES = ['/', '/index.html', '/docs/docs.js']

const wrangler = join(npmPackages('wrangler', ['wrangler@4.164.0']), 'node_modules/.bin/wrangler')
const folder = mkdtempSync(join(tmpdir(), 'svc-wrangler-'))
for (const file of FILES) cpSync(join(ROOT_PATH, file), join(folder, file), { recursive: true })
symlinkSync(join(ROOT_PATH, 'node_modules'), join(folder, 'node_modules'))
writeFileSync(join(folder, '.dev.vars'), `SERVICE_LOCAL_API_TOKEN=${TOKEN}\n`)
const server = spawn(
  wrangler,
  ['dev', '--port', '0', '--ip', '127.0.0.1', '--show-interactive-dev-session=false'],
  {
    cwd: folder,
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
    // So that what it starts ends with it.
    detached: true,
  },
)
try {
  const url = await addressOf(server.stdout)
  const problems = [
    ...(await Promise.all(PAGES.map(path => pageProblems(url, path)))).flat(),
    ...(await apiProblems(url)),
  ]
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  process.stdout.write(
    `wrangler dev: ${problems.length === 0 ? 'pages and API are as they should be' : 'failed'}\n`,
  )
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  process.kill(-server.pid!)
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}

async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  const said: string[] = []
  for await (const line of createInterface({ input: output })) {
    said.push(line)
    const url = /Ready on (http:\S+)/.exec(line)?.[1]
    if (url === undefined) continue
    output.resume()
    return url
  }
  throw new Error(`wrangler dev ended: ${said.join('\n')}`)
}

/** A page is the same as from Node, headers and all. */
async function pageProblems(url: string, path: string): Promise<string[]> {
  const answer = await fetch(url + path)
  const expected = (await assetServer()(path))!
  const { etag: _etag, ...headers } = expected.headers
  const body = Buffer.from(await answer.arrayBuffer())
  return [
    ...(answer.status === 200 && body.equals(Buffer.from(expected.body as Uint8Array))
      ? []
      : [`${path}: ${answer.status}`]),
    ...Object.entries(headers)
      .filter(([name, value]) => answer.headers.get(name)?.toLowerCase() !== value.toLowerCase())
      .map(([name]) => `${path}: ${name} is ${answer.headers.get(name)}`),
  ]
}

async function apiProblems(url: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const { status } = await fetch(`${url}/v1/releases`, { headers })
  const { status: unknown } = await fetch(`${url}/v1/releases`)
  return status === 200 && unknown === 401
    ? []
    : [`/v1/releases: ${status} with the token, ${unknown} without`]
}
