import { describe, expect, test } from 'vitest'
import { importPrices, register } from '../../../support/services/builders.ts'
import { seededRandom } from '../../../../src/base/numbers.ts'
import { type LoggedEvent, randomLog } from '../../../support/databases/random_log.ts'
import { ingest, ok } from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

const LOGS = 4
const EVENTS = 500
const QUERIES = 60
const WIDTH_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** What the model stores: the event as it was sent, with its tracing ids at hand. */
type Stored = LoggedEvent & { readonly request: Readonly<Record<string, string>> | null }

/** Forensics pages against a list in memory that is filtered, sorted and cut. */
export function runsModelContract(makeService: MakeService): void {
  describe('pages of runs equal a filtered, sorted and cut list', () => {
    for (let seed = 1; seed <= LOGS; seed++) {
      test(`on random log ${seed}`, async () => {
        const random = seededRandom(1000 + seed)
        const service = await makeService()
        await importPrices(service)
        const releases = [await register(service), await register(service)]
        const log = randomLog(random, releases, EVENTS).map(event => traced(event, random))
        await ingestInPieces(service, log, random)
        const stored = newestFirst(firstOfEachRun(log))
        for (let query = 0; query < QUERIES; query++) {
          service.clock.now = NOON + Math.floor((random() - 0.3) * 7_200_000)
          const wanted = randomQuery(random, releases)
          const expected = pageOf(stored, wanted, service.clock.now)
          expect({ wanted, page: await givenPage(service, wanted) }).toEqual({ wanted, page: expected })
        }
      })
    }
  })
}

function traced(event: LoggedEvent, random: () => number): Stored {
  const pick = (prefix: string) => `${prefix}${Math.floor(random() * 5)}`
  const request =
    random() < 0.2 ? null : { trace_id: pick('tr'), session_id: pick('se'), span_id: pick('sp') }
  return { ...event, request, json: { ...event.json, request } }
}

async function ingestInPieces(
  service: TestService,
  log: readonly Stored[],
  random: () => number,
): Promise<void> {
  for (let start = 0; start < log.length;) {
    const end = start + 1 + Math.floor(random() * 150)
    await ingest(
      service,
      log.slice(start, end).map(event => event.json),
    )
    start = end
  }
}

function firstOfEachRun(log: readonly Stored[]): Stored[] {
  const seen = new Map<string, Stored>()
  for (const event of log) if (!seen.has(event.run_id)) seen.set(event.run_id, event)
  return [...seen.values()]
}

/** By time, and among equals the later arrival first. */
function newestFirst(arrived: readonly Stored[]): Stored[] {
  return arrived.toReversed().sort((a, b) => b.at - a.at)
}

type Query = Record<string, string | number>

function randomQuery(random: () => number, releases: readonly string[]): Query {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  const unit = pick(['m', 'h', 'd'] as const)
  const filters = [
    { environment: pick(['local', 'prod']) },
    { tenant_id: pick(['t1', 't2', 'nobody']) },
    { task_id: 'k1' },
    { trace_id: `tr${Math.floor(random() * 6)}` },
    { session_id: `se${Math.floor(random() * 5)}` },
    { span_id: `sp${Math.floor(random() * 5)}` },
  ].filter(() => random() < 0.2)
  return {
    release_id: pick(releases),
    window: `${1 + Math.floor(random() * { m: 300, h: 80, d: 5 }[unit])}${unit}`,
    offset: random() < 0.3 ? 0 : Math.floor(random() ** 2 * 260),
    limit: pick([1, 2, 7, 30, 100, 500]),
    ...Object.assign({}, ...filters),
  }
}

/** The part of a page that the model knows. */
interface Page {
  readonly run_ids: readonly string[]
  readonly offset: number
  readonly limit: number
  readonly matched_total: number
  readonly returned: number
  readonly truncated: boolean
}

async function givenPage(service: TestService, query: Query): Promise<Page> {
  const { events, offset, limit, matched_total, returned, truncated } = await ok(
    service.call('GET /v1/runs', { query }),
  )
  const run_ids = events.map((event: { run_id: string }) => event.run_id)
  return { run_ids, offset, limit, matched_total, returned, truncated }
}

function pageOf(stored: readonly Stored[], query: Query, until: number): Page {
  const window = String(query.window)
  const since = until - Number.parseInt(window, 10) * WIDTH_MS[window.at(-1) as keyof typeof WIDTH_MS]
  const isWanted = (name: string, value: string | undefined) =>
    query[name] === undefined || query[name] === value
  const matching = stored.filter(
    event =>
      event.release_id === query.release_id &&
      event.environment === (query.environment ?? 'local') &&
      event.at >= since &&
      event.at < until &&
      isWanted('tenant_id', event.tenant_id) &&
      isWanted('task_id', event.task_id) &&
      ['trace_id', 'session_id', 'span_id'].every(name => isWanted(name, event.request?.[name])),
  )
  const { offset, limit } = query as { offset: number; limit: number }
  const run_ids = matching.slice(offset, offset + limit).map(event => event.run_id)
  return {
    run_ids,
    offset,
    limit,
    matched_total: matching.length,
    returned: run_ids.length,
    truncated: offset + run_ids.length < matching.length,
  }
}
