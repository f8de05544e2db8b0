import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { routes, tags } from '../../../../handlers/index.ts'
import { seededRandom } from '../../../../src/base/numbers.ts'
import { bodyText } from '../../../../src/http/wire/message.ts'
import { createRouter } from '../../../../src/http/router.ts'
import { openApiDocument } from '../../../../src/http/openapi/openapi.ts'
import examples from '../../../../src/http/openapi/api_examples.json' with { type: 'json' }
import { temporaryLedger } from '../../../support/databases/ledger.ts'
import { fillLedger } from '../../../support/databases/whole_ledger.ts'
import { scaled } from '../../../support/scale.ts'
import { OPERATOR } from '../../../support/services/credentials.ts'
import { type TestService, testService } from '../../../support/services/service.ts'
import { type Description, type DrawnRequest, grammar } from '../../suite/operation/grammar.ts'

const REQUESTS = Number(process.env.REQUESTS ?? scaled(1000, 1_000_000))
const SEED = Number(process.env.SEED ?? 1)
/** What was written piles up, so there is a new ledger after so many. */
const PER_LEDGER = 5000

/** Most growth of the process by a request, bytes, when it has seen half of all: a statement that is left is thousands. */
const MAX_GROWTH = 100
/** Ledgers from which on growth can be separated from what a process needs to start. */
const LEDGERS_MEASURED = 40
/** No request may take longer, on however busy a machine, ms. */
const MAX_MS = 20_000

test(`${REQUESTS} requests drawn from the API's description get no 5xx, and none hangs`, async () => {
  const document = await openApiDocument(tags, '0.0.0-test', examples)
  const description = JSON.parse(JSON.stringify(document)) as Description
  const router = createRouter(routes)
  const statuses = new Map<string, number>()
  const reached = new Set<string>()
  const settled: number[] = []
  let slowest = { ms: 0, route: '' }
  for (let done = 0, ledger = 0; done < REQUESTS; ledger++) {
    const service = await filledLedger()
    const draw = grammar(description, seededRandom(SEED + ledger), await idsOf(service))
    for (let left = Math.min(PER_LEDGER, REQUESTS - done); left > 0; left--, done++) {
      const drawn = draw()
      const startedAt = performance.now()
      const { status, text } = await send(router, service, drawn)
      const ms = performance.now() - startedAt
      if (ms > slowest.ms) slowest = { ms, route: drawn.route }
      const shown = JSON.stringify({ seed: SEED, ledger, ...drawn, status, text, log: service.logged.at(-1) })
      // A service in process holds no streams.
      if (status >= 500 && status !== 501) expect.fail(shown.slice(0, 4000))
      if (/\bat .*\.ts:\d+|node_modules/.test(text)) expect.fail(shown.slice(0, 4000))
      const kind = `${Math.floor(status / 100)}xx`
      statuses.set(kind, (statuses.get(kind) ?? 0) + 1)
      if (status < 300) reached.add(drawn.route)
      service.logged.length = 0
    }
    await service.sql.close()
    if (REQUESTS >= LEDGERS_MEASURED * PER_LEDGER) settled.push(await settledMemory())
    if (ledger % 10 === 9) process.stdout.write(`${done} requests, ${megabytes(settled.at(-1) ?? 0)} MB\n`)
  }
  expect(slowest.ms, slowest.route).toBeLessThan(MAX_MS)
  expect(Reflect.has({}, 'polluted')).toBe(false)
  const growth = growthByRequest(settled)
  expect(growth).toBeLessThan(MAX_GROWTH)
  const all = Object.keys(routes).length
  expect(reached.size).toBeGreaterThan(scaled(0.4, 0.75) * all)
  process.stdout.write(
    `${REQUESTS} requests, ${[...statuses].map(([kind, count]) => `${kind}: ${count}`).join(', ')}; ` +
      `${reached.size} of ${all} routes answered with success; slowest ${slowest.ms.toFixed(0)} ms ` +
      `(${slowest.route}); memory grew by ${growth.toFixed(0)} bytes a request in the second half; SEED=${SEED}\n`,
  )
  process.stdout.write(
    `never with success: ${Object.keys(routes)
      .filter(route => !reached.has(route))
      .join(', ')}\n`,
  )
})

async function filledLedger(): Promise<TestService> {
  const service = await testService({ sql: await temporaryLedger() })
  await fillLedger(service, 1, 100)
  return service
}

async function send(
  router: ReturnType<typeof createRouter>,
  { context }: TestService,
  { method, target, headers, body }: DrawnRequest,
): Promise<{ status: number; text: string }> {
  const url = `http://localhost:8765${target}`
  // After the first credential exists, all other requests need one.
  const asOperator = { ...context, peer: OPERATOR }
  const reply = await router({ method, url, headers: new Headers(headers), body: body ?? null }, asOperator)
  return { status: reply.status, text: await bodyText(reply) }
}

/** Ids that the ledger holds, by the names that fields and parameters have for them. */
async function idsOf(service: TestService): Promise<Map<string, string[]>> {
  const known = new Map<string, Set<string>>()
  const note = (value: unknown, name: string): void => {
    if (typeof value === 'string' && /_id$|^environment$|^provider$|^pricing_version$/.test(name)) {
      known.set(name, (known.get(name) ?? new Set()).add(value))
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) note(inner, key)
    }
  }
  const lists = Object.keys(routes).filter(route => /^GET \/v1\/[^{]*$/.test(route))
  for (const route of lists) note((await service.call(route as 'GET /v1/board')).body, '')
  const ids = new Map([...known].map(([name, values]) => [name, [...values]]))
  const releases = ids.get('release_id') ?? []
  for (const name of ['baseline_release_id', 'candidate_release_id', 'against']) ids.set(name, releases)
  return ids
}

/**
 * The process without what only waits for a collection: the driver gives back a closed connection with its statements,
 * megabytes in all, when V8 collects the small objects that own them.
 */
async function settledMemory(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.()
    await nextTurn()
  }
  return process.memoryUsage.rss()
}

/** From the third quarter of the ledgers to the last one, by their medians, bytes; 0 where nothing was measured. */
function growthByRequest(settled: readonly number[]): number {
  const quarter = Math.floor(settled.length / 4)
  if (quarter === 0) return 0
  const [before, after] = [settled.slice(-2 * quarter, -quarter), settled.slice(-quarter)]
  return (median(after) - median(before)) / (quarter * PER_LEDGER)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0)
}
