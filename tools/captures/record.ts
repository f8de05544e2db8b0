import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { CLIENTS, type Client, type Truth, type Truths } from './clients.ts'
import { JAVA, NODE } from './packages.ts'
import { PROGRAMS, type Program } from './programs.ts'
import { exportOf, lastLine, packagesOf, refusePaths } from './run.ts'

/**
 * Records what real agents export, by running them against a provider on loopback:
 *   npm run captures             all of them
 *   npm run captures -- NAME…    some
 * Their packages go into a cache folder. The results are in test/fixtures/otlp, as they were sent but for the stack
 * traces, which name folders of this machine, and in test/fixtures/clients to the byte, with the truth about them. What can't
 * be run is named with the error.
 */
const OTLP = join(ROOT_PATH, 'test/fixtures/otlp')
const BYTES = join(ROOT_PATH, 'test/fixtures/clients')
const TRUTH = join(BYTES, 'truth.json')

/** So long a model takes, ms: two spans of one call then agree in time, as those of real ones. */
const MODEL_MS = 150

const names = process.argv.slice(2)
const isWanted = ({ name }: { readonly name: string }): boolean => names.length === 0 || names.includes(name)
const notRun: string[] = []
mkdirSync(OTLP, { recursive: true })
mkdirSync(BYTES, { recursive: true })
for (const program of PROGRAMS.filter(isWanted)) await attempt(program.name, () => record(program))
for (const client of CLIENTS.filter(isWanted)) await attempt(client.name, () => recordClient(client))
process.stdout.write(`${notRun.length} not run${notRun.map(line => `\n  ${line}`).join('')}\n`)

async function attempt(name: string, run: () => Promise<string>): Promise<void> {
  try {
    process.stdout.write(`${name}: ${await run()}\n`)
  } catch (error) {
    notRun.push(`${name}: ${lastLine(error)}`)
    process.stdout.write(`${notRun.at(-1)}\n`)
  }
}

async function record({ name, run, format, env }: Program): Promise<string> {
  const packages = run === 'ai_sdk_7.mjs' ? undefined : run.endsWith('.py') ? 'python' : 'node'
  const { bodies } = await exportOf({ packages, args: [run], env: { CAPTURE_FORMAT: format, ...env } })
  // Requests one after the other are one request in protobuf, and in JSON but for the list around them.
  const whole = format === 'proto' ? Buffer.concat(bodies) : Buffer.from(inOneJson(bodies))
  refusePaths(whole)
  writeFileSync(join(OTLP, `${name}.${format === 'proto' ? 'bin' : 'json'}`), whole)
  return `${whole.length} bytes`
}

function inOneJson(bodies: readonly Buffer[]): string {
  const resourceSpans = bodies.flatMap(
    body => (JSON.parse(body.toString()) as { resourceSpans: unknown[] }).resourceSpans,
  )
  return JSON.stringify({ resourceSpans }, (_key, value: { key?: string } | null) =>
    value?.key === 'exception.stacktrace' ? { ...value, value: { stringValue: '' } } : value,
  )
}

async function recordClient(client: Client): Promise<string> {
  const file = join(BYTES, `${client.name}.bin.gz`)
  try {
    const { bodies, calls } = await exportOf({
      packages: client.packages,
      args: argsOf(client),
      modelMs: MODEL_MS,
      env: {
        OTEL_SERVICE_NAME: 'support-bot',
        OTEL_RESOURCE_ATTRIBUTES: 'release_governance.release_id=rel_1,deployment.environment.name=prod',
      },
    })
    const bytes = Buffer.concat(bodies)
    refusePaths(bytes)
    writeFileSync(file, gzipSync(bytes, { level: 9 }))
    note(client, { calls })
    return `${calls} calls`
  } catch (error) {
    rmSync(file, { force: true })
    note(client, { notRun: lastLine(error) })
    throw error
  }
}

function argsOf({ name, packages, call, by }: Client): readonly string[] {
  if (packages in NODE) return [`${name}.mjs`]
  if (packages in JAVA) return ['Client.java']
  // The provider refuses the one prompt.
  return ['clients.py', name.endsWith('_fails') ? 'fail' : 'Where is my order 4711?', call, ...by]
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
