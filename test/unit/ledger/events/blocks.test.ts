import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../../src/base/numbers.ts'
import { ingestEvents } from '../../../../src/ledger/events/ingest.ts'
import { rebuildRollups } from '../../../../src/ledger/events/rebuild.ts'
import { scopeCte } from '../../../../src/ledger/events/rollups.ts'
import {
  NOTE_BLOCKS,
  blocksBetween,
  blockProblem,
  rebuildBlocks,
} from '../../../../src/ledger/events/blocks.ts'
import { foundEvents, manyEvents, matchingEvents } from '../../../../src/ledger/events/matching.ts'
import { prune } from '../../../support/services/retention.ts'
import { acceptEvent } from '../../../../src/models/all/parse_event.ts'
import type { Window } from '../../../../src/rules/window.ts'
import { type Sql, type Statement, raw, rowsOf, sql } from '../../../../src/sql/port.ts'
import { type PlainLedger, MORNING, plainLedger } from '../../../support/ledgers/plain_ledger.ts'
import { type EventOptions, eventOf } from '../../../support/services/builders.ts'

const DAY = 86_400_000
const R = 'rel_1'
const T = { tenant_id: 'acme', task_id: null }
const SCOPE = scopeCte(R, 'local')

/** A server of an older version, which knows nothing of blocks. */
function older(ledger: PlainLedger): PlainLedger {
  const batch: Sql['batch'] = (statements, options) =>
    ledger.sql.batch(
      statements.filter(({ text }) => text !== NOTE_BLOCKS.text),
      options,
    )
  return { ...ledger, sql: { ...ledger.sql, batch } }
}

let runs = 0
async function ran(ledger: PlainLedger, at: number, more: Partial<EventOptions> = {}): Promise<void> {
  const run = { release_id: R, run_id: `r${runs++}`, tenant_id: 'acme', at, ...more }
  await ingestEvents(ledger, [acceptEvent(eventOf(run))!])
}

/** The next events have numbers so much higher, as if others had come in between. */
async function skipNumbers({ sql: db }: PlainLedger, count: number): Promise<void> {
  await db.batch([sql`UPDATE sqlite_sequence SET seq = seq + ${count} WHERE name = 'run_events'`])
}

async function idsOf({ sql: db }: PlainLedger, events: Statement): Promise<string[]> {
  const rows = await rowsOf(db, sql`WITH ${SCOPE} SELECT e.run_id FROM ${events}`)
  return rows.map(row => String(row.run_id)).sort()
}

/** The same without any index or note. */
async function idsByRows({ sql: db }: PlainLedger, { since, until }: Window): Promise<string[]> {
  const rows = await rowsOf(
    db,
    sql`SELECT run_id FROM run_events NOT INDEXED WHERE tenant_id = 'acme' AND ts >= ${since} AND ts < ${until}`,
  )
  return rows.map(row => String(row.run_id)).sort()
}

/** Three blocks: 0 of yesterday and today, 1 of last week, 3 of today. */
async function threeBlocks(): Promise<PlainLedger> {
  const ledger = await plainLedger()
  await ran(ledger, MORNING - DAY)
  await ran(ledger, MORNING)
  await skipNumbers(ledger, 5000)
  await ran(ledger, MORNING - 7 * DAY)
  await skipNumbers(ledger, 8192)
  await ran(ledger, MORNING - 1)
  return ledger
}

async function blocksOf({ sql: db }: PlainLedger, { since, until }: Window): Promise<number[]> {
  const rows = await rowsOf(db, blocksBetween([{ since: sql`${since}`, until: sql`${until}` }]))
  return rows.map(row => Number(row.block)).sort((a, b) => a - b)
}

describe('blocks of events', () => {
  test.each([1, 2, 3, 4, 5, 6])(
    'hide no event, whoever stored it and in whatever order: seed %i',
    async seed => {
      const random = seededRandom(seed)
      const ledger = await plainLedger()
      const old = older(ledger)
      for (let step = 0; step < 120; step++) {
        const chance = random()
        if (chance < 0.1) await skipNumbers(ledger, Math.floor(random() * 9000))
        else if (chance < 0.13) await rebuildBlocks(ledger.sql)
        else if (chance < 0.16)
          await ledger.sql.batch([sql`DELETE FROM run_events WHERE seq % 7 = ${step % 7}`])
        else {
          const at = MORNING - Math.floor(random() ** 3 * 3 * DAY)
          await ran(random() < 0.3 ? old : ledger, at, random() < 0.2 ? { tenant_id: 'other' } : {})
        }
        if (step % 10 !== 9) continue
        const since = MORNING - Math.floor(random() * 3 * DAY)
        const window = { since, until: since + Math.floor(random() * DAY) }
        const found = await idsOf(ledger, matchingEvents(window, T))
        expect(found).toEqual(await idsByRows(ledger, window))
      }
      await rebuildRollups(ledger, { name: 'ann', source: 'cli' })
      expect(await blockProblem(ledger.sql)).toBeUndefined()
    },
  )

  test('outside of a window are not looked at, but for the last one', async () => {
    const ledger = await threeBlocks()
    expect(await blocksOf(ledger, { since: MORNING - DAY, until: MORNING - 2 })).toEqual([0, 3])
    expect(await blocksOf(ledger, { since: MORNING - 8 * DAY, until: MORNING - 6 * DAY })).toEqual([1, 3])
    expect(await blocksOf(ledger, { since: 0, until: MORNING - 7 * DAY })).toEqual([3])
    expect(await blocksOf(ledger, { since: MORNING, until: MORNING + 1 })).toEqual([0, 3])
    expect(await blocksOf(ledger, { since: MORNING + 1, until: MORNING + 2 })).toEqual([3])
  })

  test('that an older version began are looked at until they are noted', async () => {
    const ledger = await threeBlocks()
    await skipNumbers(ledger, 4096)
    await ran(older(ledger), MORNING - 7 * DAY)
    expect(await blocksOf(ledger, { since: 0, until: 1 })).toEqual([3, 4])
    expect(await blockProblem(ledger.sql)).toBeUndefined()
    await ran(ledger, MORNING)
    expect(await blocksOf(ledger, { since: 0, until: 1 })).toEqual([4])
    const window = { since: MORNING - 8 * DAY, until: MORNING - 6 * DAY }
    expect(await idsOf(ledger, matchingEvents(window, T))).toEqual(await idsByRows(ledger, window))
  })

  test.each([
    [
      'a block that is not noted',
      sql`DELETE FROM event_blocks WHERE block = 1`,
      'the times of the events of block 1',
    ],
    ['an end too early', sql`UPDATE event_blocks SET max_ts = max_ts - 1 WHERE block = 0`, 'block 0'],
    ['a beginning too late', sql`UPDATE event_blocks SET min_ts = min_ts + 1 WHERE block = 3`, 'block 3'],
    ['more time than it has', sql`UPDATE event_blocks SET max_ts = max_ts + 1 WHERE block = 1`, 'block 1'],
    ['another last number', sql`UPDATE event_blocks SET last_seq = last_seq + 1 WHERE block = 1`, 'block 1'],
    ['a block without events', sql`INSERT INTO event_blocks VALUES (2, 5, 6, 8192)`, 'block 2'],
    ['events to come', sql`INSERT INTO event_blocks VALUES (9, 5, 6, 36864)`, 'events of the future'],
    ['a number of another block', sql`UPDATE event_blocks SET last_seq = 1 WHERE block = 1`, 'block 1'],
  ])('that are noted wrongly are found and mended: %s', async (_, edit, problem) => {
    const ledger = await threeBlocks()
    const noted = await ledger.rows('event_blocks')
    expect(noted).toEqual([
      { block: 0, min_ts: MORNING - DAY, max_ts: MORNING, last_seq: 2 },
      { block: 1, min_ts: MORNING - 7 * DAY, max_ts: MORNING - 7 * DAY, last_seq: 5003 },
      { block: 3, min_ts: MORNING - 1, max_ts: MORNING - 1, last_seq: 13_196 },
    ])
    expect(await blockProblem(ledger.sql)).toBeUndefined()
    await ledger.sql.batch([edit])
    expect(await blockProblem(ledger.sql)).toContain(problem)
    await rebuildBlocks(ledger.sql)
    expect(await ledger.rows('event_blocks')).toEqual(noted)
    expect(await blockProblem(ledger.sql)).toBeUndefined()
  })

  test('whose end is noted too early are found also while later events are not noted yet', async () => {
    const ledger = await threeBlocks()
    await ran(ledger, MORNING + 5)
    await ledger.sql.batch([
      sql`UPDATE event_blocks SET max_ts = min_ts - 1, last_seq = last_seq - 1 WHERE block = 3`,
    ])
    expect(await blockProblem(ledger.sql)).toContain('block 3')
  })

  test('whose events were all pruned are forgotten', async () => {
    const ledger = await threeBlocks()
    const options = { before: MORNING - 8 * 3_600_000, restored: false }
    expect(await prune(ledger, options)).toMatchObject({ events: 2 })
    expect((await ledger.rows('event_blocks')).map(row => row.block)).toEqual([0, 3])
    expect(await blockProblem(ledger.sql)).toBeUndefined()
    await ledger.sql.batch([sql`UPDATE event_blocks SET max_ts = max_ts - 1 WHERE block = 0`])
    expect(await blockProblem(ledger.sql)).toContain('block 0')
  })
})

describe('reads by a filter', () => {
  const span = { since: sql`0`, until: sql`1` }
  const of = (filters: Readonly<Record<string, string>>): Statement => foundEvents([span], raw(''), filters)
  const window = { since: 0, until: 1 }

  test.each([
    ['tenant', of({ tenant_id: 'a' }), 'run_events_tenant (<expr>=? AND scope=? AND tenant_id=?)'],
    ['task', of({ task_id: 'a' }), 'run_events_task (<expr>=? AND scope=? AND task_id=?)'],
    ['trace', of({ trace_id: 'a', tenant_id: 'b' }), 'run_events_trace (<expr>=? AND trace_id=?)'],
    ['session', of({ session_id: 'a' }), 'run_events_session (<expr>=? AND session_id=?)'],
    ['session', of({ session_id: 'a', task_id: 'b' }), 'run_events_session (<expr>=? AND session_id=?)'],
    ['span', of({ span_id: 'a', tenant_id: 'c', task_id: 'b' }), 'run_events_span (<expr>=? AND span_id=?)'],
    ['no', manyEvents(window, sql``), /COVERING INDEX run_events_(?:tenant|task) \(<expr>=\? AND scope=\?\)/],
  ])('go through its index: %s', async (_, events, used) => {
    const ledger = await plainLedger()
    for (const analyzed of [false, true]) {
      if (analyzed) await ledger.sql.batch([sql`ANALYZE`])
      const { text, params } = sql`WITH ${SCOPE} SELECT sum(e.input_tokens) FROM ${events}`
      const plan = await rowsOf(ledger.sql, { text: `EXPLAIN QUERY PLAN ${text}`, params })
      const found = plan.map(row => String(row.detail)).filter(detail => /\be\b/.test(detail))
      expect(found).toEqual([
        typeof used === 'string' ? expect.stringContaining(used) : expect.stringMatching(used),
      ])
    }
  })
})
