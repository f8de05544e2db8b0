import { badRequest, unprocessable } from '../../base/errors.ts'
import { DAY_MS, dayText, isoTime } from '../../base/time.ts'
import { holding, holdsOf } from '../../ledger/trail/bound_rows.ts'
import type { LogActor, NewEntry } from '../../ledger/trail/chain.ts'
import { writeLogged } from '../../ledger/trail/write_logged.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { type Row, type Sql, type Statement, sql } from '../../sql/port.ts'
import { eitherText, jsonRows } from '../../sql/dialect.ts'
import {
  allRows,
  asNumber,
  asText,
  ask,
  columns,
  firstRow,
  orNull,
  rowsOfKeys,
  together,
  insertRow,
} from '../../sql/query.ts'
import { type Scope, inScope } from '../../ledger/world/scope.ts'
import type { AggregateSource } from './models.ts'
import type { Header, AggregateOwner, ReadAggregates } from './rules_read.ts'
import { pick } from './store.ts'

/** What an import changes that decisions rest on. */
interface Governed {
  readonly header: Header
  /** Scopes that its source shall feed, from which day (UTC, since the epoch) on, and what they are. */
  readonly feeds: readonly Feed[]
  /** Hours of which the engine has fewer runs than it had, as the caller allows. */
  readonly fewer: readonly Fewer[]
  readonly actor: LogActor
  readonly reason: string | null
}

export interface Feed {
  readonly scope: number
  readonly from_day: number
  readonly release_id: string
  readonly environment: string
}

export interface Fewer {
  readonly hour: number
  readonly before: number
  readonly after: number
}

const SOURCE = {
  source: asText,
  engine: asText,
  query_sha256: asText,
  run_url: orNull(asText),
  created_at: asNumber,
  created_by: asText,
} as const
const readSource = columns(SOURCE)

/**
 * Makes a source, changes what it is, and hands scopes over to it, as one entry each of the audit log. Throws 400 where
 * a day that it is to feed has runs of events.
 */
export async function govern(ledger: Ledger, governed: Governed): Promise<void> {
  const { header, feeds, fewer, actor, reason } = governed
  const { source, engine, query_sha256, run_url } = header
  const id = ledger.newId('src_')
  const given = jsonRows(feeds.map(({ scope, from_day }) => [scope, from_day]))
  const ownedByEvents = sql`SELECT ${pick(0)} AS scope, min(h.bucket) / 24 AS day FROM ${given}
    JOIN rollup_hours h ON h.scope = ${pick(0)} AND h.bucket >= ${pick(1)} * 24
      AND h.bucket < 24 * coalesce((SELECT min(f.from_day) FROM aggregate_feeds f WHERE f.scope = h.scope), 100000000)
    GROUP BY ${pick(0)}`
  const query = together({
    before: firstRow(sql`SELECT * FROM aggregate_sources WHERE source = ${source}`, readSource),
    feeds: allRows(
      sql`SELECT feed_id, scope, from_day FROM aggregate_feeds WHERE source = ${source}`,
      columns({ feed_id: asText, scope: asNumber, from_day: asNumber }),
    ),
    events: allRows(ownedByEvents, columns({ scope: asNumber, day: asNumber })),
  })
  await writeLogged<
    true,
    { before: ReturnType<typeof readSource> | undefined; feeds: KnownFeed[]; events: Day[] }
  >(ledger, query, async ({ before, feeds: known, events }) => {
    refuseEvents(source, feeds, events)
    const now = ledger.now()
    const row = {
      source,
      engine,
      query_sha256,
      run_url,
      created_at: before?.created_at ?? now,
      created_by: before?.created_by ?? actor.name,
    }
    const rows = feeds.map(({ scope, from_day }) => ({
      feed_id: known.find(each => each.scope === scope)?.feed_id ?? ledger.newId('fed_'),
      scope,
      source,
      from_day,
    }))
    const entry = async (
      kind: NewEntry['kind'],
      details: NewEntry['details'],
      bound: Parameters<typeof holdsOf> | undefined,
    ): Promise<NewEntry> => ({
      kind,
      subject: id,
      actor,
      reason,
      created_at: now,
      fact: null,
      details: { source, ...details, ...(bound === undefined ? {} : holding(await holdsOf(...bound))) },
    })
    const isSame = before !== undefined && JSON.stringify(before) === JSON.stringify(row)
    const handed = feeds.map(({ release_id, environment, from_day }) => ({
      release_id,
      environment,
      from: dayText(from_day * DAY_MS),
    }))
    const entries = [
      ...(isSame
        ? []
        : [
            await entry('aggregates.source', { engine, query_sha256, run_url }, ['aggregate_sources', [row]]),
          ]),
      ...(rows.length === 0
        ? []
        : [await entry('aggregates.handed_over', { handed }, ['aggregate_feeds', rows])]),
      ...(fewer.length === 0
        ? []
        : [
            await entry(
              'aggregates.fewer',
              { hours: fewer.map(({ hour, ...runs }) => ({ hour, ...runs })) },
              undefined,
            ),
          ]),
    ]
    return {
      id,
      // A comparison that was evaluated before may count other runs now.
      revises: 'all',
      entries,
      ...(rows.length === 0
        ? {}
        : { provided: { lock: LOCK_EVENTS, holds: sql`NOT EXISTS (${ownedByEvents})` } }),
      write: guard => [...sourceStatements(row, guard), ...feedStatements(rows, guard)],
      done: true,
    }
  })
}

interface KnownFeed {
  readonly feed_id: string
  readonly scope: number
  readonly from_day: number
}

interface Day {
  readonly scope: number
  readonly day: number
}

function refuseEvents(source: string, feeds: readonly Feed[], [first, ...more]: readonly Day[]): void {
  if (first === undefined) return
  const { release_id, environment } = feeds.find(({ scope }) => scope === first.scope)!
  const others = more.length === 0 ? '' : `, and so are ${more.length} more releases`
  throw badRequest(
    `${release_id} in ${environment} has run events on ${dayText(first.day * DAY_MS)}${others}: a day has events or aggregates, never both. Send aggregates of ${source} only from the first day (UTC) without events, and stop sending events before that day. Nothing was stored.`,
  )
}

/** On PostgreSQL events that others are storing are not seen. SQLite has one writer. */
const LOCK_EVENTS = eitherText('SELECT 1', 'LOCK TABLE rollup_hours IN SHARE ROW EXCLUSIVE MODE')

function sourceStatements(row: Row, guard: Statement): Statement[] {
  return [
    sql`${insertRow('aggregate_sources', row, guard)}
      ON CONFLICT (source) DO UPDATE SET engine = excluded.engine, query_sha256 = excluded.query_sha256,
        run_url = excluded.run_url`,
  ]
}

function feedStatements(rows: readonly Row[], guard: Statement): Statement[] {
  if (rows.length === 0) return []
  const from = jsonRows(rows.map(each => [each.feed_id, each.scope, each.source, each.from_day]))
  return [
    sql`INSERT INTO aggregate_feeds (feed_id, scope, source, from_day)
      SELECT ${pick(0, 'TEXT')}, ${pick(1)}, ${pick(2, 'TEXT')}, ${pick(3)} FROM ${from} WHERE ${guard}
      ON CONFLICT (scope, source) DO UPDATE SET from_day = excluded.from_day`,
  ]
}

const LISTED = columns({
  ...SOURCE,
  releases: asNumber,
  covered_to: orNull(asNumber),
  as_of: orNull(asNumber),
  imports: asNumber,
  imported_at: orNull(asNumber),
})

/** Most feeds that are listed of a source, those that began last. */
const MOST_FEEDS = 100

/** Whether a place `p` with its release `r` is in scope. */
export function placeIn(scope: Scope): Statement {
  return inScope(scope, { agent: sql`r.agent_id`, environment: sql`p.environment` })
}

/** All sources, with what they feed, as far as that is in scope. */
export async function listSources(db: Sql, scope: Scope): Promise<AggregateSource[]> {
  const isIn = placeIn(scope)
  const feeds = sql`FROM aggregate_feeds f JOIN scopes p ON p.id = f.scope
    JOIN releases r ON r.release_id = p.release_id WHERE f.source = s.source AND ${isIn}`
  const found = await ask(
    db,
    together({
      sources: allRows(
        sql`SELECT s.*, (SELECT count(*) ${feeds}) AS releases,
            (SELECT max(h.covered_to) FROM aggregate_hours h WHERE h.source = s.source) AS covered_to,
            (SELECT max(h.as_of) FROM aggregate_hours h WHERE h.source = s.source) AS as_of,
            (SELECT count(*) FROM aggregate_imports i WHERE i.source = s.source) AS imports,
            (SELECT max(i.fetched_at) FROM aggregate_imports i WHERE i.source = s.source) AS imported_at
          FROM aggregate_sources s ORDER BY s.source`,
        LISTED,
      ),
      feeds: allRows(
        sql`SELECT s.source, p.release_id, p.environment, f.from_day FROM aggregate_sources s
          JOIN aggregate_feeds f ON f.source = s.source JOIN scopes p ON p.id = f.scope
          JOIN releases r ON r.release_id = p.release_id WHERE ${isIn}
          ORDER BY f.from_day DESC, p.release_id, p.environment`,
        columns({ source: asText, release_id: asText, environment: asText, from_day: asNumber }),
      ),
    }),
  )
  const time = (at: number | null): string | null => (at === null ? null : isoTime(at))
  return found.sources.map(({ covered_to, as_of, imported_at, created_at, ...rest }) => ({
    ...rest,
    created_at: isoTime(created_at),
    covered_until: time(covered_to),
    as_of: time(as_of),
    imported_at: time(imported_at),
    feeds: found.feeds
      .filter(({ source }) => source === rest.source)
      .slice(0, MOST_FEEDS)
      .map(({ release_id, environment, from_day }) => ({
        release_id,
        environment,
        from: dayText(from_day * DAY_MS),
      })),
  }))
}

/** A release that aggregates are of, and where it ran. */
export interface AggregatesRelease {
  readonly release_id: string
  readonly agent_id: string
  readonly environment: string
}

const RELEASE = columns({ release_id: asText, agent_id: asText, version: asText, checksum: asText })
type Release = ReturnType<typeof RELEASE>

/**
 * The release of each place. Throws 422, by line, for one that is not registered, is meant by two names, or is of another
 * agent than its aggregates.
 */
export async function releasesOf(
  db: Sql,
  { places, hours, variants }: ReadAggregates,
): Promise<AggregatesRelease[]> {
  const ids = [...new Set(places.flatMap(({ release_id }) => release_id ?? []))]
  const agents = [
    ...new Set(places.flatMap(place => (place.release_id === undefined ? place.agent_id! : []))),
  ]
  const byId = await rowsOfKeys(
    db,
    ids,
    some => sql`SELECT * FROM releases WHERE release_id IN (${some})`,
    RELEASE,
  )
  const byAgent = await rowsOfKeys(
    db,
    agents,
    some => sql`SELECT * FROM releases WHERE agent_id IN (${some}) ORDER BY seq DESC`,
    RELEASE,
  )
  const lineOf = new Map<number, number>()
  for (const { place, line } of hours) if (!lineOf.has(place)) lineOf.set(place, line)
  const wrong = (place: number, field: string, msg: string) =>
    unprocessable([{ loc: ['body', `line ${lineOf.get(place) ?? 2}`, field], msg, type: 'aggregate' }])
  const known = new Map(byId.map(release => [release.release_id, release]))
  const found = places.map((place, index) => {
    const { release_id: id, environment } = place
    const release = id === undefined ? ofVersion(place, byAgent) : known.get(id)
    if (release === undefined) throw wrong(index, 'release_id', `${id} is not registered`)
    if (typeof release === 'string') throw wrong(index, 'version', release)
    return { release_id: release.release_id, agent_id: release.agent_id, environment }
  })
  refuseTwice(found)
  for (const { place, rows } of hours) {
    for (const [, of] of [...rows.runs, ...rows.parts]) {
      const agent = variants[of as number]![0]
      const { agent_id: own, release_id } = found[place]!
      if (agent !== own)
        throw wrong(place, 'agent_id', `${release_id} is a release of ${own}, not of ${agent}`)
    }
  }
  return found
}

function ofVersion({ agent_id, version }: AggregateOwner, releases: readonly Release[]): Release | string {
  const [newest, ...others] = releases.filter(each => each.agent_id === agent_id && each.version === version)
  if (newest === undefined) return `no release of ${agent_id} has version ${version}`
  if (others.every(({ checksum }) => checksum === newest.checksum)) return newest
  return `several releases of ${agent_id} have version ${version} and differ: send release_id`
}

function refuseTwice(found: readonly AggregatesRelease[]): void {
  const seen = new Set<string>()
  for (const { release_id, environment } of found) {
    const key = `${release_id}\0${environment}`
    if (seen.has(key))
      throw badRequest(
        `${release_id} in ${environment} is named by its id and by a version: use one of them.`,
      )
    seen.add(key)
  }
}
