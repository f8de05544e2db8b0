import { sumsOf } from '../../../../src/ledger/events/rebuild.ts'
import { describe, expect, test } from 'vitest'
import { prunable, eventCutoff } from '../../../../src/features/retention/prune.ts'
import { pruneDeliveries, pruneKeys } from '../../../../src/features/retention/others.ts'
import type { Pace } from '../../../../src/ledger/world/ledger.ts'
import { DAY_MS, HOUR_MS, isoTime } from '../../../../src/base/time.ts'
import type { StoredEvent } from '../../../../src/models/documents/stored_event.ts'
import { rowsOf, sql } from '../../../../src/sql/port.ts'
import { eventOf, twoReleases } from '../../../support/services/builders.ts'
import { decision, ingest, ok, promote } from '../../../support/services/requests.ts'
import {
  type MemoryArchive,
  erase,
  killedAt,
  memoryArchive,
  prune as pruneNow,
  restore as restoreNow,
} from '../../../support/services/retention.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

const TODAY = Math.floor(NOON / DAY_MS) * DAY_MS
/** Events of the two days before this one go. */
const CUTOFF = TODAY - DAY_MS

/** What goes when it is old, what stays, and what comes back. */
export function retentionContract(makeService: MakeService): void {
  describe('pruning run events', () => {
    test('removes what is older, and leaves rollups, diffs, charts and decisions as they were', async () => {
      const { service, baseline, candidate } = await withHistory(makeService)
      await promote(service, baseline)
      const before = await answers(service, baseline, candidate)
      const archive = memoryArchive()
      expect(await prunable(service.sql, { before: CUTOFF, restored: false })).toEqual({
        days: 4,
        events: 128,
      })
      const pruned = await prune(service, archive)
      expect(pruned).toEqual({ days: 4, events: 128 })
      expect(await answers(service, baseline, candidate)).toEqual(before)
      expect(archive.days).toEqual([...new Set(archive.days)])
      expect(archive.lines().length).toBe(128)
      expect(await count(service)).toBe(64)
      expect(await orphans(service)).toBe(0)
      expect(await doctor(service)).toEqual([])
      await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      const [diff, series, counters] = await answers(service, baseline, candidate)
      expect([diff, series]).toEqual(before.slice(0, 2))
      expect(counters).toMatchObject({ run_events_total: 192 })
      expect(await doctor(service)).toEqual([])
    })

    test('archives each event as it was exported', async () => {
      const { service, baseline, candidate } = await withHistory(makeService)
      const exported = [...(await exportAll(service, baseline)), ...(await exportAll(service, candidate))]
      const archive = memoryArchive()
      await prune(service, archive)
      const gone = exported.filter(line => Date.parse((JSON.parse(line) as StoredEvent).timestamp) < CUTOFF)
      expect(archive.lines().toSorted()).toEqual(gone.toSorted())
    })

    test('leaves pages that are right, and says what they lack', async () => {
      const { service, baseline } = await withHistory(makeService)
      const all = await pageThrough(service, baseline)
      await prune(service, memoryArchive())
      const left = await pageThrough(service, baseline)
      expect(left.texts).toEqual(all.texts.filter(text => Date.parse(JSON.parse(text).timestamp) >= CUTOFF))
      expect(left.total).toBe(left.texts.length)
      expect(all.warnings).toBeUndefined()
      expect(left.warnings).toEqual([expect.stringContaining(`before ${isoTime(CUTOFF).slice(0, 10)}`)])
      const query = { release_id: baseline, window: '5d', unknown: '1' }
      const { headers } = await service.call('GET /v1/runs/export', { query })
      expect(headers.get('x-service-warning')).toBe(
        `${left.warnings![0]!}; unknown is not a parameter of this request`,
      )
      const recent = { release_id: baseline, window: '12h' }
      const whole = await service.call('GET /v1/runs/export', { query: recent })
      expect(whole.headers.get('x-service-warning')).toBeNull()
    })

    test('is said in a comparison by tenant that reaches back further', async () => {
      const { service, baseline, candidate } = await withHistory(makeService)
      const body = { baseline_release_id: baseline, candidate_release_id: candidate, tenant_id: 't1' }
      const before = await ok(service.call('POST /v1/diff', { body: { ...body, window: '3d' } }))
      expect(before.warnings).toBeUndefined()
      await prune(service, memoryArchive())
      const { warnings } = await ok(service.call('POST /v1/diff', { body: { ...body, window: '3d' } }))
      expect(warnings).toEqual([expect.stringMatching(/^baseline: /), expect.stringMatching(/^candidate: /)])
      const recent = await ok(service.call('POST /v1/diff', { body: { ...body, window: '12h' } }))
      expect(recent.warnings).toBeUndefined()
    })

    test('keeps an event that is sent again from counting twice', async () => {
      const { service, baseline, candidate, events } = await withHistory(makeService)
      await prune(service, memoryArchive())
      const before = await answers(service, baseline, candidate)
      const answer = await ok(service.call('POST /v1/events', { body: { events } }))
      expect(answer).toMatchObject({ inserted: 0, skipped: events.length })
      expect(answer.warnings).toEqual([expect.stringMatching(/^128 events were skipped because/)])
      expect(await answers(service, baseline, candidate)).toEqual(before)
      expect(await doctor(service)).toEqual([])
    })

    test('that is ended midway goes on where it was', async () => {
      const { service } = await withHistory(makeService)
      await expect(prune(service, memoryArchive(), killedAt(4))).rejects.toThrow('killed')
      expect(await doctor(service)).toEqual([])
      expect(await warningsOf(service)).toEqual([
        expect.stringMatching(/^retention: .*; prn_\w+ has not ended: `svc runs prune` goes on with it$/),
      ])
      expect(await prune(service, memoryArchive())).toEqual({ days: 4, events: 128 })
      expect(await removalsIn(service)).toEqual([
        ['events.pruning', { before: isoTime(CUTOFF) }],
        ['events.pruned', { before: isoTime(CUTOFF), days: 4, events: 128 }],
      ])
      expect(await warningsOf(service)).toEqual([])
      expect(await count(service)).toBe(64)
      expect(await doctor(service)).toEqual([])
      expect(await prune(service, memoryArchive())).toEqual({ days: 0, events: 0 })
    })

    test('spares what a pending request will be evaluated on', async () => {
      const { service, baseline, candidate } = await withHistory(makeService, {
        promotion_requires_approval: true,
      })
      expect(await eventCutoff(service.context, '1d')).toBe(TODAY - DAY_MS)
      const requested = await service.call('POST /v1/promote/request', {
        body: decision(candidate, { window: '3d' }),
      })
      expect(requested.status).toBe(200)
      expect(await eventCutoff(service.context, '1d')).toBe(TODAY - 3 * DAY_MS)
      expect(baseline).not.toBe(candidate)
    })
  })

  describe('restoring run events', () => {
    test('brings back all that was archived, and changes nothing that is counted', async () => {
      const { service, baseline, candidate } = await withHistory(makeService)
      const [before, listed] = [
        await answers(service, baseline, candidate),
        await pageThrough(service, baseline),
      ]
      const archive = memoryArchive()
      await prune(service, archive)
      for (const again of [false, true]) {
        expect(await restore(service, archive.lines())).toBe(again ? 0 : 128)
        expect(await answers(service, baseline, candidate)).toEqual(before)
        expect(await pageThrough(service, baseline)).toEqual(listed)
        expect(await doctor(service)).toEqual([])
      }
      // What came back is not taken again by what runs each hour, and counts once when more comes in.
      const hourly = { before: CUTOFF, restored: false }
      expect(await pruneNow(service.context, hourly)).toEqual({ days: 0, events: 0 })
      await ingest(service, [eventOf({ release_id: baseline, run_id: 'new' })])
      expect(await doctor(service)).toEqual([])
    })

    test('takes no event of a time from which nothing was pruned', async () => {
      const { service, baseline } = await withHistory(makeService)
      const fresh = eventOf({ release_id: baseline, run_id: 'fresh' })
      await ingest(service, [fresh])
      const [text] = (await exportAll(service, baseline)).slice(0, 1)
      const other = JSON.stringify({ ...JSON.parse(text!), run_id: 'other' })
      expect(await restoreNow(service.context, [other])).toEqual({ inserted: 0, skipped: 1, gaps: 0 })
    })
  })

  describe('erasing a tenant', () => {
    test("removes that tenant's run events alone, and leaves all that is counted", async () => {
      const { service, baseline, candidate } = await withHistory(makeService)
      const [before, all] = [
        await answers(service, baseline, candidate),
        await pageThrough(service, baseline),
      ]
      expect(await erase(service.context, 't1')).toMatchObject({ events: 96 })
      expect(await erase(service.context, 't1')).toMatchObject({ events: 0 })
      expect(await answers(service, baseline, candidate)).toEqual(before)
      expect(await doctor(service)).toEqual([])
      const left = await pageThrough(service, baseline)
      expect(left.texts).toEqual(all.texts.filter(text => JSON.parse(text).tenant_id !== 't1'))
      expect(left.total).toBe(left.texts.length)
    })

    test('keeps its events from counting again when they are sent again, and its run_ids from being read', async () => {
      const { service, baseline, candidate, events } = await withHistory(makeService)
      const before = await answers(service, baseline, candidate)
      await erase(service.context, 't1')
      const answer = await ok(service.call('POST /v1/events', { body: { events } }))
      expect(answer).toMatchObject({ inserted: 0, skipped: events.length })
      expect(answer.warnings).toEqual([
        expect.stringMatching(/^96 events were skipped because run events of these run_ids were erased/),
      ])
      expect(await answers(service, baseline, candidate)).toEqual(before)
      expect(await doctor(service)).toEqual([])
      await ok(service.call('POST /v1/rollups/rebuild', { body: {} }))
      const rebuilt = await answers(service, baseline, candidate)
      expect(rebuilt.slice(0, 2)).toEqual(before.slice(0, 2))
      const kept = JSON.stringify([
        await rowsOf(service.sql, sql`SELECT * FROM erased_runs`),
        await rowsOf(service.sql, sql`SELECT * FROM retention`),
      ])
      expect(events.filter(({ run_id }) => kept.includes(String(run_id)))).toEqual([])
    })

    test('that is killed has its record, and its next run ends that one', async () => {
      const { service, events } = await withHistory(makeService)
      // So that the erasure itself has nothing to sum first.
      for (const { catchUp } of await sumsOf(service.context.features))
        await catchUp(service.context, batch => batch())
      const killed = erase(service.context, 't1', { pace: killedAt(2) })
      await expect(killed).rejects.toThrow('killed')
      expect(await count(service)).toBeLessThan(events.length)
      const again = events.filter(({ tenant_id }) => tenant_id === 't1')
      const answer = await ok(service.call('POST /v1/events', { body: { events: again } }))
      expect(answer.inserted).toBe(0)
      expect(await doctor(service)).toEqual([])
      expect(await warningsOf(service)).toEqual([
        expect.stringMatching(/; era_\w+ has not ended: `svc runs erase` for the same tenant goes on/),
      ])
      const { erasure_id } = await erase(service.context, 't1')
      expect(await removalsIn(service)).toEqual([
        ['events.erasing', {}],
        ['events.erased', expect.objectContaining({ events: 96, erased_runs: 96 })],
      ])
      const rows = await rowsOf(service.sql, sql`SELECT erasure_id, events FROM erasures`)
      expect(rows).toEqual([{ erasure_id, events: 96 }])
      expect(await doctor(service)).toEqual([])
      expect(await warningsOf(service)).toEqual([])
    })

    test('keeps an archive that it did not reach from bringing them back', async () => {
      const { service } = await withHistory(makeService)
      const archive = memoryArchive()
      await prune(service, archive)
      const copy = archive.lines()
      await restoreNow(service.context, copy)
      expect(await erase(service.context, 't1')).toMatchObject({ events: 96 })
      expect(await restoreNow(service.context, copy)).toMatchObject({ inserted: 0, skipped: 128, erased: 64 })
      expect(await count(service)).toBe(96)
      expect(await warningsOf(service)).toEqual([])
    })

    test('keeps what was archived before from coming back, though the ledger had none of it', async () => {
      const { service } = await withHistory(makeService)
      const archive = memoryArchive()
      await prune(service, archive)
      await erase(service.context, 't1')
      expect(await restoreNow(service.context, archive.lines())).toMatchObject({ inserted: 64, erased: 64 })
      expect(await erase(service.context, 't1')).toMatchObject({ events: 0 })
    })
  })

  test('deliveries and idempotency keys go at their age, and what waits stays', async () => {
    const service = await makeService()
    const { baseline } = await twoReleases(service, 0)
    const hook = { url: 'https://hooks.example.com/x', events: ['promote.succeeded'] }
    await ok(service.call('POST /v1/webhooks', { body: hook }))
    const headers = { 'idempotency-key': 'k1' }
    await ok(service.call('POST /v1/promote', { body: decision(baseline), headers }))
    expect(await pruneDeliveries(service.sql, NOON + DAY_MS, atOnce)).toBe(0)
    await service.sql.batch([sql`UPDATE webhook_deliveries SET status = 'failed', last_attempt_at = ${NOON}`])
    expect(await pruneDeliveries(service.sql, NOON, atOnce)).toBe(0)
    expect(await pruneDeliveries(service.sql, NOON + 1, atOnce)).toBe(1)
    expect(await pruneKeys(service.sql, NOON, atOnce)).toBe(0)
    expect(await pruneKeys(service.sql, NOON + 1, atOnce)).toBe(1)
  })
}

const atOnce: Pace = batch => batch()

/** Parts and scores of runs that are gone. */
async function orphans({ sql: db }: TestService): Promise<number> {
  const [row] = await rowsOf(
    db,
    sql`SELECT count(*) AS n FROM (SELECT event FROM run_parts UNION ALL SELECT event FROM run_scores) AS of_runs
      WHERE event NOT IN (SELECT seq FROM run_events)`,
  )
  return Number(row!.n)
}

/** Two releases with an event of each of two tenants every two hours, today, yesterday and two days before. */
async function withHistory(makeService: MakeService, workspace: Record<string, unknown> = {}) {
  const service = await makeService({ workspace })
  const { baseline, candidate } = await twoReleases(service, 0)
  const events = [baseline, candidate].flatMap(release_id =>
    ['t1', 't2'].flatMap(tenant_id =>
      Array.from({ length: 48 }, (_, index) => {
        const at = TODAY - 3 * DAY_MS + Math.floor(index / 2) * 3 * HOUR_MS + index * 1001
        // One in four has parts: another model, and tokens written to a cache; one in three has scores.
        const parts =
          index % 4 > 0 ? {} : { written: 100, others: [{ model: 'm2', tokens: [500, 50, 0] as const }] }
        const run_id = `${release_id}-${tenant_id}-${index}`
        const scores = index % 3 > 0 ? {} : { scores: { good: index / 48, fair: 1 } }
        return eventOf({ release_id, tenant_id, at, run_id, ...parts, ...scores })
      }),
    ),
  )
  await ingest(service, events)
  return { service, baseline, candidate, events }
}

function prune({ context }: TestService, { archive }: MemoryArchive, pace = atOnce) {
  return pruneNow(context, { before: CUTOFF, archive, restored: false, pace })
}

async function restore({ context }: TestService, lines: readonly string[]): Promise<number> {
  const { inserted, gaps } = await restoreNow(context, lines)
  expect(gaps).toBe(0)
  return inserted
}

/** All that must not change when raw events go. */
async function answers(service: TestService, baseline: string, candidate: string): Promise<unknown[]> {
  const body = { baseline_release_id: baseline, candidate_release_id: candidate, window: '5d' }
  const series = { release_id: baseline, window: '5d' }
  return [
    await ok(service.call('POST /v1/diff', { body })),
    await ok(service.call('GET /v1/runs/series', { query: series })),
    (await ok(service.call('GET /v1/metrics'))).counters,
  ]
}

async function count({ sql: db }: TestService): Promise<number> {
  return Number((await rowsOf(db, sql`SELECT count(*) AS n FROM run_events`))[0]!.n)
}

/** The checks that fail. */
async function doctor(service: TestService): Promise<unknown[]> {
  const { checks } = await ok(service.call('GET /v1/doctor', { query: { deep: 'true' } }))
  return checks.filter((check: { ok: boolean }) => !check.ok)
}

/** The checks that warn. */
async function warningsOf(service: TestService): Promise<string[]> {
  const { checks } = await ok(service.call('GET /v1/doctor', { query: { deep: 'true' } }))
  return checks.flatMap(({ name, detail, warning }: { name: string; detail: string; warning?: boolean }) =>
    warning === true && name !== 'durability' ? [`${name}: ${detail}`] : [],
  )
}

/** What the audit log says was removed, oldest first. */
async function removalsIn({ sql: db }: TestService): Promise<unknown[]> {
  const rows = await rowsOf(
    db,
    sql`SELECT kind, record_json FROM audit_log WHERE kind LIKE 'events.%' ORDER BY log_seq`,
  )
  return rows.map(({ kind, record_json }) => [kind, JSON.parse(String(record_json)).details])
}

async function exportAll(service: TestService, release_id: string): Promise<string[]> {
  const { text } = await service.call('GET /v1/runs/export', { query: { release_id, window: '5d' } })
  return text.split('\n').slice(0, -1)
}

/** All pages of a release, of 7 each. */
async function pageThrough(service: TestService, release_id: string) {
  const texts: string[] = []
  for (;;) {
    const query = { release_id, window: '5d', limit: '7', offset: String(texts.length) }
    const page = await ok(service.call('GET /v1/runs', { query }))
    texts.push(...page.events.map((event: unknown) => JSON.stringify(event)))
    if (!page.truncated) return { texts, total: page.matched_total, warnings: page.warnings }
  }
}
