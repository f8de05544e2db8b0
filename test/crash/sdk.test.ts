import { expect, test } from 'vitest'
import type { QueueCounts } from '../../src/sdk/index.ts'
import type { Services } from '../../src/runtime/services.ts'
import { type Mood, faultyServer } from '../support/processes/faulty_server.ts'
import { temporaryFolder } from '../support/databases/ledger.ts'
import { start } from '../support/processes/processes.ts'
import { seededRandom } from '../../src/base/numbers.ts'
import { scaled } from '../support/scale.ts'
import { open } from './programs/support.ts'

const ROUNDS = scaled(4, 100)
/** A queue of this size drops events when the machine is busy. */
const SMALL = 60
const MOODS: readonly Mood[] = ['ok', 'slow', 'failing', 'restarting']

/** What a program said before it ended, and what the ledger has of it. */
interface Reported {
  readonly logged: number
  readonly acknowledged: readonly string[]
  readonly counts: QueueCounts | undefined
  readonly stored: readonly string[]
}

test(`${ROUNDS} × SIGTERM: sent + dropped + queued = logged, whatever the server does`, async () => {
  await eachRound(async ({ run, round, mood }) => {
    const ownHandler = (round + Math.floor(round / MOODS.length)) % 2 === 1
    const maxEvents = round % 5 === 1 ? SMALL : 100_000
    const { reported, end, loggedBefore } = await run({ ownHandler, maxEvents }, 'SIGTERM')
    if (!ownHandler) {
      expect(end).toMatchObject({ code: null, signal: 'SIGTERM' })
      // Drained before the signal was let through; what the program logged after it may be lost with it. A small queue
      // may have dropped some before.
      if (mood === 'ok' && maxEvents > SMALL)
        expect(reported.stored.length).toBeGreaterThanOrEqual(loggedBefore)
      return
    }
    expect(end).toMatchObject({ code: 0, signal: null })
    const { logged, sent, dropped, queued } = reported.counts!
    expect(sent + dropped + queued).toBe(logged)
    expect({ logged, queued }).toEqual({ logged: reported.logged, queued: 0 })
    expect(sent).toBe(reported.acknowledged.length)
    if (mood === 'ok' && maxEvents > SMALL) expect(sent).toBe(logged)
  })
})

test(`${ROUNDS} × kill -9: acknowledged ⊆ stored ⊆ logged, and nothing twice`, async () => {
  await eachRound(async ({ run }) => {
    const { end } = await run({ ownHandler: false, maxEvents: 1000 }, 'SIGKILL')
    expect(end.signal).toBe('SIGKILL')
  })
})

interface Round {
  readonly round: number
  readonly mood: Mood
  readonly run: (
    options: { ownHandler: boolean; maxEvents: number },
    signal: NodeJS.Signals,
  ) => Promise<{
    reported: Reported
    end: { code: number | null; signal: NodeJS.Signals | null }
    /** How many were logged before the signal, at least. */
    loggedBefore: number
  }>
}

async function eachRound(play: (round: Round) => Promise<void>): Promise<void> {
  const random = seededRandom(20_261_120)
  const services = await open({ folder: temporaryFolder() })
  const server = await faultyServer(services, random)
  let acknowledged = 0
  for (let round = 0; round < ROUNDS; round++) {
    const mood = MOODS[round % MOODS.length]!
    server.mood = mood
    await play({
      round,
      mood,
      run: async (options, signal) => {
        const name = `round${round}`
        const running = start('log_events.ts', { url: server.url, name, ...options })
        await running.printed(20 + Math.floor(random() * 60))
        const loggedBefore = loggedBy(running.lines as Line[])
        running.child.kill(signal)
        const { stderr, ...end } = await running.ended
        expect(stderr).toBe('')
        const reported = await gather(services, name, running.lines as Line[])
        expectContained(reported, name)
        acknowledged += reported.acknowledged.length
        return { reported, end, loggedBefore }
      },
    })
  }
  expect(acknowledged).toBeGreaterThan(ROUNDS)
  await services.sql.close()
}

interface Line {
  readonly logged?: number
  readonly acknowledged?: string[]
  readonly counts?: QueueCounts
}

async function gather(services: Services, name: string, lines: readonly Line[]): Promise<Reported> {
  const { rows } = await services.sql.query({
    text: 'SELECT run_id FROM run_events WHERE run_id LIKE ? ORDER BY seq',
    params: [`${name}-%`],
  })
  return {
    logged: loggedBy(lines),
    acknowledged: lines.flatMap(line => line.acknowledged ?? []),
    counts: lines.find(line => line.counts !== undefined)?.counts,
    stored: rows.map(row => String(row.run_id)),
  }
}

function loggedBy(lines: readonly Line[]): number {
  return Math.max(...lines.map(line => line.logged ?? 0))
}

function expectContained({ logged, acknowledged, stored }: Reported, name: string): void {
  const all = new Set(Array.from({ length: logged }, (_, index) => `${name}-${index}`))
  const kept = new Set(stored)
  expect(stored).toHaveLength(kept.size)
  expect(acknowledged.filter(id => !kept.has(id))).toEqual([])
  expect(stored.filter(id => !all.has(id))).toEqual([])
}
