import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { fakeProvider } from '../../test/support/providers/fake_provider.ts'
import { CACHE, inVenv, run as runIn } from '../proofs/packages.ts'
import { CLIENTS, type Client, JAVA, NODE, PYTHON } from './clients.ts'

/** How many calls of a model a client was answered, or why it isn't run. */
type Truth = { readonly calls: number } | { readonly notRun: string }

export interface Truths {
  /** The installed packages, by environment. */
  readonly versions: Readonly<Record<string, readonly string[]>>
  readonly clients: Readonly<Record<string, Truth>>
}

const FIXTURES = join(ROOT_PATH, 'test/fixtures/clients')
const TRUTH = join(FIXTURES, 'truth.json')
const PROGRAMS = join(ROOT_PATH, 'tools/captures/programs')

/** So long a model takes, ms: two spans of one call then agree in time, as those of real ones. */
const MODEL_MS = 150
/** Longest that a client may take, ms. */
const MOST_MS = 120_000

/** Runs the named clients, or all, and writes what their exporters sent, and the truth about it. */
export async function recordClients(names: readonly string[]): Promise<void> {
  mkdirSync(FIXTURES, { recursive: true })
  for (const client of CLIENTS) {
    const { name, packages } = client
    if (names.length > 0 && !names.includes(name)) continue
    const file = join(FIXTURES, `${name}.bin.gz`)
    let truth: Truth
    try {
      const folder = installed(packages)
      const { calls, bytes } = await recordedOf(client, folder)
      truth = { calls }
      writeFileSync(file, gzipSync(bytes, { level: 9 }))
    } catch (error) {
      truth = { notRun: lastLine((error as Error).message) }
      rmSync(file, { force: true })
    }
    note(client, truth)
    process.stdout.write(`${name}: ${JSON.stringify(truth)}\n`)
  }
}

function note({ name, packages }: Client, truth: Truth): void {
  const known: Truths = existsSync(TRUTH)
    ? (JSON.parse(readFileSync(TRUTH, 'utf8')) as Truths)
    : { versions: {}, clients: {} }
  const all: Truths = {
    versions: sorted({ ...known.versions, [packages]: packagesOf(packages) }),
    clients: sorted({ ...known.clients, [name]: truth }),
  }
  writeFileSync(TRUTH, `${JSON.stringify(all, null, 1)}\n`)
}

function sorted<T>(entries: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)))
}

async function recordedOf(client: Client, folder: string): Promise<{ calls: number; bytes: Buffer }> {
  const provider = await fakeProvider(MODEL_MS)
  const bodies: Buffer[] = []
  const collector = createServer(async (request, response) => {
    const body = await buffer(request)
    // Some send logs and metrics there too.
    if (request.url === '/v1/traces')
      bodies.push(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body)
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  })
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const { port } = collector.address() as AddressInfo
  try {
    const [command, args] = commandOf(client, folder)
    const child = spawn(command, args, {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: MOST_MS,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        PROVIDER_URL: provider.url,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://127.0.0.1:${port}/v1/traces`,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
        OTEL_METRICS_EXPORTER: 'none',
        // Others name paths of this machine.
        OTEL_NODE_RESOURCE_DETECTORS: 'env',
        OTEL_SERVICE_NAME: 'support-bot',
        OTEL_RESOURCE_ATTRIBUTES: 'release_governance.release_id=rel_1,deployment.environment.name=prod',
      },
    })
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    if (code !== 0) throw new Error(said)
    if (bodies.length === 0) throw new Error('nothing was exported')
    // Requests one after the other are one request.
    const bytes = Buffer.concat(bodies)
    for (const path of [homedir(), tmpdir(), ROOT_PATH])
      if (bytes.includes(path)) throw new Error('the export names a path')
    return { bytes, calls: provider.answered() }
  } finally {
    collector.closeAllConnections()
    collector.close()
    await provider.close()
  }
}

/** A folder outside of the project with the named packages, and the programs. */
function installed(packages: Client['packages']): string {
  const folder = join(CACHE, 'captures', packages)
  const wanted = packagesOf(packages).join('\n')
  const file = join(folder, 'requirements.txt')
  if (!existsSync(file) || readFileSync(file, 'utf8') !== wanted) {
    mkdirSync(folder, { recursive: true })
    const run = (program: string, ...args: readonly string[]) => runIn(program, args, { cwd: folder })
    if (isIn(NODE, packages)) {
      writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
      run(
        'npm',
        'install',
        '--no-audit',
        '--no-fund',
        '--ignore-scripts',
        '--legacy-peer-deps',
        ...NODE[packages],
      )
    } else if (isIn(JAVA, packages)) {
      cpSync(join(PROGRAMS, packages), folder, { recursive: true })
      run('mvn', '-q', '-B', 'dependency:build-classpath', `-Dmdep.outputFile=${CLASSPATH}`)
    } else {
      run('python3', '-m', 'venv', '.')
      run(inVenv(folder, 'python'), '-m', 'pip', 'install', '--quiet', ...PYTHON[packages])
    }
    writeFileSync(file, wanted)
  }
  cpSync(PROGRAMS, folder, { recursive: true })
  return folder
}

/** Where Maven writes down what a program needs. */
const CLASSPATH = 'classpath.txt'

function packagesOf(packages: Client['packages']): readonly string[] {
  return { ...PYTHON, ...NODE, ...JAVA }[packages]
}

function isIn<T extends object>(some: T, packages: PropertyKey): packages is keyof T {
  return packages in some
}

/** How to start a client in the folder of its packages. */
function commandOf({ name, packages }: Client, folder: string): [command: string, args: string[]] {
  if (isIn(NODE, packages)) return [process.execPath, [`${name}.mjs`]]
  if (!isIn(JAVA, packages)) return [inVenv(folder, 'python'), ['clients.py', name]]
  return ['java', ['-cp', readFileSync(join(folder, CLASSPATH), 'utf8'), 'Client.java']]
}

function lastLine(error: string): string {
  const line = error.trim().split('\n').at(-1)!
  return line.replaceAll(CACHE, '').replaceAll(homedir(), '~').slice(0, 200)
}
