import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { buffer } from 'node:stream/consumers'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { fakeProvider } from '../../test/support/providers/fake_provider.ts'
import { CACHE } from '../proofs/packages.ts'
import { recordClients } from './record_clients.ts'
import { NPM_PACKAGES, PROGRAMS, PYPI_PACKAGES, type Program } from './programs.ts'

/**
 * Records what real agents export, by running them against a provider on loopback:
 *   npm run captures             all of them
 *   npm run captures -- NAME…    some
 * Their packages go into a cache folder. The results are in test/fixtures/otlp, as they were sent but for the stack
 * traces, which name folders of this machine, and in test/fixtures/clients to the byte.
 */
const FIXTURES = join(ROOT_PATH, 'test/fixtures/otlp')
const FOLDER = join(CACHE, 'captures')
const SOURCES = join(ROOT_PATH, 'tools/captures/programs')

const wanted = process.argv.slice(2)
for (const program of PROGRAMS) {
  if (wanted.length === 0 || wanted.includes(program.name)) await record(program)
}
await recordClients(wanted)

async function record(program: Program): Promise<void> {
  const bodies = await bodiesOf(program)
  mkdirSync(FIXTURES, { recursive: true })
  // Requests one after the other are one request in protobuf, and in JSON but for the list around them.
  const whole = program.format === 'proto' ? Buffer.concat(bodies) : Buffer.from(inOneJson(bodies))
  const file = `${program.name}.${program.format === 'proto' ? 'bin' : 'json'}`
  for (const path of [homedir(), tmpdir(), ROOT_PATH]) {
    if (whole.includes(path)) throw new Error(`${file} names ${path}`)
  }
  writeFileSync(join(FIXTURES, file), whole)
  process.stdout.write(`${file}: ${whole.length} bytes\n`)
}

/** Runs a program, and returns the bodies that its exporter has sent. */
async function bodiesOf({ run, format, env }: Program): Promise<Buffer[]> {
  const provider = await fakeProvider()
  const bodies: Buffer[] = []
  const server = createServer(async (request, response) => {
    bodies.push(await bodyOf(request))
    response.writeHead(200, { 'content-type': request.headers['content-type'] ?? '' })
    response.end(format === 'http' ? '{}' : '')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const [command, file, cwd] = preparedFor(run)
  const child = spawn(command, [file], {
    cwd,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      ...env,
      CAPTURE_FORMAT: format,
      PROVIDER_URL: provider.url,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://127.0.0.1:${port}/v1/traces`,
    },
  })
  const [code] = await once(child, 'exit')
  server.close()
  await provider.close()
  if (code !== 0 || bodies.length === 0)
    throw new Error(`${run} ended with ${code}, ${bodies.length} requests`)
  return bodies
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const body = await buffer(request)
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
}

/** Installs what a program needs, and says how to start it. Those of this project's own packages run in place. */
function preparedFor(run: string): [command: string, file: string, cwd: string] {
  if (run === 'ai_sdk_7.mjs') return [process.execPath, join(SOURCES, run), SOURCES]
  const [folder, install] = run.endsWith('.py')
    ? [join(FOLDER, 'python'), installFromPyPI]
    : [join(FOLDER, 'node'), installFromNpm]
  mkdirSync(folder, { recursive: true })
  install(folder)
  cpSync(SOURCES, folder, { recursive: true })
  const command = run.endsWith('.py') ? join(folder, 'bin/python') : process.execPath
  return [command, join(folder, run), folder]
}

function installFromNpm(folder: string): void {
  const description = JSON.stringify({ private: true, type: 'module', dependencies: NPM_PACKAGES })
  const file = join(folder, 'package.json')
  if (existsSync(file) && readFileSync(file, 'utf8') === description) return
  writeFileSync(file, description)
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: folder,
    stdio: 'inherit',
  })
}

function installFromPyPI(folder: string): void {
  const file = join(folder, 'requirements.txt')
  const description = PYPI_PACKAGES.join('\n')
  if (existsSync(file) && readFileSync(file, 'utf8') === description) return
  execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' })
  execFileSync(join(folder, 'bin/python'), ['-m', 'pip', 'install', '--quiet', ...PYPI_PACKAGES], {
    stdio: 'inherit',
  })
  writeFileSync(file, description)
}

function inOneJson(bodies: readonly Buffer[]): string {
  const resourceSpans = bodies.flatMap(
    body => (JSON.parse(body.toString()) as { resourceSpans: unknown[] }).resourceSpans,
  )
  return JSON.stringify({ resourceSpans }, (_key, value: { key?: string } | null) =>
    value?.key === 'exception.stacktrace' ? { ...value, value: { stringValue: '' } } : value,
  )
}
