import { array, assert, asyncProperty, boolean, constantFrom, integer, nat, record } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../../src/base/time.ts'
import { keepLedger } from '../../../../src/ledger/decide/keep_ledger.ts'
import { type Sql, raw, rowsOf, sql } from '../../../../src/sql/port.ts'
import type { DiffReport } from '../../../../src/models/answers/diff.ts'
import { erase } from '../../../support/services/retention.ts'
import { eventOf, importPrices, register } from '../../../support/services/builders.ts'
import {
  diffCall,
  diffOf,
  failedChecks,
  ingest,
  ok,
  promote,
  setPolicy,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

const ROLLUPS = [
  'rollup_tenant_hours',
  'rollup_task_hours',
  'rollup_part_tenant_hours',
  'rollup_part_task_hours',
] as const

/** Tenants and tasks: how runs are summed by them, how releases are compared by them, and for whom one is worse. */
export function strataContract(makeService: MakeService): void {
  describe('sums by tenant and task', () => {
    test('follow from the events, in whatever order and however often these come', async () => {
      await assert(
        asyncProperty(array(someEvent, { minLength: 1, maxLength: 40 }), nat(), async (given, cut) => {
          const service = await makeService()
          await importPrices(service)
          const release_id = await register(service)
          const events = given.map(({ hour, ...own }, index) =>
            eventOf({
              ...own,
              release_id,
              run_id: `r${index}`,
              at: NOON - hour * HOUR_MS - 1,
              latency: index,
            }),
          )
          const first = cut % events.length
          for (const some of [events.slice(first), events.slice(0, first), events]) {
            if (some.length > 0) await ingest(service, some)
            await summed(service)
          }
          const kept = await contents(service.sql)
          await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
          expect(await contents(service.sql)).toEqual(kept)
          expect(await failedChecks(service, true)).toEqual([])
          const [row] = await rowsOf(service.sql, sql`SELECT sum(runs) AS runs FROM rollup_tenant_hours`)
          expect(Number(row!.runs)).toBe(events.length)
        }),
        { numRuns: 5 },
      )
    })

    test('tell the first 500 names apart; what comes later is one, also when it comes again', async () => {
      const service = await makeService()
      await importPrices(service)
      const release_id = await register(service)
      const of = (from: number, to: number, batch: string) =>
        Array.from({ length: to - from }, (_, index) =>
          eventOf({
            release_id,
            run_id: `${batch}${from + index}`,
            tenant_id: `t${from + index}`,
            at: NOON - 1,
          }),
        )
      for (const batch of [of(0, 450, 'a'), of(430, 520, 'b'), of(490, 520, 'c')]) {
        await ingest(service, batch)
        await summed(service)
      }
      const names = await rowsOf(service.sql, sql`SELECT name FROM strata WHERE kind = 'tenant' ORDER BY id`)
      expect(names.map(({ name }) => name)).toEqual(Array.from({ length: 500 }, (_, index) => `t${index}`))
      const rest = sql`SELECT sum(runs) AS runs FROM rollup_tenant_hours WHERE stratum = 0`
      expect(Number((await rowsOf(service.sql, rest))[0]!.runs)).toBe(40)
      await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      expect(Number((await rowsOf(service.sql, rest))[0]!.runs)).toBe(40)
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('are added to a ledger that has none by a rebuild', async () => {
      const { service, ids } = await served(makeService, { tenants: 3 })
      await summed(service)
      const kept = await contents(service.sql)
      await service.sql.batch([...ROLLUPS, 'strata'].map(table => raw(`DELETE FROM ${table}`)))
      await service.sql.batch([sql`UPDATE schema_migrations SET applied_at = ${NOON} WHERE name = 'strata'`])
      expect(await failedChecks(service, true)).toEqual([])
      const before = await diffOf(service, ids, { compare_by: 'tenant' })
      expect(before.statistics.latency_ms.inconclusive_because).toBe('not_comparable')
      await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      expect((await contents(service.sql)).length).toBe(kept.length)
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('are kept for 35 days: older ones are dropped, and a rebuild does not bring them back', async () => {
      const service = await makeService()
      await importPrices(service)
      const release_id = await register(service)
      const at = (days: number) => NOON - days * DAY_MS - 1
      await ingest(
        service,
        [36, 34, 0].map(days => eventOf({ release_id, run_id: `d${days}`, at: at(days) })),
      )
      await summed(service)
      const runs = async () => (await rowsOf(service.sql, sql`SELECT runs FROM rollup_tenant_hours`)).length
      expect(await runs()).toBe(2)
      expect(await failedChecks(service, true)).toEqual([])
      await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      expect(await runs()).toBe(2)
    })

    test('know no name of a tenant that was erased, and another id where it comes again', async () => {
      const service = await makeService()
      await importPrices(service)
      const release_id = await register(service)
      const event = (run_id: string, tenant_id: string) =>
        eventOf({ release_id, run_id, tenant_id, at: NOON - 1 })
      await ingest(service, [event('r1', 'globex'), event('r2', 'other')])
      await summed(service)
      const idOf = async () =>
        (await rowsOf(service.sql, sql`SELECT id FROM strata WHERE name = 'globex'`)).map(({ id }) =>
          Number(id),
        )
      const [before] = await idOf()
      expect(await erase(service.context, 'globex')).toMatchObject({ events: 1 })
      expect(await everyText(service.sql)).not.toContain('globex')
      expect(await failedChecks(service, true)).toEqual([])
      await ingest(service, [event('r3', 'globex')])
      await summed(service)
      expect(await idOf()).not.toEqual([before])
      expect(await idOf()).toHaveLength(1)
      expect(await failedChecks(service, true)).toEqual([])
    })
  })

  describe('a comparison by tenant', () => {
    // One tenant, whose runs take twice as long, sends most of the candidate's.
    const busy = { tenants: 10, busy: true, slowOf: 9 } as const

    test('is the same before and after its hours are summed', async () => {
      const { service, ids } = await served(makeService, busy)
      const before = await diffOf(service, ids, { compare_by: 'tenant' })
      await summed(service)
      expect(await rowsOf(service.sql, sql`SELECT bucket FROM strata_due`)).toEqual([])
      const after = await diffOf(service, ids, { compare_by: 'tenant' })
      expect(figures(after)).toEqual(figures(before))
    })

    test('holds where a tenant is busier, which by time looks like a change and is said to be one of the mix', async () => {
      const { service, ids } = await served(makeService, busy)
      await setPolicy(service, { require_high_diff_confidence: false, max_latency_increase_pct: 0.1 })
      const byTime = await diffOf(service, ids)
      expect(byTime.statistics.latency_ms.verdict).toBe('worse')
      expect(byTime.statistics.warnings).toEqual([
        expect.stringMatching(
          /^the sides have other shares of tenants, which alone moves the latency by \+\d/,
        ),
      ])
      const byTenant = await diffOf(service, ids, { compare_by: 'tenant' })
      expect(byTenant.statistics).toMatchObject({
        compare_by: 'tenant',
        compared: { by: 'tenant', left_out: { candidate: { share: 0, largest: [] } } },
        latency_ms: { verdict: 'no_difference', matched: { by: 'tenant' } },
        warnings: [],
      })
    })

    test('decides promotions where the policy says so, and says in the evidence that it did', async () => {
      const { service, ids } = await served(makeService, busy)
      await ok(promote(service, ids[0]))
      const policy = { require_high_diff_confidence: false, max_latency_increase_pct: 0.1 }
      await setPolicy(service, policy)
      expect(await promote(service, ids[1], { window: '12h' })).toMatchObject({ status: 409 })
      await setPolicy(service, { ...policy, compare_by: 'tenant' })
      const promoted = await ok(promote(service, ids[1], { window: '12h' }))
      const { actions } = await ok(service.call('GET /v1/actions', { query: { evidence: 'true' } }))
      const { evidence } = actions.find(
        ({ action_id }: { action_id: string }) => action_id === promoted.action_id,
      )
      expect(evidence.evaluation.statistics).toMatchObject({ compare_by: 'tenant' })
      expect(JSON.stringify(evidence)).not.toContain('tenant-9')
    })

    test('is none where each side has tenants of its own: it names the ways out', async () => {
      const { service, ids } = await served(makeService, { tenants: 10, apart: true })
      const { statistics } = await diffOf(service, ids, { compare_by: 'tenant' })
      expect(statistics.latency_ms).toMatchObject({
        verdict: 'inconclusive',
        inconclusive_because: 'not_comparable',
      })
      expect(statistics.compared!.left_out).toMatchObject({ candidate: { share: 1 }, baseline: { share: 1 } })
      expect(statistics.warnings).toEqual([
        expect.stringMatching(
          /^only 0 % of the candidate's runs are of tenants that the baseline served .* rollout/,
        ),
      ])
    })

    test('goes by time where a filter is on, and says so', async () => {
      const { service, ids } = await served(makeService, { tenants: 3 })
      const { statistics } = await diffOf(service, ids, { compare_by: 'task', tenant_id: 'tenant-1' })
      expect(statistics.compare_by).toBe('time')
      expect(statistics.warnings).toContainEqual(
        expect.stringMatching(/^runs can't be told apart by task here/),
      )
    })
  })

  describe('a hot spot', () => {
    const hot = { tenants: 6, slowFor: 4 } as const

    test('is named, with how much worse it is, where the whole is unchanged', async () => {
      const { service, ids } = await served(makeService, hot)
      const { statistics, strata, summary } = await diffOf(service, ids)
      expect(statistics.hot_spots).toMatchObject({
        groups: 6,
        found_in_all: 1,
        found: [{ kind: 'tenant', metric: 'latency_ms' }],
      })
      const [spot] = statistics.hot_spots!.found
      expect(spot!.relative_change!.low).toBeGreaterThan(0.2)
      expect(strata).toEqual([{ id: spot!.stratum, kind: 'tenant', name: 'tenant-4' }])
      expect(summary).toMatch(/is slower for tenant tenant-4, by about \d+ ms/)
    })

    test('blocks by its own limit alone, and only where it is proven to exceed it', async () => {
      const { service, ids } = await served(makeService, hot)
      await ok(promote(service, ids[0]))
      const policy = { require_high_diff_confidence: false }
      await setPolicy(service, { ...policy, max_hot_spot_latency_increase_pct: 0.9 })
      expect(await promote(service, ids[1], { window: '12h', dry_run: true })).toMatchObject({ status: 200 })
      await setPolicy(service, { ...policy, max_hot_spot_latency_increase_pct: 0.1 })
      const blocked = await promote(service, ids[1], { window: '12h' })
      expect(blocked.status).toBe(409)
      expect(JSON.stringify(blocked.body)).toMatch(
        /candidate latency_ms of tenant \d+ \+\d.* exceeds max_hot_spot_latency_increase_pct \+10.0 %/,
      )
    })

    test('is named by a gate whose policy limits it', async () => {
      const { service, ids } = await served(makeService, hot)
      await ok(promote(service, ids[0]))
      await setPolicy(service, { max_hot_spot_latency_increase_pct: 0.1 })
      const gate = await ok(
        service.call('GET /v1/gate/bot/local', { query: { release_id: ids[1], window: '12h' } }),
      )
      expect(gate).toMatchObject({
        verdict: 'block',
        summary: expect.stringContaining('for tenant tenant-4'),
      })
    })

    test('is told to who may read alone, where a token is configured', async () => {
      const tokens = { main: 'main-token', read: 'read-token' }
      const { service, ids } = await served(makeService, hot, tokens)
      const body = { compare_by: 'tenant' }
      const stranger = (await diffCall(service, ids, body)).body as Record<string, unknown>
      expect(stranger).not.toHaveProperty('strata')
      expect(stranger.statistics).not.toHaveProperty('hot_spots')
      expect(JSON.stringify(stranger)).not.toMatch(/tenant-\d|left_out/)
    })
  })
}

/** What a server does once a minute. */
function summed(service: TestService): Promise<void> {
  return keepLedger(service.context, { version: '0.0.0-test', pace: batch => batch() })
}

const someEvent = record({
  tenant_id: constantFrom('a', 'b', ' ', "'", 'é'),
  task_id: constantFrom('k', 'l', ''),
  model: constantFrom('m1', 'm2'),
  hour: nat(3),
  input: integer({ min: 100, max: 5000 }),
  written: nat(50),
  success: boolean(),
})

/** What is compared, without ids: those are given when an hour is summed. */
function figures({ statistics: { latency_ms, cost_per_run_usd, error_rate } }: DiffReport): unknown {
  return { latency_ms, cost_per_run_usd, error_rate }
}

/** All roll-ups of strata, in order. */
async function contents(db: Sql): Promise<unknown[]> {
  const rows = await Promise.all(
    ROLLUPS.map(table => rowsOf(db, raw(`SELECT * FROM ${table} ORDER BY scope, bucket, stratum, variant`))),
  )
  return rows.flat()
}

/** The rows of all tables as one text. */
async function everyText(db: Sql): Promise<string> {
  const names =
    db.dialect === 'sqlite'
      ? sql`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_cf%' ESCAPE '\\'`
      : sql`SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = CAST(current_schema() AS regnamespace)`
  const texts: string[] = []
  for (const { name } of await rowsOf(db, names))
    texts.push(JSON.stringify(await rowsOf(db, raw(`SELECT * FROM "${name}"`))))
  return texts.join('\n')
}

interface Served {
  readonly tenants: number
  /** The last tenant sends most of the candidate's runs. */
  readonly busy?: boolean
  /** Whose runs take longer on both sides. */
  readonly slowOf?: number
  /** For whom the candidate is slower. */
  readonly slowFor?: number
  /** Whether each side has tenants of its own. */
  readonly apart?: boolean
}

/** Two releases that ran at once for ten hours for some tenants. */
async function served(
  makeService: MakeService,
  { tenants, busy = false, slowOf, slowFor, apart = false }: Served,
  tokens?: Readonly<Record<string, string>>,
): Promise<{ service: TestService; ids: readonly [string, string] }> {
  const service = await makeService()
  await importPrices(service)
  const ids = [await register(service), await register(service)] as const
  for (const [side, release_id] of ids.entries()) {
    const events = Array.from({ length: 1500 }, (_, index) => {
      const last = busy && side === 1 && index % 5 < 3
      const tenant = last ? tenants - 1 : (Math.floor(index / 5) * 7 + (index % 5)) % tenants
      const slow = (tenant === slowOf ? 2 : 1) * (side === 1 && tenant === slowFor ? 1.5 : 1)
      return eventOf({
        release_id,
        run_id: `${side}-${index}`,
        tenant_id: `tenant-${apart ? tenant + side * tenants : tenant}`,
        at: NOON - 11 * HOUR_MS + Math.floor(((index + 0.5) * 10 * HOUR_MS) / 1500),
        latency: Math.round((500 + ((index * 91 + side * 13) % 97)) * slow),
      })
    })
    for (let from = 0; from < events.length; from += 500)
      await ingest(service, events.slice(from, from + 500))
  }
  if (tokens === undefined) return { service, ids }
  const guarded = await makeService({ sql: service.sql, tokens })
  return { service: guarded, ids }
}
