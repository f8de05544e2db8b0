import { FEATURES } from '../../../../src/entry/features.ts'
import { expect, test } from 'vitest'
import { examine } from '../../../../src/ledger/doctor/doctor.ts'
import { ingestEvents } from '../../../../src/ledger/events/ingest.ts'
import { digestEvents } from '../../../../src/features/proofs/digests.ts'
import { JOB_LEASE_MS, takenElsewhere } from '../../../../src/features/retention/job.ts'
import { acceptEvent } from '../../../../src/models/all/parse_event.ts'
import { loadMigrations } from '../../../../src/runtime/node/migrations.ts'
import { DAY_MS, HOUR_MS } from '../../../../src/base/time.ts'
import { sql } from '../../../../src/sql/port.ts'
import { MORNING, type PlainLedger, logOf, plainLedger } from '../../../support/ledgers/plain_ledger.ts'
import { eventOf } from '../../../support/services/builders.ts'
import { AT_ONCE, erase, memoryArchive, prune, restore } from '../../../support/services/retention.ts'

const BEFORE = Math.floor(MORNING / DAY_MS) * DAY_MS

/** Days that are gone whole, by this ledger itself. */
const ALL_OF_IT = { width_ms: null, kept_by: null, run_url: null }

test('a day is archived once, by whoever prunes it first', async () => {
  const ledger = await withOldEvents()
  const [first, second] = [memoryArchive(), memoryArchive()]
  const pruneElsewhere = async () => prune(ledger, { before: BEFORE, archive: second.archive })
  let refused: unknown
  const archive: typeof first.archive = async (of, lines, renew) => {
    refused ??= await pruneElsewhere().catch((error: unknown) => error)
    await first.archive(of, lines, renew)
  }
  expect(await prune(ledger, { before: BEFORE, archive })).toEqual({ days: 2, events: 6 })
  expect(refused).toEqual(new Error('another one has the job'))
  expect(await pruneElsewhere()).toEqual({ days: 0, events: 0 })
  expect([first.lines().length, second.lines().length]).toEqual([6, 0])
})

test('of a process that stands still the work is taken over, and it archives and removes no more', async () => {
  const ledger = await withOldEvents()
  const [first, second] = [memoryArchive(), memoryArchive()]
  const standstill = async (): Promise<void> => {
    ledger.clock.now += JOB_LEASE_MS - 1
    await expect(prune(ledger, { before: BEFORE, archive: second.archive })).rejects.toThrow('another one')
    ledger.clock.now += 1
    expect(await prune(ledger, { before: BEFORE, archive: second.archive })).toEqual({ days: 2, events: 6 })
  }
  const archive: typeof first.archive = async (of, lines, renew) => {
    await standstill()
    await first.archive(of, lines, renew)
  }
  await expect(prune(ledger, { before: BEFORE, archive })).rejects.toThrow('Another process took over')
  expect([first.lines().length, second.lines().length]).toEqual([0, 6])
  const kinds = (await logOf(ledger)).map(({ kind }) => kind)
  expect(kinds.filter(kind => kind.startsWith('events.'))).toEqual(['events.pruning', 'events.pruned'])
})

test('a batch of a process that was taken over removes nothing', async () => {
  const ledger = await withOldEvents()
  const pace = async <T>(batch: () => Promise<T>): Promise<T> => {
    await ledger.sql.batch([sql`UPDATE retention_jobs SET held_by = 'another'`])
    return batch()
  }
  await expect(prune(ledger, { before: BEFORE, pace })).rejects.toThrow('took over')
  await expect(erase(ledger, 't1', { pace })).rejects.toThrow('took over')
  expect(await ledger.rows('run_events')).toHaveLength(6)
  expect(await ledger.rows('erased_runs')).toEqual([])
  expect(await ledger.rows('event_gaps')).toEqual([
    { scope: 1, day: BEFORE / DAY_MS - 2, done: 0, ...ALL_OF_IT },
    { scope: 1, day: BEFORE / DAY_MS - 1, done: 0, ...ALL_OF_IT },
  ])
})

test('the work of a process that is known to have ended is taken over at once', async () => {
  const ledger = await withOldEvents()
  const archive = memoryArchive()
  const hasEnded = (mark: string): boolean => mark === 'killed one'
  const killed = { archive: archive.archive, pace: () => new Promise<never>(() => {}) }
  void prune(ledger, { before: BEFORE, ...killed, process: { mark: 'killed one', hasEnded } })
  await expect.poll(() => archive.days.length).toBe(1)
  await expect(prune(ledger, { before: BEFORE })).rejects.toThrow('another one has the job')
  const next = { process: { mark: 'next one', hasEnded } }
  expect(await prune(ledger, { before: BEFORE, ...next })).toEqual({ days: 2, events: 6 })
})

test('a lease that was taken before the clock was set back is over', async () => {
  const ledger = await withOldEvents()
  const archive = memoryArchive()
  const killed = { archive: archive.archive, pace: () => new Promise<never>(() => {}) }
  void prune(ledger, { before: BEFORE, ...killed })
  await expect.poll(() => archive.days.length).toBe(1)
  ledger.clock.now -= HOUR_MS
  expect(await prune(ledger, { before: BEFORE })).toEqual({ days: 2, events: 6 })
})

test('events that were put back and are gone again are not those that the doctor was told of', async () => {
  const ledger = await withOldEvents()
  await digestEvents(ledger, AT_ONCE.pace)
  ledger.clock.now += HOUR_MS
  await digestEvents(ledger, AT_ONCE.pace)
  const archive = memoryArchive()
  await prune(ledger, { before: BEFORE, archive: archive.archive })
  await restore(ledger, archive.lines().slice(1))
  expect(await digestsOf(ledger)).not.toMatch(/gone/)
  await ledger.sql.batch([sql`DELETE FROM run_events WHERE seq = (SELECT max(seq) FROM run_events)`])
  expect(await digestsOf(ledger)).toMatch(/; 2 events are gone, and the audit log tells of 1$/)
})

test.each([
  [
    sql`DELETE FROM retention_jobs`,
    /^prn_\w+ started and did not end, as the audit log says, but its row is missing$/,
  ],
  [
    sql`UPDATE retention_jobs SET job_id = 'prn_x'`,
    /^prn_x is marked as running, but the audit log has no entry of its start$/,
  ],
])('the doctor finds work that the audit log knows otherwise: %o', async (change, detail) => {
  const ledger = await withOldEvents()
  const stopped = () => Promise.reject(new Error('killed'))
  await expect(prune(ledger, { before: BEFORE, pace: stopped })).rejects.toThrow('killed')
  await ledger.sql.batch([change])
  expect(await checkOf(ledger, 'retention_jobs')).toMatchObject({
    ok: false,
    detail: expect.stringMatching(detail),
  })
})

test('who is refused is told what goes on, and when to try again', () => {
  expect(takenElsewhere('prune')).toMatchObject({
    status: 503,
    message:
      'Another process prunes run events of this ledger, or was killed in the last 30 seconds; try again when it has ended.',
    headers: { 'Retry-After': '30' },
  })
})

/** Three events of each of the two days before. */
async function withOldEvents(): Promise<PlainLedger> {
  const ledger = await plainLedger()
  const events = Array.from({ length: 6 }, (_, index) => {
    const at = BEFORE - (1 + (index % 2)) * DAY_MS + index * HOUR_MS
    return acceptEvent(eventOf({ release_id: 'rel_a', run_id: `r${index}`, at }))!
  })
  await ingestEvents(ledger, events)
  return ledger
}

async function checkOf({ sql: db }: PlainLedger, wanted: string) {
  const { checks } = await examine(db, {
    features: FEATURES,
    migrations: loadMigrations({ dialect: 'sqlite' }),
    deep: true,
  })
  return checks.find(({ name }) => name === wanted)!
}

async function digestsOf(ledger: PlainLedger): Promise<string> {
  return (await checkOf(ledger, 'event_digests')).detail
}
