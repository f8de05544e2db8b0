import { describe, expect, test } from 'vitest'
import { repeatedCells } from '../../../../src/ledger/cells/kept_hours.ts'
import { allCellsStatement, toCellSums } from '../../../../src/ledger/cells/cells.ts'
import { ingestEvents } from '../../../../src/ledger/events/ingest.ts'
import { acceptEvent } from '../../../../src/models/documents/parse_event.ts'
import { ask } from '../../../../src/sql/query.ts'
import { type PlainLedger, MORNING, plainLedger } from '../../../support/ledgers/plain_ledger.ts'
import { type EventOptions, eventOf } from '../../../support/services/builders.ts'

const HOUR = 3_600_000
/** Half past an hour, and a little. */
const NOW = MORNING + 1_801_234
const WINDOW = { since: NOW - 48 * HOUR, until: NOW }
const R = 'rel_1'

async function ran(ledger: PlainLedger, hoursAgo: number, more: Partial<EventOptions> = {}): Promise<void> {
  const at = Math.floor(NOW - hoursAgo * HOUR)
  const run = { release_id: R, run_id: `${at} ${JSON.stringify(more)}`, at, latency: 100, ...more }
  await ingestEvents(ledger, [acceptEvent(eventOf(run))!])
}

/** Reads the sums as a question that is asked again does: what it found, and how many statements it took. */
async function reader(ledger: PlainLedger, window = WINDOW) {
  const kept = new Map()
  const read = async (anew = false) => {
    const query = repeatedCells(kept, R, 'local', window, anew)
    return { found: await ask(ledger.sql, query), reads: query.statements.length }
  }
  const atOnce = async () =>
    (await ledger.sql.query(allCellsStatement(R, 'local', window))).rows.map(toCellSums)
  return { kept, read, atOnce }
}

describe('sums of whole hours', () => {
  test('are read once, and added to what is around them', async () => {
    const ledger = await plainLedger()
    for (const hoursAgo of [0.01, 0.5, 3, 3.2, 20, 47, 47.999]) await ran(ledger, hoursAgo)
    await ran(ledger, 3.1, { model: 'a first one' })
    await ran(ledger, 0.3, { model: 'between' })
    const { read, atOnce } = await reader(ledger)
    const all = await atOnce()
    expect(all.length).toBeGreaterThan(5)
    expect(await read()).toEqual({ found: all, reads: 3 })
    expect(await read()).toEqual({ found: all, reads: 2 })
    await ran(ledger, 0.2)
    expect(await read()).toEqual({ found: await atOnce(), reads: 2 })
  })

  test('are not taken where an event came late, nor where the roll-up was made anew', async () => {
    const ledger = await plainLedger()
    for (const hoursAgo of [3, 20]) await ran(ledger, hoursAgo)
    const { read, atOnce } = await reader(ledger)
    await read()
    await ran(ledger, 30)
    expect(await read()).toEqual({ found: undefined, reads: 2 })
    expect(await read(true)).toEqual({ found: await atOnce(), reads: 3 })
    expect(await read()).toEqual({ found: await atOnce(), reads: 2 })
    await ledger.sql.batch([{ text: 'UPDATE rollup_hours SET output_sum = output_sum + 1', params: [] }])
    expect((await read()).found).toBeUndefined()
  })

  test('are not taken where the ledger was restored, and had the same traffic under another model', async () => {
    const [lost, restored] = [await plainLedger(), await plainLedger()]
    for (const hoursAgo of [3, 20]) {
      await ran(lost, hoursAgo, { run_id: `run ${hoursAgo}`, model: 'm1' })
      await ran(restored, hoursAgo, { run_id: `run ${hoursAgo}`, model: 'm2' })
    }
    const { kept, read } = await reader(lost)
    await read()
    expect(await ask(restored.sql, repeatedCells(kept, R, 'local', WINDOW, false))).toBeUndefined()
  })

  test('are not taken where the ledger was restored, and had as much traffic at other times', async () => {
    const [lost, restored] = [await plainLedger(), await plainLedger()]
    for (const hoursAgo of [3, 20]) await ran(lost, hoursAgo)
    for (const hoursAgo of [40, 41]) await ran(restored, hoursAgo)
    const { kept, read } = await reader(lost)
    await read()
    expect(await ask(restored.sql, repeatedCells(kept, R, 'local', WINDOW, false))).toBeUndefined()
    // What is read anew is kept of the ledger as it is.
    const found = await ask(restored.sql, repeatedCells(kept, R, 'local', WINDOW, true))
    expect(await ask(restored.sql, repeatedCells(kept, R, 'local', WINDOW, false))).toEqual(found)
  })

  test('are not kept where an event may leave their totals as they are', async () => {
    const ledger = await plainLedger()
    await ran(ledger, 20, { input: 200_000_000 })
    const { kept, read, atOnce } = await reader(ledger)
    expect(await read()).toEqual({ found: await atOnce(), reads: 3 })
    expect(kept.size).toBe(0)
  })

  test('are not kept of more models than are told apart by time', async () => {
    const ledger = await plainLedger()
    const events = Array.from({ length: 501 }, (_, index) => {
      const at = NOW - (2 + (index % 40)) * HOUR
      return acceptEvent(eventOf({ release_id: R, run_id: `r${index}`, at, model: `m${index}` }))!
    })
    await ingestEvents(ledger, events.slice(0, 500))
    const { kept, read, atOnce } = await reader(ledger)
    expect((await read()).found).toEqual(await atOnce())
    expect(kept.size).toBe(1)
    await ingestEvents(ledger, events.slice(500))
    expect((await read()).found).toBeUndefined()
    kept.clear()
    const { found } = await read()
    expect(found).toEqual(await atOnce())
    expect(new Set(found!.map(({ block }) => block))).toEqual(new Set([0]))
    expect(kept.size).toBe(0)
  })

  test('of a window of less than a day are none', async () => {
    const ledger = await plainLedger()
    await ran(ledger, 2)
    const { kept, read, atOnce } = await reader(ledger, { since: NOW - 23 * HOUR, until: NOW })
    for (const _ of [1, 2]) expect(await read()).toEqual({ found: await atOnce(), reads: 1 })
    expect(kept.size).toBe(0)
  })
})
