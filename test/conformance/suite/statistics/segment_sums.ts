import {
  array,
  assert,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  record,
} from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src/base/time.ts'
import { checkHours, packHours } from '../../../../src/features/segments/hours.ts'
import { segmentQuery } from '../../../../src/features/segments/read.ts'
import { MOST_SEGMENTS, type ReadSums } from '../../../../src/features/segments/rules_segments.ts'
import { WIDTH } from '../../../../src/features/segments/rules_tables.ts'
import { blockSumsStatement, toBlockSums } from '../../../../src/ledger/events/block_sums.ts'
import { dayProblem, packDays } from '../../../../src/ledger/events/days.ts'
import { countsQuery } from '../../../../src/ledger/assess/counts.ts'
import { HOURS_BEFORE } from '../../../../src/rules/moments.ts'
import { type KnownSums, blockSumsQuery, newKnownSums } from '../../../../src/ledger/events/known_sums.ts'
import type { Cut } from '../../../../src/rules/common_time.ts'
import type { Window } from '../../../../src/rules/window.ts'
import { NO_FILTERS } from '../../../../src/ledger/events/rollups.ts'
import { type Sql, raw, rowsOf, sql } from '../../../../src/sql/port.ts'
import { allRows, ask } from '../../../../src/sql/query.ts'
import type { StoredEvent } from '../../../../src/models/documents/stored_event.ts'
import { scaled } from '../../../support/scale.ts'
import { erase, memoryArchive, prune, restore } from '../../../support/services/retention.ts'
import { eventOf, importPrices, register } from '../../../support/services/builders.ts'
import { failedChecks, ingest, ok } from '../../../support/services/requests.ts'
import { type MakeService, NOON } from '../../../support/services/service.ts'
import { summed } from '../../../support/services/segments.ts'

const ROLLUPS = [
  'rollup_tenant_hours',
  'rollup_task_hours',
  'rollup_part_tenant_hours',
  'rollup_part_task_hours',
] as const

/** How runs are summed by tenant and task. */
export function segmentSumsContract(makeService: MakeService): void {
  describe('sums by tenant and task', () => {
    test('count each event once, by the name that it had, whatever becomes of it', async () => {
      const history = asyncProperty(array(DEED, { minLength: 6, maxLength: 14 }), async deeds => {
        const world = await newWorld(makeService)
        for (const deed of deeds) {
          await world[deed.do](deed.which)
          expect(await world.found()).toEqual(world.expected(await world.listed()))
          const { known, read } = await world.aggregates()
          expect(known).toEqual(read)
          const counts = await world.counts()
          expect(counts.known).toEqual(counts.read)
          expect(await dayProblem(world.service.sql)).toBeUndefined()
          expect(await checkHours(world.service.sql)).toMatchObject({ ok: true })
        }
        await summed(world.service)
        expect(await world.listed()).toEqual(new Set())
        expect(await world.found()).toEqual(world.expected(new Set()))
        const { packed, rows } = await world.hours()
        expect(packed).toEqual(rows)
        expect(await failedChecks(world.service, true)).toEqual([])
      })
      // Some databases give a test few ledgers, so nothing is shrunk.
      await assert(history, { numRuns: scaled(3, 100), endOnFailure: true })
    })

    test('by block of time are of one block with more than 500 models, however often they are read', async () => {
      const service = await makeService()
      await importPrices(service)
      const release_id = await register(service)
      const known = newKnownSums()
      const window = { since: NOON - 2 * DAY_MS, until: NOON }
      for (const models of [500, 501]) {
        const events = Array.from({ length: models }, (_, index) =>
          eventOf({ release_id, run_id: `r${index}`, model: `m${index}`, at: NOON - 5 * HOUR_MS - index }),
        )
        await ingest(service, events)
        for (let time = 0; time < 2; time++) {
          const found = await aggregatesOf(service.sql, release_id, window, known)
          expect(found.known).toEqual(found.read)
          expect(new Set(found.known.map(({ block }) => block > 0))).toEqual(new Set([models === 500]))
        }
      }
    })

    test('by blocks that begin at some minutes are those of single minutes, added up', async () => {
      const service = await makeService()
      await importPrices(service)
      const release_id = await register(service)
      const days = integer({ min: 1, max: 2 * DAY_MS })
      const ages = array(days, { minLength: 20, maxLength: 40 })
      const minutes = array(nat(1600), { minLength: 1, maxLength: 6 })
      let runs = 0
      const property = asyncProperty(ages, minutes, nat(HOUR_MS), async (given, picked, shift) => {
        const events = given.map(age =>
          eventOf({ release_id, run_id: `r${(runs += 1)}`, at: NOON - age, latency: age % 1000 }),
        )
        await ingest(service, events)
        const window = { since: NOON - shift - DAY_MS, until: NOON - shift }
        const first = Math.floor(window.since / MINUTE_MS)
        const starts = [...new Set(picked)].sort((a, b) => a - b).map(index => (first + index) * MINUTE_MS)
        const cut = { from: window.since, to: window.until, width_ms: MINUTE_MS }
        const sumsOf = async (own: Cut, blockOf: (block: number) => number) => {
          const blocks = { window, cut: own }
          const aggregates = await ask(
            service.sql,
            allRows(blockSumsStatement(release_id, 'local', blocks, NO_FILTERS), toBlockSums),
          )
          const sums = new Map<number, number[]>()
          for (const { block, runs: count, latency_sum_ms } of aggregates) {
            const [before, latency] = sums.get(blockOf(block)) ?? [0, 0]
            sums.set(blockOf(block), [before! + count, latency! + latency_sum_ms])
          }
          return [...sums].sort(([a], [b]) => a - b)
        }
        const inStarts = (block: number): number =>
          starts.filter(start => start <= (first + block) * MINUTE_MS).length
        expect(await sumsOf({ ...cut, starts }, block => block)).toEqual(await sumsOf(cut, inStarts))
      })
      await assert(property, { numRuns: scaled(5, 100), endOnFailure: true })
    })

    test('hold parts and models, and are the same when they are rebuilt', async () => {
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
        }),
        { numRuns: scaled(2, 50), endOnFailure: true },
      )
    })

    test('of an hour that others add to while it is packed are packed with what they added', async () => {
      const service = await makeService()
      await importPrices(service)
      const release_id = await register(service)
      const add = async (run_id: string): Promise<void> => {
        await ingest(service, [eventOf({ release_id, run_id, at: NOON - 3 * HOUR_MS })])
        await summed(service)
      }
      await add('r1')
      const packed = raw('SELECT tenants FROM segment_hours WHERE tenants IS NOT NULL')
      const [before] = await rowsOf(service.sql, packed)
      await service.sql.batch([raw('UPDATE segment_hours SET size = NULL, tenants = NULL, tasks = NULL')])
      let adds = 0
      // What is written was read before.
      await packHours(service, async batch => {
        if (adds++ === 0) await add('r2')
        return batch()
      })
      expect(adds).toBe(1)
      const found = await rowsOf(service.sql, packed)
      expect(found).toHaveLength(1)
      expect(found[0]).not.toEqual(before)
      expect(await checkHours(service.sql)).toMatchObject({ ok: true })
    })

    test('of a day that is over are packed, and by the hour again with what comes late', async () => {
      const service = await makeService()
      await importPrices(service)
      const release_id = await register(service)
      const packed = async () => {
        await packDays(service.context, batch => batch())
        expect(await dayProblem(service.sql)).toBeUndefined()
        const rows = await rowsOf(service.sql, raw('SELECT runs, hours FROM rollup_days ORDER BY bucket'))
        return rows.map(({ runs, hours }) => [runs === null ? null : Number(runs), hours])
      }
      const of = (run_id: string, at: number, latency = 10) =>
        eventOf({ release_id, run_id, at: TODAY + at, latency })
      await ingest(service, [of('r1', -2 * HOUR_MS), of('r2', -1), of('r3', 1)])
      const [first, second] = [TODAY / HOUR_MS - 2, TODAY / HOUR_MS - 1]
      expect(await packed()).toEqual([
        [2, `${first} 1 10 100,${second} 1 10 100`],
        [null, null],
      ])
      await ingest(service, [of('r4', -2, 10 ** 8)])
      const open = raw('SELECT bucket FROM rollup_days WHERE runs IS NULL')
      expect(await rowsOf(service.sql, open)).toHaveLength(2)
      // Its squares may not be exact.
      expect(await packed()).toEqual([
        [3, ''],
        [null, null],
      ])
      await service.sql.batch([raw('DELETE FROM rollup_hours WHERE bucket % 24 = 22')])
      expect(await rowsOf(service.sql, open)).toHaveLength(2)
      await service.sql.batch([raw('UPDATE rollup_days SET errors = 1 WHERE runs IS NULL')])
      expect(await dayProblem(service.sql)).toMatch(
        /^rollup_days, scope \d+, bucket \d+ differs from its hours$/,
      )
      await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      expect(await packed()).toEqual([
        [3, ''],
        [null, null],
      ])
      await service.sql.batch([raw('DELETE FROM rollup_days')])
      expect(await dayProblem(service.sql)).toMatch(/^rollup_days/)
      expect(await failedChecks(service, true)).toHaveLength(1)
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
      const names = await rowsOf(
        service.sql,
        sql`SELECT name FROM segments WHERE kind = 'tenant' ORDER BY id`,
      )
      expect(names.map(({ name }) => name)).toEqual(
        Array.from({ length: MOST_SEGMENTS }, (_, index) => `t${index}`),
      )
      const rest = sql`SELECT sum(runs) AS runs FROM rollup_tenant_hours WHERE segment = 0`
      expect(Number((await rowsOf(service.sql, rest))[0]!.runs)).toBe(40)
      await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      expect(Number((await rowsOf(service.sql, rest))[0]!.runs)).toBe(40)
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('name what their server stored and did not name, before it is summed', async () => {
      const service = await makeService()
      await importPrices(service)
      const release_id = await register(service)
      const event = (run_id: string, tenant_id: string) =>
        eventOf({ release_id, run_id, tenant_id, at: NOON - 1 })
      await ingest(service, [event('r1', 't1'), event('r2', 't2'), event('r3', 't2')])
      // As after a kill between both writes.
      await service.sql.batch([sql`DELETE FROM segments WHERE name <> 't1'`])
      await summed(service)
      const named = await rowsOf(
        service.sql,
        sql`SELECT t.name, r.runs FROM rollup_tenant_hours r JOIN segments t ON t.id = r.segment ORDER BY t.name`,
      )
      expect(named.map(({ name, runs }) => [name, Number(runs)])).toEqual([
        ['t1', 1],
        ['t2', 2],
      ])
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
        (await rowsOf(service.sql, sql`SELECT id FROM segments WHERE name = 'globex'`)).map(({ id }) =>
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
}

const TODAY = Math.floor(NOON / DAY_MS) * DAY_MS
const TENANTS = ['t1', 't2', 't3'] as const
const TASKS = ['k1', 'k2'] as const
const DAYS = 3

const DEED = oneof(
  { weight: 5, arbitrary: record({ do: constant('send' as const), which: nat(6) }) },
  { weight: 3, arbitrary: record({ do: constant('sum' as const), which: constant(0) }) },
  { weight: 2, arbitrary: record({ do: constant('erase' as const), which: nat(2) }) },
  { weight: 2, arbitrary: record({ do: constant('prune' as const), which: nat(2) }) },
  { weight: 2, arbitrary: record({ do: constant('restore' as const), which: constant(0) }) },
  { weight: 1, arbitrary: record({ do: constant('rebuild' as const), which: constant(0) }) },
)

/** A ledger, and what its sums should hold by an implementation of their own. */
async function newWorld(makeService: MakeService) {
  const service = await makeService()
  await importPrices(service)
  const release_id = await register(service)
  const all = Array.from({ length: 4 * DAYS * TENANTS.length }, (_, index) => {
    const [day, tenant] = [index % DAYS, Math.floor(index / DAYS) % TENANTS.length]
    return eventOf({
      release_id,
      run_id: `r${index}`,
      tenant_id: TENANTS[tenant]!,
      task_id: TASKS[index % 2]!,
      at: TODAY - day * DAY_MS + (index % 5) * HOUR_MS + index,
      latency: 100 + index * index,
      success: index % 4 > 0,
    }) as unknown as StoredEvent
  })
  const kept = memoryArchive()
  const copies: string[] = []
  const aggregates = newKnownSums()
  /** The name that each event which ever counted is summed by: null once its tenant was erased. */
  const names = new Map<string, string | null>()
  const hourOf = ({ timestamp }: StoredEvent): number => Math.floor(Date.parse(timestamp) / HOUR_MS)

  async function storedIds(): Promise<Set<string>> {
    const rows = await rowsOf(service.sql, sql`SELECT run_id FROM run_events`)
    return new Set(rows.map(({ run_id }) => String(run_id)))
  }

  /** On days that are whole again names are those of the events. */
  async function nameWholeDays(): Promise<void> {
    const gaps = await rowsOf(service.sql, sql`SELECT day FROM event_gaps`)
    const partial = new Set(gaps.map(({ day }) => Number(day)))
    for (const event of all) {
      if (names.has(event.run_id) && !partial.has(Math.floor(hourOf(event) / 24)))
        names.set(event.run_id, event.tenant_id)
    }
  }

  return {
    service,
    send: async (which: number): Promise<void> => {
      const events = all.filter((_, index) => index % 7 <= which)
      await ingest(service, events)
      const stored = await storedIds()
      for (const { run_id, tenant_id } of all)
        if (stored.has(run_id) && !names.has(run_id)) names.set(run_id, tenant_id)
    },
    sum: async (): Promise<void> => {
      await summed(service)
      await packDays(service.context, batch => batch())
    },
    erase: async (which: number): Promise<void> => {
      const tenant = TENANTS[which]!
      await erase(service.context, tenant)
      for (const { run_id, tenant_id } of all)
        if (tenant_id === tenant && names.has(run_id)) names.set(run_id, null)
      const [named] = await rowsOf(service.sql, sql`SELECT id FROM segments WHERE name = ${tenant}`)
      expect(named).toBeUndefined()
    },
    prune: async (which: number): Promise<void> => {
      await prune(service.context, { before: TODAY - which * DAY_MS, archive: kept.archive })
      copies.push(...kept.lines())
    },
    restore: async (): Promise<void> => {
      await restore(service.context, copies)
      await nameWholeDays()
    },
    rebuild: async (): Promise<void> => {
      await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      await nameWholeDays()
    },

    /** Sums by block of time, as a process that has read them before finds them, and as any other does. */
    aggregates: async () => {
      const window = { since: TODAY - 2 * DAY_MS + 7, until: TODAY + 3 * HOUR_MS + 20 }
      return aggregatesOf(service.sql, release_id, window, aggregates)
    },

    /** Runs by the hour, as a process that has read them before finds them, and as their rows are. */
    counts: async () => {
      const window = { since: TODAY - 2 * DAY_MS + 7 * MINUTE_MS, until: TODAY + 3 * HOUR_MS + 20 }
      const query = { baselineId: release_id, candidateId: release_id, environment: 'local', now: NOON }
      const { context, sql: db } = service
      const found = await ask(db, countsQuery(context, { ...query, window, filters: NO_FILTERS }))
      const [before, end] = [window.since - 7 * MINUTE_MS - HOURS_BEFORE * HOUR_MS, window.until]
      const rows = await rowsOf(
        db,
        sql`SELECT bucket, sum(runs) AS runs, sum(latency_sum) AS latency_sum, sum(latency_sq) AS latency_sq FROM rollup_hours
          WHERE bucket >= ${before / HOUR_MS} AND bucket < ${Math.ceil(end / HOUR_MS)} GROUP BY bucket ORDER BY bucket`,
      )
      const read = rows.map(row =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)])),
      )
      return { known: [...found.candidate.before, ...found.candidate.within], read }
    },

    /** Sums by segment from packed hours, and from the rows of the same hours; each hour with sums is packed by then. */
    hours: async () => {
      const { sql: db } = service
      const hours = { from: (TODAY - 3 * DAY_MS) / HOUR_MS, to: TODAY / HOUR_MS + 24 }
      const read = { releaseId: release_id, environment: 'local', hours, moments: undefined }
      const sums = () => ask(db, segmentQuery(['tenant', 'task'], read))
      const [open] = await rowsOf(db, sql`SELECT count(*) AS n FROM segment_hours WHERE size IS NULL`)
      expect(open).toEqual({ n: 0 })
      const packed = await sums()
      await db.batch([sql`UPDATE segment_hours SET size = NULL`])
      const rows = await sums()
      await db.batch([sql`UPDATE segment_hours SET size = length(tenants) + length(tasks)`])
      return { packed: inOrder(packed), rows: inOrder(rows) }
    },

    /** Events that wait to be summed. */
    listed: async (): Promise<ReadonlySet<string>> => {
      const rows = await rowsOf(service.sql, sql`SELECT seqs FROM segments_unsummed`)
      const seqs = new Set(rows.flatMap(row => JSON.parse(String(row.seqs)) as number[]))
      const events = await rowsOf(service.sql, sql`SELECT seq, run_id FROM run_events`)
      return new Set(events.filter(({ seq }) => seqs.has(Number(seq))).map(({ run_id }) => String(run_id)))
    },

    /** Sums by kind, hour and name. */
    found: async (): Promise<string[]> => {
      const rows = await Promise.all(
        ['tenant', 'task'].map(kind =>
          rowsOf(
            service.sql,
            raw(`SELECT '${kind}' AS kind, r.bucket, t.name, sum(r.runs) AS runs, sum(r.errors) AS errors,
                sum(r.latency_sum) AS latency
              FROM rollup_${kind}_hours r JOIN segments t ON t.id = r.segment GROUP BY r.bucket, t.name`),
          ),
        ),
      )
      return rows
        .flat()
        .map(({ kind, bucket, name, runs, errors, latency }) =>
          [kind, bucket, name ?? 'erased', Number(runs), Number(errors), Number(latency)].join(' '),
        )
        .toSorted()
    },
    expected: (listed: ReadonlySet<string>): string[] => {
      const counted = all.filter(({ run_id }) => names.has(run_id) && !listed.has(run_id))
      const keyed = [
        ...counted.map(
          event => [`tenant ${hourOf(event)} ${names.get(event.run_id) ?? 'erased'}`, event] as const,
        ),
        ...counted.map(event => [`task ${hourOf(event)} ${event.task_id}`, event] as const),
      ]
      return Array.from(
        Map.groupBy(keyed, ([key]) => key),
        ([key, own]) => {
          const total = (of: (event: StoredEvent) => number): number =>
            own.reduce((sum, [, event]) => sum + of(event), 0)
          const errors = total(({ metrics }) => (metrics.success ? 0 : 1))
          return [key, own.length, errors, total(({ metrics }) => metrics.latency_ms ?? 0)].join(' ')
        },
      ).toSorted()
    },
  }
}

/** Sums in the order of stretches, segments and variants. */
function inOrder(sums: ReadonlyMap<string, ReadSums | undefined>): unknown[] {
  return Array.from(sums, ([kind, own]) => [
    kind,
    own?.runs
      .flatMap(({ block, table, variants }) =>
        [...table.segments].flatMap(([segment, slots]) =>
          slots.map(({ variant, at }) =>
            JSON.stringify([block, segment, variants.get(variant), ...table.sums.slice(at, at + WIDTH)]),
          ),
        ),
      )
      .toSorted(),
  ])
}

/** Sums by four hours of a window, with what is known and without it. */
async function aggregatesOf(db: Sql, releaseId: string, window: Window, known: KnownSums) {
  const cut = { from: window.since, to: window.until - HOUR_MS, width_ms: 4 * HOUR_MS }
  const of = ['local', { window, cut }, NO_FILTERS] as const
  const [sums] = await ask(db, blockSumsQuery([releaseId], ...of, known))
  return {
    known: sums!,
    read: await ask(db, allRows(blockSumsStatement(releaseId, ...of), toBlockSums)),
  }
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

/** All rollups of segments, in order. */
async function contents(db: Sql): Promise<unknown[]> {
  const rows = await Promise.all(
    ROLLUPS.map(table => rowsOf(db, raw(`SELECT * FROM ${table} ORDER BY scope, bucket, segment, variant`))),
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
