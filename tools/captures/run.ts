import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { fakeProvider } from '../../test/support/providers/fake_provider.ts'
import { CACHE, inVenv, run as runIn } from '../proofs/packages.ts'
import { JAVA, NODE, PYTHON, type Packages } from './packages.ts'

const PROGRAMS = join(ROOT_PATH, 'tools/captures/programs')

/** Longest that a program may take, ms. */
const MOST_MS = 240_000

/** A program that is traced, and where it runs; without packages it is one of this project's own. */
interface Traced {
  readonly packages: Packages | undefined
  /** Its file in `programs/`, and its arguments. */
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** So long a model takes, ms. */
  readonly modelMs?: number
}

/** What a program exported, one body per request, and how many calls of a model it was answered. Throws where it fails. */
export async function exportOf({ packages, args, env, modelMs = 0 }: Traced) {
  const folder = packages === undefined ? PROGRAMS : installed(packages)
  const provider = await fakeProvider(modelMs)
  const bodies: Buffer[] = []
  const collector = createServer(async (request, response) => {
    const body = await bodyOf(request)
    // Some send logs and metrics there too.
    if (request.url === '/v1/traces') bodies.push(body)
    const type = request.headers['content-type'] ?? ''
    response.writeHead(200, { 'content-type': type }).end(type.includes('json') ? '{}' : '')
  })
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  try {
    const child = spawn(commandOf(packages, folder), commandArgs(packages, folder, args), {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: MOST_MS,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        PROVIDER_URL: provider.url,
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces`,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
        OTEL_METRICS_EXPORTER: 'none',
        // Others name paths of this machine.
        OTEL_NODE_RESOURCE_DETECTORS: 'env',
        ...env,
      },
    })
    const [said, [code, signal]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    if (code !== 0) throw new Error(signal === null ? said : `it took longer than ${MOST_MS / 1000} s`)
    if (bodies.length === 0) throw new Error('nothing was exported')
    return { bodies, calls: provider.answered() }
  } finally {
    collector.closeAllConnections()
    collector.close()
    await provider.close()
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const body = await buffer(request)
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
}

/** Throws where a recording names a folder of this machine. */
export function refusePaths(recording: Buffer): void {
  for (const path of [homedir(), tmpdir(), ROOT_PATH]) {
    if (recording.includes(path)) throw new Error(`the export names ${path}`)
  }
}

const failed = new Map<Packages, unknown>()

/** A folder of the cache with the named packages, installed where they aren't there, and the programs. */
function installed(packages: Packages): string {
  if (failed.has(packages)) throw failed.get(packages)
  const folder = join(CACHE, 'captures', packages)
  const wanted = packagesOf(packages).join('\n')
  const file = join(folder, 'requirements.txt')
  if (!existsSync(file) || readFileSync(file, 'utf8') !== wanted) {
    mkdirSync(folder, { recursive: true })
    process.stderr.write(`${packages}: installing\n`)
    try {
      install(packages, folder)
    } catch (error) {
      failed.set(packages, error)
      throw error
    }
    writeFileSync(file, wanted)
  }
  cpSync(PROGRAMS, folder, { recursive: true })
  return folder
}

function install(packages: Packages, folder: string): void {
  const run = (program: string, ...args: readonly string[]) => runIn(program, args, { cwd: folder })
  if (isIn(NODE, packages)) {
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps']
    run('npm', 'install', ...options, ...NODE[packages])
  } else if (isIn(JAVA, packages)) {
    cpSync(join(PROGRAMS, packages), folder, { recursive: true })
    const options = [`-Dmaven.repo.local=${join(folder, 'repository')}`, `-Dmdep.outputFile=${CLASSPATH}`]
    run('mvn', '-q', '-B', ...options, 'dependency:build-classpath')
  } else {
    run('python3', '-m', 'venv', '.')
    run(inVenv(folder, 'python'), '-m', 'pip', 'install', '--quiet', ...PYTHON[packages])
  }
}

/** Where Maven writes down what a program needs. */
const CLASSPATH = 'classpath.txt'

export function packagesOf(packages: Packages): readonly string[] {
  return { ...PYTHON, ...NODE, ...JAVA }[packages]
}

function isIn<T extends object>(some: T, packages: PropertyKey | undefined): packages is keyof T {
  return packages !== undefined && packages in some
}

function commandOf(packages: Packages | undefined, folder: string): string {
  if (isIn(PYTHON, packages)) return inVenv(folder, 'python')
  return isIn(JAVA, packages) ? 'java' : process.execPath
}

function commandArgs(
  packages: Packages | undefined,
  folder: string,
  args: readonly string[],
): readonly string[] {
  return isIn(JAVA, packages) ? ['-cp', readFileSync(join(folder, CLASSPATH), 'utf8'), ...args] : args
}

/** Why a program could not be run: the last line of an error, without folders of this machine. */
export function lastLine(error: unknown): string {
  const line = (error as Error).message.trim().split('\n').at(-1)!
  return line.replaceAll(CACHE, '').replaceAll(homedir(), '~').slice(0, 200)
}
