import { unzipped } from '../../base/bytes.ts'
import { ServiceError, badRequest, unprocessable } from '../../base/errors.ts'
import { DAY_HOURS, HOUR_MS, isoTime } from '../../base/time.ts'
import { forgetIds, internNames } from '../../ledger/events/interning.ts'
import { idsHold } from '../../ledger/events/ingest_sql.ts'
import type { LogActor } from '../../ledger/trail/chain.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { remembering } from '../../ledger/world/memo.ts'
import { newMutex } from '../../sql/deadline.ts'
import {
  type Scope,
  coversAgent,
  coversEnvironment,
  isLimited,
  outOfScope,
} from '../../ledger/world/scope.ts'
import { undeclaredText } from '../../rules/scope.ts'
import { type Sql, SqlError, type Statement, sql } from '../../sql/port.ts'
import { jsonRows } from '../../sql/dialect.ts'
import {
  allRows,
  asNumber,
  asText,
  ask,
  columns,
  field,
  hasRow,
  onlyRow,
  together,
  insertRow,
} from '../../sql/query.ts'
import { type Hour, elsewhereOf, idOf, namedSegments, storedHours } from './hours.ts'
import type { AggregatesImported } from './models.ts'
import { AggregateReader, LONGEST_LINE, type Header, type ReadAggregates } from './rules_read.ts'
import { type AggregatesRelease, type Feed, type Fewer, govern, placeIn, releasesOf } from './sources.ts'
import { type HourChange, type Writing, hourStatements, pick, writeGuard } from './store.ts'

/** The body of an import as it arrived: JSON lines, gzip or not. */
export interface AggregatesBody {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly encoding: string | null
}

interface ImportOptions {
  readonly actor: LogActor
  readonly scope: Scope
  /** The only source whose aggregates the caller may send; null for any. */
  readonly source: string | null
  /** Whether an engine may have lost runs that it had. */
  readonly allowFewer: boolean
  readonly reason: string | null
  readonly nextTurn?: () => Promise<void> | void
}

/** Most bytes of an import once it is plain. */
export const MOST_BYTES = 64 * 1024 * 1024
/** Bytes that are read at a time, so that others get their turn. */
const BYTES_AT_ONCE = 64 * 1024
/** A source may lose this share of an hour's runs unasked: late corrections. */
const MOST_LOST = 0.01
/** How often an import is planned again because others wrote aggregates meanwhile. */
const MAX_PLANS = 20
/** Characters of aggregates, and hours, that are written in one transaction, about. */
const BATCH_CHARS = 1_500_000
const BATCH_HOURS = 24

/** One import at a time. */
const importing = remembering(newMutex)

/**
 * Takes the aggregates of a source: each hour that it covers becomes what it says, in a transaction of its own or with others.
 * Sent again it changes nothing; what was taken of an older state comes to nothing. Throws 422 for aggregates that no runs can
 * add up to, and then nothing was written.
 */
export async function importAggregates(
  ledger: Ledger,
  body: AggregatesBody,
  options: ImportOptions,
): Promise<AggregatesImported> {
  const read = await readAggregates(ledger, body, options)
  const mutex = importing(ledger.memo)
  return mutex.run(() => writeAggregates(ledger, read, options), ledger.sql.options.deadline)
}

async function readAggregates(
  { now }: Pick<Ledger, 'now'>,
  { bytes, encoding }: AggregatesBody,
  { source, nextTurn }: Pick<ImportOptions, 'source' | 'nextTurn'>,
): Promise<ReadAggregates> {
  const name = (encoding ?? '').trim().toLowerCase()
  if (name !== '' && name !== 'identity' && name !== 'gzip')
    throw new ServiceError(415, 'Aggregates must be sent with Content-Encoding gzip, or none.')
  if (bytes.length > MOST_BYTES) throw tooLarge()
  const parts = name === 'gzip' ? unzipped(bytes, MOST_BYTES, tooLarge) : slicesOf(bytes)
  const reader = new AggregateReader(now())
  let number = 0
  for await (const lines of linesIn(parts)) {
    if (!lines.every(line => reader.line(line, ++number))) break
    await nextTurn?.()
  }
  const read = reader.end()
  if (read === undefined) throw unprocessable(reader.problems)
  if (source !== null && source !== read.header.source)
    throw new ServiceError(
      403,
      `This token is for aggregates of ${source} only, not of ${read.header.source}.`,
    )
  return read
}

function tooLarge(): ServiceError {
  return new ServiceError(
    413,
    `The aggregates are larger than ${MOST_BYTES} bytes; send fewer hours at a time.`,
  )
}

function* slicesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) yield bytes.subarray(at, at + BYTES_AT_ONCE)
}

/** The lines of a text as they come. One that is too long is cut off, for whoever reads it to refuse. */
async function* linesIn(parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  for await (const part of parts) {
    const lines = (rest + decoded(decoder, part)).split('\n')
    if (lines.at(-1)!.length > LONGEST_LINE) return yield lines
    rest = lines.pop()!
    yield lines
  }
  yield [rest + decoded(decoder)]
}

function decoded(decoder: TextDecoder, part?: Uint8Array): string {
  try {
    return decoder.decode(part, { stream: part !== undefined })
  } catch (error) {
    throw badRequest('The aggregates are not valid UTF-8.', error)
  }
}

/** Aggregates as they would be stored, and what is there of their hours. */
async function comparedState(ledger: Ledger, read: ReadAggregates, of: readonly AggregatesRelease[]) {
  const elsewhere = await elsewhereOf(ledger)
  const segmentOf = await namedSegments(ledger.sql, read, of, elsewhere)
  const named = await internNames(
    ledger,
    of.map(({ release_id, environment }) => `${release_id}\0${environment}`),
    read.variants.map(variant => variant.join('\0')),
  )
  const scopes = of.map(({ release_id, environment }) => named.scopeOf(`${release_id}\0${environment}`))
  const variants = read.variants.map(variant => named.variantOf(variant.join('\0')))
  const hours = await storedHours(read, scopes, variants, segmentOf)
  const importId = await idOf(read.header, hours)
  const state = await readState(ledger.sql, read.header, importId, scopes)
  return { ids: named.ids, scopes, hours, importId, state, elsewhere }
}

async function writeAggregates(
  ledger: Ledger,
  read: ReadAggregates,
  options: ImportOptions,
): Promise<AggregatesImported> {
  const { header } = read
  const releases = await releasesOf(ledger.sql, read)
  for (const { agent_id, environment } of releases)
    refuseForeign(ledger, options.scope, agent_id, environment)
  for (let [plans, isLogged] = [0, false]; plans < MAX_PLANS; plans++) {
    const { ids, scopes, hours, importId, state, elsewhere } = await comparedState(ledger, read, releases)
    if (state.isImported) return { ...answerOf(importId, read), unchanged: true }
    const plan = planned(header, hours, state)
    const feeds = newFeeds(read, scopes, releases, state)
    await refuseOthers(ledger.sql, options.scope, state, plan)
    const { fewer } = plan
    if (fewer.length > 0 && !options.allowFewer) throw vanished(header, fewer)
    if (!state.isKnown || feeds.length > 0 || (fewer.length > 0 && !isLogged)) {
      const lost = isLogged ? [] : fewer
      await govern(ledger, { header, feeds, fewer: lost, actor: options.actor, reason: options.reason })
      isLogged = true
      continue
    }
    const { source, run_url: runUrl } = header
    const sourcesOf = namesByScope(state.feeds)
    const writing = { source, importId, runUrl, sourcesOf, elsewhere }
    const batches = batchesOf(plan.changes, writing)
    const noted = importStatement(read, importId, plan, { actor: options.actor, now: ledger.now() })
    const holds = idsHold(ids)
    if (await writeBatches(ledger.sql, [...batches, [noted]], state.writes, holds))
      return { ...answerOf(importId, read), ...plan.counts }
    forgetIds(ledger.memo)
  }
  throw new ServiceError(503, 'Too many aggregates are being written; send these again.', {
    headers: { 'Retry-After': '5' },
  })
}

/** False where others wrote in between, or ids mean something else by now. What was written stays. */
async function writeBatches(
  db: Sql,
  batches: readonly Statement[][],
  before: number,
  holds: Statement,
): Promise<boolean> {
  for (const [index, statements] of batches.entries()) {
    try {
      await db.batch([...writeGuard(before + index, holds), ...statements])
    } catch (error) {
      if (error instanceof SqlError && error.kind === 'unique') return false
      throw error
    }
  }
  return true
}

function refuseForeign(
  { workspace }: Pick<Ledger, 'workspace'>,
  scope: Scope,
  agentId: string,
  environment: string,
): void {
  const undeclared = undeclaredText(workspace, environment)
  if (undeclared !== undefined) throw badRequest(undeclared)
  if (!coversAgent(scope, agentId))
    throw outOfScope(scope, `aggregates are of agent ${JSON.stringify(agentId)}`)
  if (!coversEnvironment(scope, environment))
    throw outOfScope(scope, `aggregates are of environment ${JSON.stringify(environment)}`)
}

/**
 * An hour becomes what an import says, and a source what its header says: who is for some agents or environments alone
 * takes no aggregates of others away, and does not say where those of others come from.
 */
async function refuseOthers(
  db: Sql,
  scope: Scope,
  { source, isKnown }: State,
  { changes }: Plan,
): Promise<void> {
  if (!isLimited(scope)) return
  const isOthers = async (scopes: Statement): Promise<boolean> =>
    ask(
      db,
      hasRow(sql`SELECT 1 FROM scopes p JOIN releases r ON r.release_id = p.release_id WHERE p.id IN (${scopes})
        AND NOT (${placeIn(scope)}) LIMIT 1`),
    )
  const touched = new Set(changes.flatMap(change => change.touched))
  const given = jsonRows(Array.from(touched, id => [id]))
  if (await isOthers(sql`SELECT ${pick(0)} FROM ${given}`))
    throw outOfScope(scope, 'these hours have aggregates of other sources, which this import would remove')
  if (!isKnown && (await isOthers(sql`SELECT scope FROM aggregate_feeds WHERE source = ${source}`)))
    throw outOfScope(
      scope,
      `${source} feeds others too, and this import names another engine, query or run_url`,
    )
}

const HOUR = columns({
  hour: asNumber,
  as_of: asNumber,
  covered_to: asNumber,
  runs: asNumber,
  digest: asText,
})
const AGGREGATES = columns({ scope: asNumber, hour: asNumber, digest: asText, aggregates: asNumber })
const FEED = columns({ scope: asNumber, source: asText, from_day: asNumber })

/** What is there of the hours that an import covers. */
interface State {
  /** How often aggregates were written. */
  readonly writes: number
  readonly isImported: boolean
  /** Whether the source is known as the header says it is. */
  readonly isKnown: boolean
  readonly hours: ReadonlyMap<number, ReturnType<typeof HOUR>>
  readonly aggregates: readonly ReturnType<typeof AGGREGATES>[]
  /** Of the scopes of the import, and of those that have aggregates there. */
  readonly feeds: readonly ReturnType<typeof FEED>[]
  readonly source: string
}

async function readState(
  db: Sql,
  header: Header,
  importId: string,
  scopes: readonly number[],
): Promise<State> {
  const { source, engine, query_sha256, run_url, from, to } = header
  const [first, end] = [from / HOUR_MS, Math.ceil(to / HOUR_MS)]
  const inHours = sql`source = ${source} AND hour >= ${first} AND hour < ${end}`
  const given = jsonRows(scopes.map(scope => [scope]))
  const { prunedTo, ...state } = await ask(
    db,
    together({
      writes: onlyRow(sql`SELECT writes FROM aggregate_writes WHERE id = 1`, field('writes', asNumber)),
      isImported: hasRow(sql`SELECT 1 FROM aggregate_imports WHERE import_id = ${importId}`),
      isKnown: hasRow(sql`SELECT 1 FROM aggregate_sources WHERE source = ${source} AND engine = ${engine}
        AND query_sha256 = ${query_sha256} AND coalesce(run_url, '') = ${run_url ?? ''}`),
      hours: allRows(
        sql`SELECT hour, as_of, covered_to, runs, digest FROM aggregate_hours WHERE ${inHours}`,
        HOUR,
      ),
      aggregates: allRows(
        sql`SELECT scope, hour, digest, aggregates FROM aggregates WHERE ${inHours}`,
        AGGREGATES,
      ),
      feeds: allRows(
        sql`SELECT scope, source, from_day FROM aggregate_feeds WHERE scope IN (SELECT ${pick(0)} FROM ${given})
          OR scope IN (SELECT c.scope FROM aggregates c WHERE c.source = ${source} AND c.hour >= ${first} AND c.hour < ${end})
          ORDER BY source`,
        FEED,
      ),
      prunedTo: onlyRow(
        sql`SELECT events_before FROM retention WHERE id = 1`,
        field('events_before', asNumber),
      ),
    }),
  )
  if (from < prunedTo)
    throw badRequest(`Aggregates from before ${isoTime(prunedTo)} are refused: that time was pruned.`)
  return { ...state, hours: new Map(state.hours.map(row => [row.hour, row])), source }
}

interface Plan {
  readonly changes: readonly HourChange[]
  readonly fewer: readonly Fewer[]
  readonly counts: Pick<AggregatesImported, 'hours' | 'replaced' | 'removed' | 'stale'>
}

/** What is to be written. Of an hour the later state wins, in whatever order they come. */
function planned({ as_of, to }: Header, hours: readonly Hour[], { hours: known, aggregates }: State): Plan {
  const before = Map.groupBy(aggregates, ({ hour }) => hour)
  const changes: HourChange[] = []
  const fewer: Fewer[] = []
  let [stale, replaced, removed] = [0, 0, 0]
  for (const { hour, runs, digest, aggregates: incoming } of hours) {
    const covered_to = Math.min(to, (hour + 1) * HOUR_MS)
    const stored = known.get(hour)
    const order = stored && comes({ as_of, covered_to, digest }, stored)
    if (order !== undefined && order <= 0) {
      if (order < 0) stale++
      continue
    }
    if (stored !== undefined && runs < stored.runs * (1 - MOST_LOST))
      fewer.push({ hour, before: stored.runs, after: runs })
    const there = new Map((before.get(hour) ?? []).map(row => [row.scope, row]))
    const put = incoming.filter(each => there.get(each.scope)?.digest !== each.digest)
    const kept = new Set(incoming.map(({ scope }) => scope))
    const gone = [...there.values()].filter(({ scope }) => !kept.has(scope))
    replaced += put.reduce((sum, { scope }) => sum + (there.get(scope)?.aggregates ?? 0), 0)
    removed += gone.reduce((sum, row) => sum + row.aggregates, 0)
    const touched = [...put, ...gone].map(({ scope }) => scope)
    changes.push({ hour, as_of, covered_to, runs, digest, put, touched })
  }
  return { changes, fewer, counts: { hours: changes.length, replaced, removed, stale } }
}

/** Above 0 where a state of an hour comes behind another: two of one time are ordered too, so that their order of arrival says nothing. */
function comes(
  a: Pick<HourChange, 'as_of' | 'covered_to' | 'digest'>,
  b: Pick<HourChange, 'as_of' | 'covered_to' | 'digest'>,
): number {
  return (
    a.as_of - b.as_of ||
    a.covered_to - b.covered_to ||
    (a.digest > b.digest ? 1 : a.digest < b.digest ? -1 : 0)
  )
}

function vanished({ source }: Header, [first, ...more]: readonly Fewer[]): ServiceError {
  const { hour, before, after } = first!
  const others = more.length === 0 ? '' : `, and ${more.length} more hours lost runs too`
  return badRequest(
    `${source} had ${before} runs in the hour ${isoTime(hour * HOUR_MS)} and now has ${after}${others}: an engine that expires old rows must not empty the ledger. If these runs never existed, import again with allow_fewer. Nothing was stored.`,
  )
}

/** Scopes that the source doesn't feed yet, or not from so early on. */
function newFeeds(
  { hours }: ReadAggregates,
  scopes: readonly number[],
  releases: readonly { readonly release_id: string; readonly environment: string }[],
  { feeds, source }: State,
): Feed[] {
  const since = new Map(feeds.filter(feed => feed.source === source).map(feed => [feed.scope, feed.from_day]))
  const first = new Map<number, number>()
  for (const { place, hour } of hours) {
    const day = Math.floor(hour / DAY_HOURS)
    first.set(place, Math.min(first.get(place) ?? day, day))
  }
  return Array.from(first, ([place, from_day]) => {
    const { release_id, environment } = releases[place]!
    return { scope: scopes[place]!, from_day, release_id, environment }
  }).filter(({ scope, from_day }) => (since.get(scope) ?? Infinity) > from_day)
}

function batchesOf(changes: readonly HourChange[], writing: Writing): Statement[][] {
  const batches: HourChange[][] = []
  let [chars, hours] = [Infinity, 0]
  for (const change of changes) {
    const own = change.put.reduce((sum, aggregates) => sum + aggregates.chars, 0)
    if (chars + own > BATCH_CHARS || hours === BATCH_HOURS) {
      batches.push([])
      chars = 0
      hours = 0
    }
    batches.at(-1)!.push(change)
    chars += own
    hours++
  }
  return batches.map(some => hourStatements(some, writing))
}

function namesByScope(feeds: State['feeds']): Writing['sourcesOf'] {
  const byScope = Map.groupBy(feeds, ({ scope }) => scope)
  return new Map(Array.from(byScope, ([scope, own]) => [scope, own.map(({ source }) => source)]))
}

function importStatement(
  { header, aggregates, hours }: ReadAggregates,
  importId: string,
  { counts }: Plan,
  { actor, now }: { readonly actor: LogActor; readonly now: number },
): Statement {
  const runs = hours.reduce((sum, own) => sum + own.runs, 0)
  const { source, query_sha256, from: from_ms, to: to_ms, as_of } = header
  const { replaced, removed } = counts
  const span = { import_id: importId, source, query_sha256, from_ms, to_ms, as_of, fetched_at: now }
  const row = { ...span, aggregates, runs, replaced, removed, actor: actor.name }
  return sql`${insertRow('aggregate_imports', row, sql`true`)} ON CONFLICT (import_id) DO NOTHING`
}

function answerOf(import_id: string, { header, aggregates, hours }: ReadAggregates): AggregatesImported {
  return {
    import_id,
    source: header.source,
    unchanged: false,
    aggregates,
    runs: hours.reduce((sum, own) => sum + own.runs, 0),
    hours: 0,
    replaced: 0,
    removed: 0,
    stale: 0,
  }
}
