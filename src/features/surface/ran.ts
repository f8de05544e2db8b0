import { HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import type { Release } from '../../models/documents/release.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import type { Window } from '../../rules/window.ts'
import { isServedAs } from '../../spans/provider.ts'
import { type Row, type Statement, join, raw, sql } from '../../sql/port.ts'
import { type Query, allRows, asJson, asNumber, asText, ask, columns, rowsOfKeys } from '../../sql/query.ts'
import type { IngestRows } from '../../ledger/events/ingest_part.ts'
import { firstOfEach } from '../../ledger/events/parts.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { remembered } from '../../ledger/world/memo.ts'
import { readPower } from './power.ts'

/** What runs may use without anybody being told of it. */
export interface Declared {
  /** Names of tools and sub-agents as runs report them; undefined where the release doesn't say which tools it has. */
  readonly tools: ReadonlySet<string> | undefined
  readonly models: readonly string[]
}

/** What a run used that its release doesn't declare. */
export interface Undeclared {
  readonly kind: 'tool' | 'model'
  readonly name: string
  readonly calls: number
}

/**
 * What an artifact declares. Frameworks report a tool of an MCP server by its own name, or with that of the server before
 * it; handing work to a sub-agent may be reported as a call of a tool.
 */
export async function declaredBy(artifact: Release): Promise<Declared> {
  const { power } = await readPower(artifact)
  const { tools, agents, models } = power
  return {
    tools:
      tools === null
        ? undefined
        : new Set([
            ...tools.flatMap(({ server, name }) =>
              server === null
                ? [name]
                : [
                    name,
                    ...SEPARATORS.map(separator => server + separator + name),
                    `mcp__${server}__${name}`,
                  ],
            ),
            ...agents.map(({ agent_id }) => agent_id),
          ]),
    models: models.map(({ model }) => model),
  }
}

const SEPARATORS = ['.', '/', ':', '_', '__'] as const

/** Characters of a name that are kept. */
const NAME_CHARS = 200
const BLANK = '(blank)'

/** What of an event is beyond what its release declares, each name once. A run_start has used nothing. */
export function undeclaredIn({ type, usage }: StoredEvent, { tools, models }: Declared): Undeclared[] {
  if (type !== 'run_end') return []
  const found = new Map<string, Undeclared>()
  const add = (kind: Undeclared['kind'], given: string, calls: number): void => {
    const name = given.slice(0, NAME_CHARS) || BLANK
    const key = `${kind}\0${name}`
    found.set(key, { kind, name, calls: calls + (found.get(key)?.calls ?? 0) })
  }
  for (const { tool_name, invocations } of tools === undefined ? [] : usage.tools) {
    if (tools?.has(tool_name) !== true) add('tool', tool_name, invocations)
  }
  for (const { model, served_model = model } of [usage.model, ...(usage.models ?? [])]) {
    if (!models.some(asked => isServedAs(asked, served_model))) add('model', served_model, 1)
  }
  return [...found.values()]
}

/** What a process remembers: releases never change, and names only come. */
interface Known {
  /** By release; of those that are registered. Emptied where there are too many. */
  readonly declared: Map<string, Declared>
  /** By release and environment, joined by NUL: names that are told apart there. */
  readonly names: Map<string, Set<string>>
}

const MOST_RELEASES = 1000
const MOST_NAMES = 200

function knownTo({ memo }: Pick<Ledger, 'memo'>): Known {
  return remembered(memo, 'surface', () => ({ declared: new Map(), names: new Map() }))
}

/** What of a chunk of events is kept: how often runs used what their release doesn't declare. */
export async function keepUndeclared(
  ledger: Ledger,
  events: readonly StoredEvent[],
): Promise<IngestRows | undefined> {
  const declared = await declaredOf(ledger, new Set(events.map(({ release_id }) => release_id)))
  const found: [StoredEvent, number, Undeclared[]][] = []
  for (const { event, ts } of firstOfEach(events)) {
    const known = declared.get(event.release_id)
    const undeclared = known === undefined ? [] : undeclaredIn(event, known)
    if (undeclared.length > 0) found.push([event, ts, undeclared])
  }
  if (found.length === 0) return undefined
  const rows: RanRow[] = []
  for (const [event, ts, undeclared] of found) {
    const names = await namesOf(ledger, event)
    for (const { kind, name, calls } of merged(undeclared, names))
      rows.push([event.run_id, ts, kind, name, calls])
  }
  return ledger.sql.dialect === 'postgres'
    ? { statements: [], clauses: [onPostgres(rows)] }
    : { statements: onSqlite(rows), clauses: [] }
}

/** A name that is one too many counts under the empty one. */
export function merged(undeclared: readonly Undeclared[], names: Set<string>): Undeclared[] {
  const byName = new Map<string, Undeclared>()
  for (const one of undeclared) {
    const isTold = names.has(`${one.kind}\0${one.name}`) || names.size < MOST_NAMES
    if (isTold) names.add(`${one.kind}\0${one.name}`)
    const name = isTold ? one.name : ''
    const key = `${one.kind}\0${name}`
    byName.set(key, { ...one, name, calls: one.calls + (byName.get(key)?.calls ?? 0) })
  }
  return [...byName.values()]
}

async function declaredOf(ledger: Ledger, releaseIds: ReadonlySet<string>): Promise<Known['declared']> {
  const { declared } = knownTo(ledger)
  if (declared.size > MOST_RELEASES) declared.clear()
  const rows = await rowsOfKeys(
    ledger.sql,
    [...releaseIds].filter(id => !declared.has(id)),
    listed => sql`SELECT release_id, artifact_json FROM releases WHERE release_id IN (${listed})`,
    columns({ release_id: asText, artifact_json: asJson<Release> }),
  )
  for (const { release_id, artifact_json } of rows) declared.set(release_id, await declaredBy(artifact_json))
  return declared
}

async function namesOf(
  ledger: Ledger,
  { release_id, environment }: Pick<StoredEvent, 'release_id' | 'environment'>,
): Promise<Set<string>> {
  const { names } = knownTo(ledger)
  const key = `${release_id}\0${environment}`
  const known = names.get(key)
  if (known !== undefined) return known
  const told = await ask(
    ledger.sql,
    allRows(
      sql`SELECT n.kind, n.name FROM surface_names n JOIN scopes s ON s.id = n.scope
        WHERE s.release_id = ${release_id} AND s.environment = ${environment}`,
      nameKey,
    ),
  )
  if (names.size > MOST_RELEASES) names.clear()
  const read = new Set(told)
  names.set(key, read)
  return read
}

const NAME = columns({ kind: asText, name: asText })

/** The kind and name of a row as the names of a release are remembered. */
export function nameKey(row: Row): string {
  const { kind, name } = NAME(row)
  return `${kind}\0${name}`
}

/** A use of a name by a run. */
type RanRow = readonly [run_id: string, ts: number, kind: Undeclared['kind'], name: string, calls: number]

export const RAN_TABLES = [
  ['rollup_surface_minutes', MINUTE_MS],
  ['rollup_surface_hours', HOUR_MS],
] as const

/** Adds uses to a roll-up; `source` has scope, ts, kind, name and calls. */
export function addRan(table: string, widthMs: number, source: Statement, order = ''): Statement {
  return sql`INSERT INTO ${raw(`${table} (scope, bucket, kind, name, runs, calls)`)}
    SELECT scope, ts / ${raw(String(widthMs))}, kind, name, count(*), sum(CAST(calls AS DOUBLE PRECISION))
    FROM ${source} WHERE true GROUP BY 1, 2, 3, 4 ${raw(order)}
    ON CONFLICT (scope, bucket, kind, name) DO UPDATE SET
      runs = ${raw(table)}.runs + excluded.runs, calls = ${raw(table)}.calls + excluded.calls`
}

/** Names what is not named yet. `source` as for {@link addRan}. */
export function nameRan(source: Statement): Statement {
  return sql`INSERT INTO surface_names (scope, kind, name)
    SELECT scope, kind, name FROM ${source} WHERE name <> '' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING`
}

function onSqlite(rows: readonly RanRow[]): Statement[] {
  const used = sql`(SELECT e.scope, e.ts, g.value ->> 2 AS kind, g.value ->> 3 AS name, g.value ->> 4 AS calls
    FROM json_each(${JSON.stringify(rows)}) AS g CROSS JOIN run_events e
    WHERE e.run_id = g.value ->> 0 AND e.ts = g.value ->> 1 AND e.seq > (SELECT seq FROM rollup_mark)) AS used`
  return [nameRan(used), ...RAN_TABLES.map(([table, width]) => addRan(table, width, used))]
}

function onPostgres(rows: readonly RanRow[]): Statement {
  const [minutes, hours] = RAN_TABLES.map(([table, width]) =>
    addRan(table, width, raw('used'), 'ORDER BY 1, 2, 3, 4'),
  )
  return sql`, used AS (
      SELECT a.scope, a.ts, g ->> 2 AS kind, g ->> 3 AS name, CAST(g ->> 4 AS BIGINT) AS calls
      FROM jsonb_array_elements(CAST(CAST(${JSON.stringify(rows)} AS TEXT) AS JSONB)) AS g
      JOIN added a ON a.run_id = g ->> 0 AND a.ts = CAST(g ->> 1 AS BIGINT)
    ), used_names AS (${nameRan(raw('used'))}), used_minutes AS (${minutes!}), used_hours AS (${hours!})`
}

/** How often runs of a release used a name that it doesn't declare. */
export interface RanName {
  readonly kind: Undeclared['kind']
  readonly name: string
  readonly runs: number
  readonly calls: number
}

/** What runs of a release used in the whole minutes that a window touches, the most called first. */
export function ranQuery(releaseId: Statement, environment: string, window: Window): Query<RanName[]> {
  const [from, to] = [Math.floor(Math.max(0, window.since) / MINUTE_MS), Math.ceil(window.until / MINUTE_MS)]
  const [firstHour, endHour] = [Math.ceil(from / 60), Math.floor(to / 60)]
  const parts: (readonly [table: string, from: number, to: number])[] =
    firstHour < endHour
      ? [
          ['rollup_surface_minutes', from, firstHour * 60],
          ['rollup_surface_hours', firstHour, endHour],
          ['rollup_surface_minutes', endHour * 60, to],
        ]
      : [['rollup_surface_minutes', from, to]]
  const scope = sql`(SELECT id FROM scopes WHERE release_id = ${releaseId} AND environment = ${environment})`
  const selects = parts.map(
    ([table, start, end]) => sql`SELECT kind, name, runs, calls FROM ${raw(table)}
      WHERE scope = ${scope} AND bucket >= ${start} AND bucket < ${end}`,
  )
  return allRows(
    sql`SELECT kind, name, sum(runs) AS runs, sum(calls) AS calls FROM (${join(selects, ' UNION ALL ')}) AS ran
      GROUP BY kind, name ORDER BY 4 DESC, 1, 2`,
    toRanName,
  )
}

const RAN = { kind: asText<Undeclared['kind']>, name: asText, runs: asNumber, calls: asNumber } as const
const toRanName = columns(RAN)
const toRanEver = columns({ ...RAN, environment: asText, first_bucket: asNumber, last_bucket: asNumber })

/** What runs of a release ever used, by environment, the most called first; buckets are hours since the epoch. */
export function ranEver(releaseId: string, isVisible: Statement) {
  return allRows(
    sql`SELECT s.environment, h.kind, h.name, sum(h.runs) AS runs, sum(h.calls) AS calls,
        min(h.bucket) AS first_bucket, max(h.bucket) AS last_bucket
      FROM scopes s JOIN rollup_surface_hours h ON h.scope = s.id
      WHERE s.release_id = ${releaseId} AND ${isVisible}
      GROUP BY s.environment, h.kind, h.name ORDER BY 5 DESC, 1, 2, 3`,
    toRanEver,
  )
}
