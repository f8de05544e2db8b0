import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { arch, env, platform } from 'node:process'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { ServiceClient } from '../../src/sdk/index.ts'
import { releaseOf } from '../../test/support/services/builders.ts'
import { freePort } from '../../test/support/processes/free_port.ts'
import { type TestSpan, protobufExport } from '../../test/support/otlp/exports.ts'
import { AGENT, call, child, root } from '../../test/support/otlp/spans.ts'
import { NotHere, archive } from './packages.ts'
import { withService } from './service.ts'

const VERSION = '0.165.0'
/** Sent with the 503. */
const RETRY_AFTER_S = 2
const TOKENS = { SERVICE_LOCAL_API_TOKEN: 'main', SERVICE_INGEST_TOKEN: 'ingest' }

/** What the exporter must have done, as somebody between it and the service sees it. */
interface Seen {
  readonly encoding: string | undefined
  readonly type: string | undefined
  readonly authorization: string | undefined
  readonly status: number
  readonly at: number
}

try {
  const program = env.OTELCOL ?? (await collector())
  await withService(TOKENS, url => prove(program, url))
} catch (error) {
  if (!(error instanceof NotHere)) throw error
  process.stdout.write(
    `collector: not tried, for it could not be had: ${error.message}\n` +
      'Put a Collector (contrib) here yourself, and name it by OTELCOL.\n',
  )
}

/** The Collector's release, `contrib` for its groupbytrace. */
async function collector(): Promise<string> {
  const machine = { x64: 'amd64', arm64: 'arm64' }[arch as string]
  if (!['linux', 'darwin'].includes(platform) || machine === undefined) {
    throw new NotHere(`the proof knows no release of it for ${platform} ${arch}`)
  }
  const file = `otelcol-contrib_${VERSION}_${platform}_${machine}.tar.gz`
  const releases = 'https://github.com/open-telemetry/opentelemetry-collector-releases/releases/download'
  return join(await archive('otelcol', `${releases}/v${VERSION}/${file}`), 'otelcol-contrib')
}

/** Sends spans to a Collector with the configuration of the docs, and looks what came of them here. */
async function prove(program: string, service: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-prove-'))
  const seen: Seen[] = []
  const front = await busyOnce(service, seen)
  const port = await freePort()
  const config = configOfDocs()
    .replace('127.0.0.1:4318', `127.0.0.1:${port}`)
    .replace('http://127.0.0.1:8765', front.url)
    .replace('wait_duration: 10s', 'wait_duration: 1s')
  const metrics = '  telemetry:\n    metrics:\n      level: none\n'
  writeFileSync(join(folder, 'config.yaml'), config + metrics)
  const collecting = spawn(program, ['--config', join(folder, 'config.yaml')], {
    env: { ...env, ...TOKENS },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const logged = text(collecting.stderr)
  try {
    await whenStarted(collecting, `http://127.0.0.1:${port}/v1/traces`)
    await wholeRuns(new ServiceClient(service, { token: 'main' }), `http://127.0.0.1:${port}/v1/traces`, seen)
  } finally {
    collecting.kill()
    front.server.close()
    rmSync(folder, { recursive: true, force: true })
  }
  assert.match(await logged, /Partial success/, 'the Collector logs what was refused')
  process.stdout.write('collector: logs the partial success, and sent nothing of it again\n')
}

async function wholeRuns(client: ServiceClient, url: string, seen: Seen[]): Promise<void> {
  const release_id = await release(client)
  const query = { release_id, window: '1h', environment: 'prod' }
  const stored = async (): Promise<number> => (await client.listRuns(query)).events.length
  // A child leaves before its root, and in a request of its own.
  await send(url, [{ ...child(2, call(100, 50)), trace: 1 }])
  await send(url, [{ ...root(), trace: 1 }])
  await until(async () => (await stored()) === 1, 'one run is stored')
  const [refused, taken] = seen
  assert.equal(seen.length, 2, 'the export was sent twice')
  assert.deepEqual([refused!.status, taken!.status], [503, 200])
  assert.ok(taken!.at - refused!.at >= RETRY_AFTER_S * 1000, 'Retry-After was waited for')
  for (const { encoding, type, authorization } of seen) {
    assert.deepEqual([encoding, type, authorization], ['gzip', 'application/x-protobuf', 'Bearer ingest'])
  }
  process.stdout.write(
    'collector: one run of two exports, with gzip, again after a 503 when Retry-After said\n',
  )
  // No release has this version: a partial success, which is not to be sent again.
  await send(
    url,
    [
      { ...root(), trace: 2 },
      { ...child(2, call(1, 1)), trace: 2 },
    ],
    '9.9.9',
  )
  await until(async () => seen.length === 3, 'the refused spans were sent')
  await send(url, [
    { ...root(), trace: 3 },
    { ...child(2, call(1, 1)), trace: 3 },
  ])
  await until(async () => (await stored()) === 2, 'the next run is stored')
  assert.deepEqual(
    seen.slice(2).map(({ status }) => status),
    [200, 200],
  )
}

type Spans = readonly TestSpan[]

async function send(url: string, spans: Spans, version = '1.5.0'): Promise<void> {
  const at = Date.now() - 1000
  const attributes = {
    'service.name': AGENT['gen_ai.agent.name'],
    'service.version': version,
    'deployment.environment.name': 'prod',
  }
  const body = protobufExport({
    attributes,
    spans: spans.map(span => ({ ...span, endMs: at, startMs: at - 100 })),
  })
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf' },
    body,
  })
  assert.equal(response.status, 200)
}

/** Passes requests on to the service, but for the first, as if the ledger were busy. */
async function busyOnce(service: string, seen: Seen[]): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request)
      const { 'content-encoding': encoding, 'content-type': type, authorization } = request.headers
      const isFirst = seen.length === 0
      const headers = { 'content-type': type!, 'content-encoding': encoding!, authorization: authorization! }
      const answer = isFirst
        ? new Response('', { status: 503, headers: { 'retry-after': String(RETRY_AFTER_S) } })
        : await fetch(service + request.url!, { method: 'POST', headers, body })
      seen.push({ encoding, type, authorization, status: answer.status, at: Date.now() })
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      response.end(Buffer.from(await answer.arrayBuffer()))
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

/** The configuration in docs/traces.md. */
function configOfDocs(): string {
  const page = readFileSync(join(ROOT_PATH, 'docs/traces.md'), 'utf8')
  return /^```yaml\n(.*?)^```$/ms.exec(page)![1]!
}

async function whenStarted(collecting: ChildProcess, url: string): Promise<void> {
  const listens = async (): Promise<boolean> => {
    assert.equal(collecting.exitCode, null, 'the Collector runs')
    return fetch(url, { method: 'POST', headers: { 'content-type': 'application/x-protobuf' } }).then(
      () => true,
      () => false,
    )
  }
  await until(listens, 'the Collector listens')
}

async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + 60_000; !(await isSo()); await sleep(200)) {
    assert.ok(Date.now() < end, `not within a minute: ${what}`)
  }
}

async function release(client: ServiceClient): Promise<string> {
  await client.importPrices({
    table: {
      provider: 'acme',
      pricing_version: 'v1',
      entries: [{ model: 'm1', input_usd_per_1k_tokens: 0.001, output_usd_per_1k_tokens: 0.004 }],
    },
  })
  const { release_id } = await client.registerRelease({
    checksum: 'a'.repeat(64),
    environment: 'prod',
    artifact: releaseOf({ agent: AGENT['gen_ai.agent.name'], version: '1.5.0' }),
  })
  return release_id
}
