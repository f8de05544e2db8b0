import { ServiceError } from '../../base/errors.ts'
import { HOUR_MS, MINUTE_MS, isoTime } from '../../base/time.ts'
import { unknownRelease } from '../../ledger/registry/release_facts.ts'
import { type Scope, inScope } from '../../ledger/world/scope.ts'
import type { ReleaseCapabilities } from './models.ts'
import type { Release } from '../../models/documents/release.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import type { Window } from '../../rules/window.ts'
import { isServedAs } from '../../spans/provider.ts'
import { type Row, type Sql, type Statement, join, raw, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asJson,
  asNumber,
  asText,
  ask,
  columns,
  firstRow,
  rowsOfKeys,
  together,
} from '../../sql/query.ts'
import type { IngestPart, IngestRows } from '../../ledger/events/ingest_part.ts'
import { firstOfEach } from '../../ledger/events/parts.ts'
import { NEW_EVENTS } from '../../ledger/events/rollup_sql.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { remembering } from '../../ledger/world/memo.ts'
import { readPower } from './power.ts'
import { sha256 } from '../../base/bytes.ts'

/** What runs may use without a notice. */
export interface Declared {
  /** Names of tools and sub-agents as runs report them; undefined where the release doesn't say which tools it has. */
  readonly tools: ReadonlySet<string> | undefined
  readonly models: readonly string[]
  /** Whether it has models by the names that runs reported: few, and looked up for each run. */
  readonly served: Map<string, boolean>
}

/** What a run used that its release doesn't declare. */
interface Undeclared {
  readonly kind: 'tool' | 'model'
  readonly name: string
  readonly calls: number
}

/**
 * What an artifact declares. Frameworks report a tool of an MCP server by its own name, or with that of the server before
 * it; handing work to a sub-agent may be reported as a call of a tool.
 */
export function declaredBy(artifact: Release): Declared {
  const { power } = readPower(artifact)
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
    served: new Map(),
  }
}

const MOST_SERVED = 1000

function isDeclared(model: string, { models, served }: Declared): boolean {
  const known = served.get(model)
  if (known !== undefined) return known
  if (served.size === MOST_SERVED) served.clear()
  const is = models.some(requested => isServedAs(requested, model))
  served.set(model, is)
  return is
}

const SEPARATORS = ['.', '/', ':', '_', '__'] as const

/** Characters of a name that are kept. */
const NAME_CHARS = 200
const BLANK = '(blank)'

function keptName(given: string): string {
  return given.slice(0, NAME_CHARS) || BLANK
}

/** What of an event is beyond what its release declares, each name once. A run_start has used nothing. */
export function undeclaredIn({ type, usage }: StoredEvent, declared: Declared): Undeclared[] {
  if (type !== 'run_end') return []
  const { tools } = declared
  const found = new Map<string, Undeclared>()
  const add = (kind: Undeclared['kind'], given: string, calls: number): void => {
    const name = keptName(given)
    const key = `${kind}\0${name}`
    found.set(key, { kind, name, calls: calls + (found.get(key)?.calls ?? 0) })
  }
  for (const { tool_name, invocations } of tools === undefined ? [] : usage.tools) {
    if (tools?.has(tool_name) !== true) add('tool', tool_name, invocations)
  }
  for (const { model, served_model = model } of [usage.model, ...(usage.models ?? [])]) {
    if (!isDeclared(served_model, declared)) add('model', served_model, 1)
  }
  return [...found.values()]
}

/** What a process remembers: releases never change, and names only come. */
interface DeclaredCache {
  /** By release; of those that are registered. Emptied where there are too many. */
  readonly declared: Map<string, Declared>
  /** By release and environment, joined by NUL: names that are counted each there. */
  readonly names: Map<string, Set<string>>
  /** By scope and variant. */
  readonly odd: Map<number, Map<number, OddVariant>>
}

/** A model that runs of a release used, in an environment, and the name under which that counts; none where it is declared. */
interface OddVariant {
  readonly release_id: string
  readonly environment: string
  readonly model: string
  readonly name: string | undefined
}

/** Variants that are listed; above that the list begins again with those of the batch at hand. */
const MOST_VARIANTS = 100

const MOST_RELEASES = 1000
const MOST_NAMES = 200

const declaredCache = remembering((): DeclaredCache => ({
  declared: new Map(),
  names: new Map(),
  odd: new Map(),
}))

/** What of a chunk of events is kept: how often runs used what their release doesn't declare. */
export const keepUndeclared: IngestPart = async (ledger, events, _, ids) => {
  const declared = await declaredOf(ledger, new Set(events.map(({ release_id }) => release_id)))
  const pairs = new Map<number, Map<number, StoredEvent>>()
  for (const [index, event] of events.entries()) {
    const known = declared.get(event.release_id)
    if (known === undefined) continue
    if (usedMore(event, known)) return keepEach(ledger, events, declared)
    const [scope, variant] = [ids.scopeAt(index), ids.variantAt(index)]
    const variants = pairs.get(scope)
    if (variants === undefined) pairs.set(scope, new Map([[variant, event]]))
    else if (!variants.has(variant)) variants.set(variant, event)
  }
  return keepVariants(ledger, pairs, declared)
}

/** Whether a run used what its release doesn't declare, and that is not just the model that it counts under. */
function usedMore({ type, usage }: StoredEvent, declared: Declared): boolean {
  if (type !== 'run_end') return false
  const { model, served_model } = usage.model
  const { tools } = declared
  return (
    (tools !== undefined && usage.tools.some(({ tool_name }) => !tools.has(tool_name))) ||
    (served_model !== undefined && !(isDeclared(served_model, declared) && isDeclared(model, declared))) ||
    (usage.models?.some(used => !isDeclared(used.served_model ?? used.model, declared)) ?? false)
  )
}

/**
 * Runs that used no more than a model which their release doesn't declare are counted by their variant. The statements are
 * the same for one batch after another, so that of several in one transaction only the last counts.
 */
async function keepVariants(
  ledger: Ledger,
  pairs: ReadonlyMap<number, ReadonlyMap<number, StoredEvent>>,
  declared: DeclaredCache['declared'],
): Promise<IngestRows | undefined> {
  const { odd } = declaredCache(ledger.memo)
  if (sizeOf(odd) > MOST_VARIANTS) odd.clear()
  let isOdd = false
  for (const [scope, variants] of pairs) {
    const known = odd.get(scope) ?? new Map<number, OddVariant>()
    odd.set(scope, known)
    for (const [variant, event] of variants) {
      const found = known.get(variant)
      // A database that lost commits may have given the ids to others.
      const one = isOf(found, event) ? found : await oddVariant(ledger, event, declared)
      known.set(variant, one)
      isOdd ||= one.name !== undefined
    }
  }
  if (!isOdd) return undefined
  const rows = Array.from(odd, ([scope, variants]) =>
    Array.from(variants, ([variant, { name }]) =>
      name === undefined ? [] : [[scope, variant, name] as const],
    ),
  ).flat(2)
  return {
    statements: () => variantStatements(rows),
    clauses: () => [variantClauses(rows)],
    catchesUp: true,
  }
}

function sizeOf(odd: DeclaredCache['odd']): number {
  return Array.from(odd.values()).reduce((size, variants) => size + variants.size, 0)
}

function isOf(
  one: OddVariant | undefined,
  { release_id, environment, usage }: StoredEvent,
): one is OddVariant {
  return one?.release_id === release_id && one.environment === environment && one.model === usage.model.model
}

async function oddVariant(
  ledger: Ledger,
  event: StoredEvent,
  declared: DeclaredCache['declared'],
): Promise<OddVariant> {
  const { release_id, environment, usage } = event
  const { model } = usage.model
  const one = { release_id, environment, model }
  if (isDeclared(model, declared.get(release_id)!)) return { ...one, name: undefined }
  const used: Undeclared = { kind: 'model', name: keptName(model), calls: 1 }
  return { ...one, name: merged([used], await namesOf(ledger, event))[0]!.name }
}

/** A chunk in which runs used more than that: a row for each use. */
async function keepEach(
  ledger: Ledger,
  events: readonly StoredEvent[],
  declared: DeclaredCache['declared'],
): Promise<IngestRows> {
  const rows: RanRow[] = []
  for (const { event, ts } of firstOfEach(events)) {
    const known = declared.get(event.release_id)
    const undeclared = known === undefined ? [] : undeclaredIn(event, known)
    if (undeclared.length === 0) continue
    for (const { kind, name, calls } of merged(undeclared, await namesOf(ledger, event)))
      rows.push([event.run_id, ts, kind, name, calls])
  }
  return { statements: () => onSqlite(rows), clauses: () => [onPostgres(rows)] }
}

/** A name that is one too many counts under the empty one. */
export function merged(undeclared: readonly Undeclared[], names: Set<string>): Undeclared[] {
  const byName = new Map<string, Undeclared>()
  for (const one of undeclared) {
    const isKept = names.has(`${one.kind}\0${one.name}`) || names.size < MOST_NAMES
    if (isKept) names.add(`${one.kind}\0${one.name}`)
    const name = isKept ? one.name : ''
    const key = `${one.kind}\0${name}`
    byName.set(key, { ...one, name, calls: one.calls + (byName.get(key)?.calls ?? 0) })
  }
  return [...byName.values()]
}

async function declaredOf(
  ledger: Ledger,
  releaseIds: ReadonlySet<string>,
): Promise<DeclaredCache['declared']> {
  const { declared } = declaredCache(ledger.memo)
  if (declared.size > MOST_RELEASES) declared.clear()
  const rows = await rowsOfKeys(
    ledger.sql,
    [...releaseIds].filter(id => !declared.has(id)),
    listed => sql`SELECT release_id, artifact_json FROM releases WHERE release_id IN (${listed})`,
    columns({ release_id: asText, artifact_json: asJson<Release> }),
  )
  for (const { release_id, artifact_json } of rows) declared.set(release_id, declaredBy(artifact_json))
  return declared
}

async function namesOf(
  ledger: Ledger,
  { release_id, environment }: Pick<StoredEvent, 'release_id' | 'environment'>,
): Promise<Set<string>> {
  const { names } = declaredCache(ledger.memo)
  const key = `${release_id}\0${environment}`
  const known = names.get(key)
  if (known !== undefined) return known
  const rows = await ask(
    ledger.sql,
    allRows(
      sql`SELECT n.kind, n.name FROM capability_names n JOIN scopes s ON s.id = n.scope
        WHERE s.release_id = ${release_id} AND s.environment = ${environment}`,
      nameKey,
    ),
  )
  if (names.size > MOST_RELEASES) names.clear()
  const read = new Set(rows)
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
  ['rollup_capability_minutes', MINUTE_MS],
  ['rollup_capability_hours', HOUR_MS],
] as const

/** Adds uses to a rollup; `source` has scope, ts, kind, name and calls. */
export function addRan(table: string, widthMs: number, source: Statement, order = ''): Statement {
  return sql`INSERT INTO ${raw(`${table} (scope, bucket, kind, name, runs, calls)`)}
    SELECT scope, ts / ${raw(String(widthMs))}, kind, name, count(*), sum(CAST(calls AS DOUBLE PRECISION))
    FROM ${source} WHERE true GROUP BY 1, 2, 3, 4 ${raw(order)} ${addedTo(table)}`
}

function addedTo(table: string): Statement {
  return raw(`ON CONFLICT (scope, bucket, kind, name) DO UPDATE SET
      runs = ${table}.runs + excluded.runs, calls = ${table}.calls + excluded.calls`)
}

/** Names what is not named yet. `source` as for {@link addRan}. */
export function nameRan(source: Statement): Statement {
  return sql`INSERT INTO capability_names (scope, kind, name)
    SELECT scope, kind, name FROM ${source} WHERE name <> '' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING`
}

function onSqlite(rows: readonly RanRow[]): Statement[] {
  const used = sql`(SELECT e.scope, e.ts, g.value ->> 2 AS kind, g.value ->> 3 AS name, g.value ->> 4 AS calls
    FROM json_each(${JSON.stringify(rows)}) AS g CROSS JOIN run_events e
    WHERE e.run_id = g.value ->> 0 AND e.ts = g.value ->> 1 AND e.seq > (SELECT seq FROM rollup_mark)) AS used`
  return [nameRan(used), ...RAN_TABLES.map(([table, width]) => addRan(table, width, used))]
}

/** A variant of a scope, and the name under which its runs count. */
type VariantRow = readonly [scope: number, variant: number, name: string]

/** Runs are counted before they are joined: there are few variants. */
function variantStatements(rows: readonly VariantRow[]): Statement[] {
  const odd = sql`WITH odd AS MATERIALIZED (SELECT value ->> 0 AS scope, value ->> 1 AS variant, value ->> 2 AS name
    FROM json_each(${JSON.stringify(rows)}))`
  const ended = raw(`${NEW_EVENTS.text} AND is_end = 1`)
  const add = (table: string, widthMs: number): Statement => sql`${odd}
    INSERT INTO ${raw(`${table} (scope, bucket, kind, name, runs, calls)`)}
    SELECT r.scope, r.bucket, 'model', o.name, sum(r.runs), CAST(sum(r.runs) AS DOUBLE PRECISION)
    FROM (SELECT scope, ts / ${raw(String(widthMs))} AS bucket, variant, count(*) AS runs FROM ${ended}
      GROUP BY 1, 2, 3) AS r
    JOIN odd AS o ON o.scope = r.scope AND o.variant = r.variant WHERE true GROUP BY 1, 2, 4
    ${addedTo(table)}`
  return [
    sql`${odd} INSERT INTO capability_names (scope, kind, name)
      SELECT o.scope, 'model', o.name FROM odd AS o WHERE o.name <> ''
        AND NOT EXISTS (SELECT 1 FROM capability_names n WHERE n.scope = o.scope AND n.kind = 'model' AND n.name = o.name)
        AND EXISTS (SELECT 1 FROM ${ended} AND scope = o.scope AND variant = o.variant)
      ON CONFLICT DO NOTHING`,
    ...RAN_TABLES.map(([table, width]) => add(table, width)),
  ]
}

function variantClauses(rows: readonly VariantRow[]): Statement {
  return ranClauses(sql`SELECT a.scope, a.ts, 'model' AS kind, g ->> 2 AS name, CAST(1 AS BIGINT) AS calls
    FROM jsonb_array_elements(CAST(CAST(${JSON.stringify(rows)} AS TEXT) AS JSONB)) AS g
    JOIN added a ON a.scope = CAST(g ->> 0 AS BIGINT) AND a.variant = CAST(g ->> 1 AS BIGINT) AND a.is_end = 1`)
}

function onPostgres(rows: readonly RanRow[]): Statement {
  return ranClauses(sql`SELECT a.scope, a.ts, g ->> 2 AS kind, g ->> 3 AS name, CAST(g ->> 4 AS BIGINT) AS calls
    FROM jsonb_array_elements(CAST(CAST(${JSON.stringify(rows)} AS TEXT) AS JSONB)) AS g
    JOIN added a ON a.run_id = g ->> 0 AND a.ts = CAST(g ->> 1 AS BIGINT)`)
}

function ranClauses(used: Statement): Statement {
  const [minutes, hours] = RAN_TABLES.map(([table, width]) =>
    addRan(table, width, raw('used'), 'ORDER BY 1, 2, 3, 4'),
  )
  return sql`, used AS (${used}), used_names AS (${nameRan(raw('used'))}), used_minutes AS (${minutes!}), used_hours AS (${hours!})`
}

/** How often runs of a release used a name that it doesn't declare. */
interface RanName {
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
          ['rollup_capability_minutes', from, firstHour * 60],
          ['rollup_capability_hours', firstHour, endHour],
          ['rollup_capability_minutes', endHour * 60, to],
        ]
      : [['rollup_capability_minutes', from, to]]
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
function ranEver(releaseId: string, isVisible: Statement) {
  return allRows(
    sql`SELECT s.environment, h.kind, h.name, sum(h.runs) AS runs, sum(h.calls) AS calls,
        min(h.bucket) AS first_bucket, max(h.bucket) AS last_bucket
      FROM scopes s JOIN rollup_capability_hours h ON h.scope = s.id
      WHERE s.release_id = ${releaseId} AND ${isVisible}
      GROUP BY s.environment, h.kind, h.name ORDER BY 5 DESC, 1, 2, 3`,
    toRanEver,
  )
}

/** Most names that are listed. */
const MOST_LISTED = 100

/** Capabilities of a release, and undeclared tools and models of its runs. Throws 404 where there is no such release. */
export async function showCapabilities(
  db: Sql,
  releaseId: string,
  scope: Scope,
): Promise<ReleaseCapabilities> {
  const { release, ran } = await ask(
    db,
    together({
      release: firstRow(
        sql`SELECT artifact_json FROM releases WHERE release_id = ${releaseId}`,
        columns({ artifact_json: asJson<Release> }),
      ),
      ran: ranEver(releaseId, inScope(scope, { environment: sql`s.environment` })),
    }),
  )
  if (release === undefined) throw new ServiceError(404, unknownRelease(releaseId))
  const { power, text, warnings } = readPower(release.artifact_json)
  return {
    release_id: releaseId,
    capabilities_sha256: await sha256(text),
    capabilities: power,
    warnings: [...warnings],
    undeclared: ran.slice(0, MOST_LISTED).map(({ first_bucket, last_bucket, ...one }) => ({
      ...one,
      first_hour: isoTime(first_bucket * HOUR_MS),
      last_hour: isoTime(last_bucket * HOUR_MS),
    })),
    more_undeclared: Math.max(0, ran.length - MOST_LISTED),
  }
}
