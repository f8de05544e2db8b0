import { HOUR_MS } from '../../base/time.ts'
import { type Check, type DoctorCheck, fail, pass } from '../../ledger/doctor/check.ts'
import { COUNTED } from '../../ledger/trail/counters.ts'
import { inBackground } from '../../sql/deadline.ts'
import { type Sql, raw, sql } from '../../sql/port.ts'
import {
  allRows,
  asJson,
  asNumber,
  asText,
  ask,
  columns,
  field,
  firstRow,
  onlyRow,
  together,
} from '../../sql/query.ts'
import { type LogRecord, SERVICE_ACTOR } from '../../ledger/trail/chain.ts'
import { writeLogged } from '../../ledger/trail/write_logged.ts'
import { PLACED_COLUMNS, toPlacedText } from '../../ledger/events/event_texts.ts'
import { sha256 } from '../../base/bytes.ts'
import type { Ledger, Pace, Progress } from '../../ledger/world/ledger.ts'

/** What an hourly entry says of the events that came in. */
interface DigestDetails {
  /** Numbers of the events that it holds: behind the first, up to and with the second. */
  readonly after: number
  readonly up_to: number
  readonly events: number
  /** The newest event then: what is under way has lower numbers, so the next entry goes up to here. */
  readonly seen: number
}

/**
 * Once an hour, by the database's clock, puts a hash of the events into the log that had come in by the hour before. The
 * first entry only says where it begins: with the first event, but behind those of a large ledger of an older version.
 * Returns whether there was one to write.
 */
export async function digestEvents(ledger: Ledger, pace: Pace): Promise<boolean> {
  const { clock } = ledger.sql
  const { last, newest } = await ask(
    ledger.sql,
    together({
      last: LAST_DIGEST,
      newest: onlyRow(
        sql`SELECT coalesce(max(seq), 0) AS seq, ${clock} AS now FROM run_events`,
        columns({ seq: asNumber, now: asNumber }),
      ),
    }),
  )
  const before = last?.record_json
  const { seq: seen, now } = newest
  const beginning = seen <= MOST_AT_FIRST ? 0 : seen
  const { up_to: after, seen: upTo } = (before?.details as DigestDetails | undefined) ?? {
    up_to: beginning,
    seen: beginning,
  }
  // One that lies an hour ahead was written by another clock.
  const isDue = before === undefined ? seen > 0 : Math.abs(now - before.created_at) >= HOUR_MS
  if (!isDue || (before !== undefined && after === upTo && upTo === seen)) return false
  const { events, digest } = await eventsDigest(ledger.sql, after, upTo, pace)
  const id = ledger.newId('dig_')
  await writeLogged(ledger, LAST_DIGEST, (found, { now: created_at }) => ({
    id,
    revises: 'none',
    entries:
      // Of several servers one is the first.
      found?.log_seq === last?.log_seq
        ? [
            {
              kind: 'events.digest',
              subject: id,
              actor: SERVICE_ACTOR,
              reason: null,
              created_at,
              fact: digest === '' ? null : digest,
              details: { after, up_to: upTo, events, seen } satisfies DigestDetails,
            },
          ]
        : [],
    write: () => [],
    done: true,
  }))
  return true
}

/** Events from before the first entry that the next one still holds. */
const MOST_AT_FIRST = 100_000

const readDigest = columns({ log_seq: asNumber, record_json: asJson<LogRecord> })

const LAST_DIGEST = firstRow(
  sql`SELECT log_seq, record_json FROM audit_log WHERE kind = 'events.digest' AND kind <> 'decision'
    ORDER BY log_seq DESC LIMIT 1`,
  readDigest,
)

/** Events that are hashed at a time. */
const PAGE = 500

/** One hash over the texts of events in the order they came in: of each page, and the hash so far. */
async function eventsDigest(
  ledger: Sql,
  after: number,
  upTo: number,
  pace: Pace,
): Promise<{ events: number; digest: string }> {
  const db = inBackground(ledger)
  let [events, digest, seq] = [0, '', after]
  for (;;) {
    const page = sql`SELECT e.seq, ${PLACED_COLUMNS}
      FROM run_events e JOIN variants v ON v.id = e.variant JOIN scopes s ON s.id = e.scope
      WHERE e.seq > ${seq} AND e.seq <= ${upTo} ORDER BY e.seq LIMIT ${PAGE}`
    const rows = await pace(() =>
      ask(
        db,
        allRows(page, row => ({ seq: asNumber(row.seq), text: toPlacedText(row) })),
      ),
    )
    if (rows.length === 0) return { events, digest }
    digest = await sha256(digest + rows.map(({ text }) => text).join('\n'))
    events += rows.length
    seq = rows.at(-1)!.seq
  }
}

/**
 * Hashes again what the hourly entries hold. What was pruned or erased since can't be; of what is all there, names the
 * first that differs.
 */
async function digestProblems(
  db: Sql,
  onProgress?: Progress,
): Promise<{ verified: number; incomplete: number; missing: number; problem?: string }> {
  const digests = sql`SELECT log_seq, record_json FROM audit_log WHERE kind = 'events.digest' AND kind <> 'decision'
    ORDER BY log_seq`
  const rows = await ask(db, allRows(digests, readDigest))
  let [verified, incomplete, missing] = [0, 0, 0]
  for (const [done, row] of rows.entries()) {
    onProgress?.('hours of events', done, rows.length)
    const { fact, details } = row.record_json
    const { after, up_to: upTo, events } = details as unknown as DigestDetails
    const found = await eventsDigest(db, after, upTo, batch => batch())
    if (found.events < events) {
      incomplete += 1
      missing += events - found.events
    } else if (found.events > events || (found.digest !== '' && found.digest !== fact)) {
      const problem = `log_seq ${row.log_seq}: events ${after + 1} to ${upTo} were changed after they came in`
      return { verified, incomplete, missing, problem }
    } else verified += 1
  }
  return { verified, incomplete, missing }
}

export const CHECKS: readonly Check[] = [
  { name: 'event_digests', deep: true, run: (db, { onProgress }) => checkDigests(db, onProgress) },
]

/** Events of hours that the audit log has a hash of. */
async function checkDigests(db: Sql, onProgress?: Progress): Promise<DoctorCheck> {
  const name = 'event_digests'
  const { verified, incomplete, missing, problem } = await digestProblems(db, onProgress)
  if (problem !== undefined) return fail(name, problem)
  const lacking = incomplete === 0 ? '' : `; of ${incomplete} hours some events were pruned or erased`
  const detail = `${verified} hours are unchanged${lacking}`
  const { gone, removed, restored } = await removals(db)
  // A killed removal of an older version left the same: it wrote its entry at the end only.
  const unlogged = [
    [missing, removed],
    [gone, removed - restored],
  ].find(([found, logged]) => found! > logged!)
  if (unlogged === undefined) return pass(name, detail)
  const text = `${detail}; ${unlogged[0]} events are gone, and the audit log tells of ${unlogged[1]}`
  return { name, ok: true, detail: text, warning: true }
}

/**
 * How many events are gone that the rollups count, how many were ever removed, and how many of those were put back, as
 * the audit log and what is under way tell it. What was put back has other numbers than it had: digests lack it still.
 */
async function removals(db: Sql): Promise<{ gone: number; removed: number; restored: number }> {
  const { counts, jobs, entries } = await ask(
    db,
    together({
      counts: onlyRow(
        sql`SELECT (${raw(COUNTED.run_events_total!)}) AS counted, (SELECT count(*) FROM run_events) AS stored`,
        columns({ counted: asNumber, stored: asNumber }),
      ),
      jobs: allRows(
        sql`SELECT kind, events FROM retention_jobs`,
        columns({ kind: asText, events: asNumber }),
      ),
      entries: allRows(
        sql`SELECT record_json FROM audit_log
          WHERE kind IN ('events.pruned', 'events.erased', 'events.restored') AND kind <> 'decision' ORDER BY log_seq`,
        field('record_json', asJson<LogRecord>),
      ),
    }),
  )
  const ended = entries.map(({ kind, details }) => ({
    isBack: kind === 'events.restored',
    events: Number(details.events ?? details.inserted),
  }))
  const open = jobs.map(({ kind, events }) => ({ isBack: kind === 'restore', events }))
  const sumOf = (isBack: boolean): number =>
    [...ended, ...open].filter(each => each.isBack === isBack).reduce((sum, { events }) => sum + events, 0)
  return { gone: counts.counted - counts.stored, removed: sumOf(false), restored: sumOf(true) }
}
