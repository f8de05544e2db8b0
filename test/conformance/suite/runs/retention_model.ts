import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY_MS } from '../../../../src/base/time.ts'
import type { DoctorReport } from '../../../../src/models/answers/health.ts'
import type { StoredEvent } from '../../../../src/models/documents/stored_event.ts'
import { raw, rowsOf, sql } from '../../../../src/sql/port.ts'
import { scaled } from '../../../support/scale.ts'
import { eventOf, twoReleases } from '../../../support/services/builders.ts'
import { ok } from '../../../support/services/requests.ts'
import {
  type MemoryArchive,
  erase,
  killedAt,
  memoryArchive,
  prune,
  restore,
} from '../../../support/services/retention.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

const TODAY = Math.floor(NOON / DAY_MS) * DAY_MS
const TENANTS = ['t1', 't2', 't3']
const DAYS = 4
/** Events of a tenant and day. */
const EACH = 4

/** One thing that is done; at a number it is killed at that batch, all is sent again, and it is done again. */
const DEED = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('send'), which: fc.nat(7), batch: NONE() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('erase'), which: fc.nat(2), batch: KILLED() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('prune'), which: fc.nat(2), batch: KILLED() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restore'), which: fc.nat(0), batch: NONE() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rebuild'), which: fc.nat(0), batch: NONE() }) },
)
type Deed = typeof DEED extends fc.Arbitrary<infer T> ? T : never

function NONE() {
  return fc.constant(undefined)
}
function KILLED() {
  return fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined })
}

/** Erasing, pruning, restoring and sending again in any order, against sets in memory. */
export function retentionModelContract(makeService: MakeService): void {
  describe('what is erased, pruned, restored and sent again, in any order', () => {
    for (let history = 1; history <= scaled(3, 100); history++) {
      test(`is counted once, and stored at most once: history ${history}`, async () => {
        const property = fc.asyncProperty(fc.array(DEED, { minLength: 5, maxLength: 12 }), async deeds => {
          const world = await newWorld(makeService)
          await world.send(7)
          for (const deed of deeds) await carryOut(world, deed)
          expect(await world.found()).toEqual([])
        })
        // Some databases give a test few ledgers, so nothing is shrunk.
        await fc.assert(property, { numRuns: 1, endOnFailure: true })
      })
    }
  })
}

async function carryOut(world: World, { do: what, which, batch }: Deed): Promise<void> {
  if (what === 'send') await world.send(which)
  else if (what === 'restore') await world.restore()
  else if (what === 'prune') await world.prune(TODAY - which * DAY_MS, batch)
  else if (what === 'erase') await world.erase(TENANTS[which]!, batch)
  else await world.rebuild()
  await world.requireSums()
}

type World = ReturnType<typeof worldOf>

/** A service, and what it should hold by an implementation of its own. */
function worldOf(service: TestService, releases: readonly string[]) {
  const all = releases.flatMap(release_id => eventsOf(release_id))
  const kept: MemoryArchive = memoryArchive()
  /** Tenants that were erased: none of their runs is restored. */
  const forgotten = new Set<string>()
  const [counted, stored, erased] = [new Set<string>(), new Set<string>(), new Set<string>()]
  let prunedBefore = 0

  const storedWhere = (isWanted: (event: StoredEvent) => boolean): StoredEvent[] =>
    all.filter(event => stored.has(event.run_id) && isWanted(event))

  async function sendEvents(events: readonly StoredEvent[]): Promise<void> {
    const isOld = (event: StoredEvent) => timeOf(event) < prunedBefore
    const isErased = (event: StoredEvent) => !isOld(event) && erased.has(event.run_id)
    const added = events.filter(event => !isOld(event) && !isErased(event) && !stored.has(event.run_id))
    const answer = await ok(service.call('POST /v1/events', { body: { events } }))
    const said = (of: RegExp): number => {
      const [count] = (answer.warnings ?? []).flatMap((text: string) => of.exec(text)?.[1] ?? [])
      return Number(count ?? 0)
    }
    expect({
      inserted: answer.inserted,
      skipped: answer.skipped ?? 0,
      pruned: said(/^(\d+) .* skipped because run events of that time were pruned/),
      erased: said(/^(\d+) .* skipped because run events of these run_ids were erased/),
    }).toEqual({
      inserted: added.length,
      skipped: events.length - added.length,
      pruned: events.filter(isOld).length,
      erased: events.filter(isErased).length,
    })
    for (const { run_id } of added) {
      stored.add(run_id)
      counted.add(run_id)
    }
  }

  /** What is killed and done again says of both what it would have said alone. */
  async function untilDone(
    killed: number | undefined,
    work: (pace: { pace?: ReturnType<typeof killedAt> }) => Promise<object>,
    expected: object,
  ): Promise<void> {
    const kill = async (batch: number): Promise<object | undefined> =>
      work({ pace: killedAt(batch) }).catch((error: Error) => {
        if (error.message !== 'killed') throw error
        return undefined
      })
    let done = killed === undefined ? undefined : await kill(killed)
    if (done === undefined) {
      const again = all.filter(({ run_id }) => counted.has(run_id))
      expect(await ok(service.call('POST /v1/events', { body: { events: again } }))).toMatchObject({
        inserted: 0,
      })
      done = await work({})
    }
    expect(done).toMatchObject(expected)
  }

  return {
    /** Sends some of the events; 7 is all. */
    send: (which: number) => sendEvents(all.filter((_, index) => which === 7 || index % 7 <= which)),

    prune: async (before: number, killed: number | undefined): Promise<void> => {
      const gone = storedWhere(event => timeOf(event) < before)
      prunedBefore = Math.max(prunedBefore, before)
      const { archive } = kept
      const work = (pace: object) => prune(service.context, { before, archive, ...pace })
      await untilDone(killed, work, { events: gone.length })
      for (const { run_id } of gone) stored.delete(run_id)
    },

    erase: async (tenant: string, killed: number | undefined): Promise<void> => {
      const gone = storedWhere(event => event.tenant_id === tenant)
      const work = (pace: object) => erase(service.context, tenant, pace)
      await untilDone(killed, work, { events: gone.length })
      for (const { run_id } of gone) {
        stored.delete(run_id)
        erased.add(run_id)
      }
      forgotten.add(tenant)
    },

    restore: async (): Promise<void> => {
      const lines = kept.lines()
      const archived = lines
        .map(line => JSON.parse(line) as StoredEvent)
        .filter(event => !forgotten.has(event.tenant_id))
        .map(event => event.run_id)
      const back = new Set(archived.filter(run_id => !stored.has(run_id) && !erased.has(run_id)))
      const { inserted, skipped } = await restore(service.context, lines)
      expect({ inserted, skipped }).toEqual({ inserted: back.size, skipped: lines.length - back.size })
      for (const run_id of back) stored.add(run_id)
    },

    rebuild: async (): Promise<void> =>
      void (await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))),

    /** Rollups are the sums of all that ever counted, and rows are those that nothing removed. */
    requireSums: async (): Promise<void> => {
      const events = all.filter(({ run_id }) => counted.has(run_id))
      const scores = events.flatMap(event => Object.values(event.scores ?? {}))
      const runs = {
        runs: events.length,
        errors: events.filter(({ metrics }) => !metrics.success).length,
        latency: sum(events, ({ metrics }) => metrics.latency_ms ?? 0),
        input: sum(events, ({ usage }) => usage.model.input_tokens),
      }
      const parts = { parts: sum(events, ({ usage }) => usage.models?.length ?? 0) }
      const found: Record<string, unknown> = {}
      for (const [table, columns] of Object.entries(SUMS)) {
        const [row] = await rowsOf(service.sql, raw(`SELECT ${columns} FROM ${table}`))
        found[table] = Object.fromEntries(Object.entries(row!).map(([name, value]) => [name, Number(value)]))
      }
      expect(found).toEqual({
        rollup_minutes: runs,
        rollup_hours: runs,
        rollup_part_minutes: parts,
        rollup_score_hours: { runs: scores.length, score: Math.round(1e6 * sum(scores, score => score)) },
      })
      const rows = await rowsOf(service.sql, sql`SELECT run_id FROM run_events`)
      expect(rows.map(({ run_id }) => String(run_id)).toSorted()).toEqual([...stored].toSorted())
    },

    /** What the doctor finds, warnings too: it knows where each event that is gone went. */
    found: async (): Promise<unknown[]> => {
      const { checks } = await ok(service.call('GET /v1/doctor', { query: { deep: 'true' } }))
      return (checks as DoctorReport['checks']).filter(
        ({ ok: isRight, name, warning }) => !isRight || (warning === true && name !== 'durability'),
      )
    },
  }
}

const RUNS = `coalesce(sum(runs), 0) AS runs, coalesce(sum(errors), 0) AS errors,
  coalesce(sum(latency_sum), 0) AS latency, coalesce(sum(input_sum), 0) AS input`
const PARTS = 'coalesce(sum(parts), 0) AS parts'

const SUMS = {
  rollup_minutes: RUNS,
  rollup_hours: RUNS,
  rollup_part_minutes: PARTS,
  rollup_score_hours: 'coalesce(sum(runs), 0) AS runs, coalesce(sum(score_sum), 0) AS score',
} as const

async function newWorld(makeService: MakeService): Promise<World> {
  const service = await makeService()
  const { baseline, candidate } = await twoReleases(service, 0)
  return worldOf(service, [baseline, candidate])
}

function eventsOf(release_id: string): StoredEvent[] {
  return TENANTS.flatMap((tenant_id, tenant) =>
    Array.from({ length: DAYS * EACH }, (_, index) => {
      const at = TODAY - Math.floor(index / EACH) * DAY_MS + ((index % EACH) * 5 + tenant) * 3_601_003
      const more = {
        ...(index % 3 > 0 ? {} : { others: [{ model: 'm2', tokens: [500, 50, 0] as const }] }),
        ...(index % 4 > 0 ? {} : { scores: { good: index / 16 } }),
      }
      const run_id = `${release_id}-${tenant_id}-${index}`
      const measured = { success: index % 5 > 0, latency: index * 10, input: 100 + index }
      return eventOf({ release_id, tenant_id, at, run_id, ...measured, ...more }) as unknown as StoredEvent
    }),
  )
}

function timeOf({ timestamp }: StoredEvent): number {
  return Date.parse(timestamp)
}

function sum<T>(items: readonly T[], amountOf: (item: T) => number): number {
  return items.reduce((total, item) => total + amountOf(item), 0)
}
