import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { eventTag, untaggedRestOf } from '../../rules/event_rest.ts'
import { type Ledger, partsOf } from '../world/ledger.ts'
import { scoreRows } from './score_rows.ts'
import { type Hashed, erasedAmong, hashForIngest } from './erased.ts'
import { forgetIds, internEvents } from './interning.ts'
import {
  type Along,
  type EventRow,
  ingestQuery,
  supersededStatement,
  toEventRow,
  COLUMNS,
} from './ingest_sql.ts'
import { partRows } from './parts.ts'
import { countEvents } from '../world/tally.ts'
import { addToCounter } from '../trail/counters.ts'
import { fitsBytes } from '../../base/text.ts'
import { jsonTexts } from '../../sql/dialect.ts'
import { analyze, plannedEvents } from '../../sql/server.ts'
import { type Statement, type Row, SqlError, sql } from '../../sql/port.ts'
import { allRows, among, ask, asText, columns, field, write, together } from '../../sql/query.ts'

/** Most events, and most characters of their rows, that go into one atomic batch. */
const CHUNK_EVENTS = 500
const CHUNK_CHARS = 600_000

/** Most bytes of a parameter: D1 binds 2 MB. What is escaped or no ASCII takes several to a character. */
const MOST_PARAM_BYTES = 1_900_000

/** What became of events. */
export interface Ingested {
  readonly inserted: number
  readonly skipped: number
  /** Those skipped because they were erased, or events of their time may have been pruned: rollups count them still. */
  readonly expired: number
  /** Of those, the erased ones. */
  readonly erased: number
  /** Those skipped whose run_id is stored with other content. */
  readonly shadowed: readonly Shadowed[]
  /** Who sums the runs of days that some of those skipped are of: by name, how many. */
  readonly fed: ReadonlyMap<string, number>
}

/** What goes along with some events. Where its condition doesn't hold, `serialization` is thrown. */
type AlongOf = (events: readonly StoredEvent[]) => Along

/**
 * Stores events in order, in chunks that are atomic each, together with their rollups. An event whose run_id
 * is stored already is skipped. After a failure midway what is in stays; sending the same again completes it.
 */
export async function ingestEvents(
  ledger: Ledger,
  events: readonly StoredEvent[],
  alongOf?: AlongOf,
): Promise<Ingested> {
  let [inserted, skipped, pruned, erased] = [0, 0, 0, 0]
  const shadowed: Shadowed[] = []
  const fed = new Map<string, number>()
  for (const chunk of chunksOf(events)) {
    for (const { rows, count, hashed, before } of await insertChunk(ledger, chunk, alongOf)) {
      inserted += count
      countEvents(ledger.tally, 'stored', count)
      countEvents(ledger.tally, 'skipped', rows.length - count)
      if (count === rows.length) continue
      skipped += rows.length - count
      const gone = await expiredRows(ledger, rows, hashed, before)
      pruned += gone.pruned
      erased += gone.erased
      await countSuperseded(ledger, rows)
      const others = await skippedFor(ledger, rows)
      shadowed.push(...others.shadowed)
      for (const { source, events: of } of others.fed) fed.set(source, (fed.get(source) ?? 0) + of)
    }
  }
  await refreshStatistics(ledger, inserted)
  return { inserted, skipped, expired: pruned + erased, erased, shadowed, fed }
}

/** An event, and what of it is stored besides the columns, behind its tag. */
interface Split {
  readonly event: StoredEvent
  readonly rest: string
}

function* chunksOf(events: readonly StoredEvent[]): Generator<Split[]> {
  let chunk: Split[] = []
  let chars = 0
  for (const event of events) {
    const rest = untaggedRestOf(event)
    const size = charsOf(event, rest)
    if (chunk.length === CHUNK_EVENTS || (chunk.length > 0 && chars + size > CHUNK_CHARS)) {
      yield chunk
      chunk = []
      chars = 0
    }
    chunk.push({ event, rest })
    chars += size
  }
  if (chunk.length > 0) yield chunk
}

/** Characters of a row's numbers and punctuation, about. */
const NUMBER_CHARS = 100

function charsOf({ run_id, tenant_id, task_id, request }: StoredEvent, rest: string): number {
  const chars = run_id.length + tenant_id.length + task_id.length + rest.length + NUMBER_CHARS
  if (request === null) return chars
  const { session_id, trace_id, span_id } = request
  return chars + (session_id?.length ?? 0) + (trace_id?.length ?? 0) + (span_id?.length ?? 0)
}

/** How often ids are looked up again that no longer mean what they meant. */
const MAX_LOOKUPS = 3

interface Inserted {
  readonly rows: readonly EventRow[]
  /** How many of them were new. */
  readonly count: number
  readonly hashed: Hashed
  /** Epoch ms: those of an earlier time were not stored. */
  readonly before: number
}

/** Writes a chunk, in halves where it is too long for one parameter. */
async function insertChunk(
  ledger: Ledger,
  chunk: readonly Split[],
  alongOf: AlongOf | undefined,
): Promise<Inserted[]> {
  const events = chunk.map(({ event }) => event)
  const runIds = events.map(({ run_id }) => run_id)
  const along = alongOf?.(events)
  const ahead = along?.before ?? []
  const keepers = await partsOf(ledger.features, 'ingest')
  const sums = await partsOf(ledger.features, 'sums')
  const [feeds] = await partsOf(ledger.features, 'fed')
  for (let lookup = 0; lookup < MAX_LOOKUPS; lookup++) {
    const ids = await internEvents(ledger, events)
    const tag = tagger()
    const rows = chunk.map(({ event, rest }, index) => {
      const [scope, variant] = [ids.scopeAt(index), ids.variantAt(index)]
      return toEventRow(event, tag(event, scope, variant) + rest, scope, variant)
    })
    const hashed = await hashForIngest(ledger, runIds)
    const parts = partRows(events, ids.variantOfPart)
    const made = await Promise.all(keepers.map(keep => keep(ledger, events, parts, ids)))
    const kept = made.filter(each => each !== undefined)
    const query = ingestQuery(ledger.sql, rows, ids, {
      erased: hashed,
      further: added => sums.map(each => each.onStored(ledger.sql, added)),
      parts,
      scores: scoreRows(events),
      kept,
      isFed: feeds?.isFed,
      along,
    })
    if (chunk.length > 1 && query.statements.some(isTooLong)) {
      const half = Math.ceil(chunk.length / 2)
      const first = await insertChunk(ledger, chunk.slice(0, half), alongOf)
      return [...first, ...(await insertChunk(ledger, chunk.slice(half), alongOf))]
    }
    const { inserted, eventsBefore } = await write(ledger.sql, among(ahead, query))
    if (inserted !== undefined) {
      if (inserted === rows.length) for (const { afterStored } of sums) await afterStored(ledger, events)
      return [{ rows, count: inserted, hashed, before: eventsBefore }]
    }
    forgetIds(ledger.memo)
    for (const { forget } of kept) forget?.()
  }
  throw new SqlError('serialization', 'the ids of releases and models changed while events were stored')
}

/** Tags of events by their ids, of which there are few. */
function tagger(): (event: StoredEvent, scope: number, variant: number) => string {
  const known = new Map<number, Map<number, string>>()
  return function tag(event, scope, variant) {
    const tags = known.get(scope) ?? new Map<number, string>()
    if (tags.size === 0) known.set(scope, tags)
    const found = tags.get(variant)
    if (found !== undefined) return found
    const made = eventTag(event)
    tags.set(variant, made)
    return made
  }
}

/** How many of these rows were skipped because they are gone, which is counted and logged. */
async function expiredRows(
  { sql: db, log }: Ledger,
  rows: readonly EventRow[],
  hashed: Hashed,
  before: number,
): Promise<{ readonly pruned: number; readonly erased: number }> {
  const hashes = await erasedAmong(db, hashed)
  const isOld = ([, , , ts]: EventRow): boolean => ts < before
  const pruned = rows.filter(isOld).length
  const erased = rows.filter((row, index) => !isOld(row) && hashes.has(hashed.hashes[index]!)).length
  if (pruned + erased > 0) {
    await db.batch([addToCounter('run_events_expired', pruned + erased)])
    log('warn', 'run events skipped: they were erased, or those of their time were pruned', {
      pruned,
      erased,
    })
  }
  return { pruned, erased }
}

function isTooLong({ params }: Statement): boolean {
  return params.some(param => typeof param === 'string' && !fitsBytes(param, MOST_PARAM_BYTES))
}

/** A run_end behind a run_start of its run_id is lost by the rule that the first one wins: say so. */
async function countSuperseded(ledger: Ledger, rows: readonly EventRow[]): Promise<void> {
  const ends = rows.filter(row => row[4] === 1).map(row => row[0])
  if (ends.length === 0) return
  const superseded = allRows(supersededStatement(ends), field('run_id', asText))
  const found = await ask(ledger.sql, superseded)
  if (found.length === 0) return
  await ledger.sql.batch([addToCounter('run_ends_dropped', found.length)])
  ledger.log('warn', 'run_end skipped: a run_start with the same run_id is stored already', {
    dropped: found.length,
    first_run_id: found[0]!,
  })
}

/** After so many events of this process, and each time after ten times as many. */
const FIRST_CHECK = 1000

/**
 * Has PostgreSQL count what it has, where that has grown by much and nothing did so yet. Without that its planner takes
 * tables for nearly empty, and reads the whole window for each hour of a tenant's runs; autovacuum comes by a minute or
 * more later, or is off. A user who may not do that is let go on without.
 */
async function refreshStatistics(
  { sql: db, memo, log }: Pick<Ledger, 'sql' | 'memo' | 'log'>,
  inserted: number,
): Promise<void> {
  const { growth } = memo
  growth.events += inserted
  const { events, evaluatePlace = FIRST_CHECK } = growth
  if (events < evaluatePlace) return
  growth.evaluatePlace = 10 ** Math.ceil(Math.log10(events + 1))
  try {
    const planned = await plannedEvents(db)
    if (planned !== undefined && planned < events / 2) await analyze(db)
  } catch (error) {
    log('warn', "the statistics of the ledger can't be refreshed", { error })
  }
}

/** An event that was skipped because another one is stored under its run_id, and the release that one counts for. */
interface Shadowed {
  readonly run_id: string
  readonly release_id: string
}

/** Of rows that were just written or skipped, those that are stored with other content, and who sums the runs of others. */
async function skippedFor(
  { sql: db, features }: Pick<Ledger, 'sql' | 'features'>,
  rows: readonly EventRow[],
) {
  const [feeds] = await partsOf(features, 'fed')
  const given = new Map(rows.map(row => [row[0], row]))
  const stored = allRows(storedStatement([...given.keys()]), row => {
    const named = readNames(row)
    return { ...named, isSame: isEqual(row, given.get(named.run_id)!) }
  })
  const places = rows.map(([, scope, , ts]) => [scope, ts] as const)
  const found = await ask(db, together({ stored, fed: feeds?.fedBy(places) }))
  const shadowed: Shadowed[] = found.stored
    .filter(({ isSame }) => !isSame)
    .map(({ run_id, release_id }) => ({ run_id, release_id }))
  return { shadowed, fed: found.fed ?? [] }
}

const readNames = columns({ run_id: asText, release_id: asText })

function isEqual(stored: Row, given: EventRow): boolean {
  return COLUMNS.every((column, index) => given[index] === stored[column])
}

function storedStatement(runIds: readonly string[]): Statement {
  return sql`SELECT e.*, s.release_id FROM ${jsonTexts(runIds)}
    JOIN run_events e ON e.run_id = given.value JOIN scopes s ON s.id = e.scope`
}

/** Most run_ids that a warning names. */
const MOST_NAMED = 5

/**
 * A warning for each reason why events were skipped, unless they were stored before as they are. `withReleases` names the
 * release that a stored run counts for: leave it off where the sender may not read that.
 */
export function skippedTexts(
  { expired, erased, shadowed, fed }: Pick<Ingested, 'expired' | 'erased' | 'shadowed' | 'fed'>,
  { withReleases }: { readonly withReleases: boolean },
): string[] {
  const pruned = expired - erased
  return [
    ...(pruned === 0
      ? []
      : [
          `${pruned} ${eventsWere(pruned)} skipped because run events of that time were pruned; ` +
            '`svc runs ingest --restored` puts archived ones back',
        ]),
    ...(erased === 0
      ? []
      : [
          `${erased} ${eventsWere(erased)} skipped because run events of these run_ids were erased; ` +
            'the comparisons still count them',
        ]),
    ...shadowedText(shadowed, withReleases),
    ...Array.from(
      fed,
      ([source, events]) =>
        `${events} ${eventsWere(events)} skipped because the runs of these releases and days are those that ` +
        `${source} sums; \`svc aggregates sources\` says since when`,
    ),
  ]
}

function shadowedText(shadowed: readonly Shadowed[], withReleases: boolean): string[] {
  if (shadowed.length === 0) return []
  const named = shadowed
    .slice(0, MOST_NAMED)
    .map(
      ({ run_id, release_id }) =>
        JSON.stringify(run_id.slice(0, 80)) + (withReleases ? ` (release ${release_id.slice(0, 80)})` : ''),
    )
  const more = shadowed.length > MOST_NAMED ? ` and ${shadowed.length - MOST_NAMED} more` : ''
  return [
    `${shadowed.length} ${eventsWere(shadowed.length)} skipped whose run_id is stored with other content: ` +
      `${named.join(', ')}${more}; send a corrected event with a new run_id`,
  ]
}

function eventsWere(count: number): string {
  return count === 1 ? 'event was' : 'events were'
}
