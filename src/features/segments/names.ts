import type { StoredEvent } from '../../models/documents/stored_event.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { remembering } from '../../ledger/world/memo.ts'
import { type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import { jsonRows, lockTables } from '../../sql/dialect.ts'
import { type Query, allRows, among, ask, asNumber, asText, columns, write } from '../../sql/query.ts'
import { MOST_SEGMENTS, SEGMENT_KINDS, type SegmentKind } from './rules_segments.ts'

/** Names, and by `first` their order: `agent_id, environment, name, first`. */
type Names = Statement

/** The names of a kind in some events, the rest of a FROM clause. */
function namesIn(kind: SegmentKind, events: Statement): Names {
  const name = raw(`${kind}_id`)
  return sql`SELECT v.agent_id, s.environment, e.name, min(e.first) AS first
    FROM (SELECT scope, variant, ${name} AS name, min(seq) AS first FROM ${events}
      GROUP BY scope, variant, ${name}) AS e
    JOIN scopes s ON s.id = e.scope JOIN variants v ON v.id = e.variant
    GROUP BY v.agent_id, s.environment, e.name`
}

/**
 * Those of some names that have no id although their place, an agent in an environment, has fewer than it may have. The
 * names of a place are counted once.
 */
function unnamed(kind: SegmentKind, names: Names): Statement {
  const here = (place: string) =>
    raw(`t.agent_id = ${place}.agent_id AND t.environment = ${place}.environment AND t.kind = '${kind}'`)
  return sql`SELECT * FROM (
    WITH g AS MATERIALIZED (${names}), p AS MATERIALIZED (
      SELECT d.*, (SELECT count(*) FROM segments t WHERE ${here('d')}) AS known
      FROM (SELECT DISTINCT agent_id, environment FROM g) AS d)
    SELECT g.*, p.known FROM p JOIN g ON g.agent_id = p.agent_id AND g.environment = p.environment
    WHERE p.known < ${raw(String(MOST_SEGMENTS))}
      AND NOT EXISTS (SELECT 1 FROM segments t WHERE ${here('g')} AND t.name = g.name)) AS not_named`
}

/** Has a row where {@link nameSegments} would name something. */
export function lacksNames(events: Statement): Statement {
  const [tenants, tasks] = SEGMENT_KINDS.map(kind => unnamed(kind, namesIn(kind, events)))
  return sql`SELECT name FROM (${tenants!}) AS tenants UNION ALL SELECT name FROM (${tasks!}) AS tasks LIMIT 1`
}

/**
 * Gives ids to the names in some events, the rest of a FROM clause, that have none: in each place to the first 500, the
 * first ones first. A name that came too late never gets one, so its runs stay in one segment.
 */
export function nameSegments(db: Pick<Sql, 'dialect'>, events: Statement): Statement[] {
  return [...lockTables(db, 'segments'), ...SEGMENT_KINDS.map(kind => nameFirst(kind, namesIn(kind, events)))]
}

function nameFirst(kind: SegmentKind, names: Names): Statement {
  return sql`INSERT INTO segments (agent_id, environment, kind, name)
    SELECT agent_id, environment, ${raw(`'${kind}'`)}, name FROM (
      SELECT f.*, row_number() OVER (PARTITION BY f.agent_id, f.environment ORDER BY f.first) AS nth
      FROM (${unnamed(kind, names)}) AS f) AS fresh
    WHERE nth + known <= ${raw(String(MOST_SEGMENTS))} ORDER BY nth`
}

/** The ids of names of a kind in a place, which get one where there is room. */
export async function idsOfNames(
  db: Sql,
  kind: SegmentKind,
  { agent_id, environment }: { readonly agent_id: string; readonly environment: string },
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const numbered = jsonRows(names.map((name, first) => [name, first]))
  const listed = sql`(SELECT g.value ->> 0 AS name, CAST(g.value ->> 1 AS BIGINT) AS first FROM ${numbered}) AS given`
  const place = sql`CAST(${agent_id} AS TEXT) AS agent_id, CAST(${environment} AS TEXT) AS environment`
  const ids = allRows(
    sql`SELECT t.id, t.name FROM ${listed} JOIN segments t ON t.name = given.name
      WHERE t.agent_id = ${agent_id} AND t.environment = ${environment} AND t.kind = ${kind}`,
    columns({ id: asNumber, name: asText }),
  )
  const naming = nameFirst(kind, sql`SELECT ${place}, given.name, given.first FROM ${listed}`)
  const found = await write(db, among([...lockTables(db, 'segments'), naming], ids))
  return new Map(found.map(({ id, name }) => [name, id]))
}

/** What a process knows of names: those that have an id, by place, and places that have as many as they may. */
interface KnownNames {
  readonly names: Map<string, Set<string>>
  readonly full: Set<string>
}

const knownNames = remembering((): KnownNames => ({ names: new Map(), full: new Set() }))

/** Places with names that are known. Above that they are forgotten, so that odd input can't fill the memory. */
const MOST_PLACES = 100

/**
 * Names what these events brought, all of which were stored, as far as it has no name: so that they have ids before they are
 * summed. What is missed here is named then. What this process doesn't know is looked up first: after each start it knows none,
 * and who names keeps all others from it.
 */
export async function nameStored(
  { sql: db, memo }: Pick<Ledger, 'sql' | 'memo'>,
  events: readonly StoredEvent[],
): Promise<void> {
  const known = knownNames(memo)
  if (known.names.size > MOST_PLACES) known.names.clear()
  const unknown = SEGMENT_KINDS.flatMap(kind => newNames(kind, events, known))
  if (unknown.length === 0) return
  for (const name of await ask(db, named(unknown))) note(known, name)
  for (const kind of SEGMENT_KINDS) {
    const given = unknown.filter(each => each.kind === kind && !isNoted(known, each))
    if (given.length === 0) continue
    const stored = storedNames(given)
    const counts = allRows(countsOf(kind, stored), readCount)
    const counted = await write(db, among([...lockTables(db, 'segments'), nameFirst(kind, stored)], counts))
    for (const name of given) note(known, name)
    for (const { agent_id, environment, n } of counted) {
      if (n >= MOST_SEGMENTS) known.full.add(`${kind}\0${agent_id}\0${environment}`)
    }
  }
}

interface Name {
  readonly kind: SegmentKind
  readonly agent_id: string
  readonly environment: string
  readonly name: string
}

function note(known: KnownNames, { kind, agent_id, environment, name }: Name): void {
  namesOf(known, kind, agent_id, environment).add(name)
}

function isNoted(known: KnownNames, { kind, agent_id, environment, name }: Name): boolean {
  return namesOf(known, kind, agent_id, environment).has(name)
}

const readName = columns({
  kind: asText<SegmentKind>,
  agent_id: asText,
  environment: asText,
  name: asText,
})

/** Those of some names that have an id. */
function named(names: readonly Name[]): Query<Name[]> {
  const given = jsonRows(
    names.map(({ kind, agent_id, environment, name }) => [kind, agent_id, environment, name]),
  )
  return allRows(
    sql`SELECT t.kind, t.agent_id, t.environment, t.name FROM ${given} JOIN segments t ON t.kind = g.value ->> 0
      AND t.agent_id = g.value ->> 1 AND t.environment = g.value ->> 2 AND t.name = g.value ->> 3`,
    readName,
  )
}

const NONE: ReadonlySet<string> = new Set()

interface RunName extends Name {
  /** One that has the name. */
  readonly run_id: string
}

function newNames(kind: SegmentKind, events: readonly StoredEvent[], known: KnownNames): RunName[] {
  const found = new Map<string, RunName>()
  // Most events of a batch are of one place.
  let [of, in_, place] = ['', '', '']
  let names: ReadonlySet<string> = NONE
  let isFull = true
  for (const event of events) {
    const { agent_id, environment, run_id } = event
    if (place === '' || agent_id !== of || environment !== in_) {
      ;[of, in_] = [agent_id, environment]
      place = `${kind}\0${agent_id}\0${environment}`
      names = namesOf(known, kind, agent_id, environment)
      isFull = known.full.has(place)
    }
    const name = kind === 'tenant' ? event.tenant_id : event.task_id
    if (isFull || names.has(name)) continue
    const key = `${place}\0${name}`
    if (!found.has(key)) found.set(key, { kind, agent_id, environment, name, run_id })
  }
  return [...found.values()]
}

function namesOf(
  { names }: KnownNames,
  kind: SegmentKind,
  agentId: string,
  environment: string,
): Set<string> {
  const place = `${kind}\0${agentId}\0${environment}`
  const found = names.get(place)
  if (found !== undefined) return found
  const made = new Set<string>()
  names.set(place, made)
  return made
}

/** Names whose runs are still there: of a tenant that is erased meanwhile none is kept. */
function storedNames(given: readonly RunName[]): Names {
  const listed = jsonRows(
    given.map(({ agent_id, environment, name, run_id }) => [agent_id, environment, name, run_id]),
    'given',
  )
  return sql`SELECT given.value ->> 0 AS agent_id, given.value ->> 1 AS environment, given.value ->> 2 AS name,
      e.seq AS first FROM ${listed} JOIN run_events e ON e.run_id = given.value ->> 3`
}

const readCount = columns({ agent_id: asText, environment: asText, n: asNumber })

/** How many names each of some places has. */
function countsOf(kind: SegmentKind, names: Names): Statement {
  return sql`SELECT agent_id, environment, (SELECT count(*) FROM segments t WHERE t.agent_id = d.agent_id
      AND t.environment = d.environment AND t.kind = ${raw(`'${kind}'`)}) AS n
    FROM (SELECT DISTINCT agent_id, environment FROM (${names}) AS names) AS d`
}

/** The segments of a tenant. */
export function namedTenant(tenant: string): Statement {
  return sql`SELECT id FROM segments WHERE ${isTenant(tenant)}`
}

/**
 * Empties the name of an erased tenant. Its id stays: it is never given to another one. Who is about to name something
 * finds its runs gone.
 */
export function forgetTenant(
  db: Pick<Sql, 'dialect'>,
  tenant: string,
  guard: Statement,
): readonly Statement[] {
  return [
    ...lockTables(db, 'segments'),
    sql`UPDATE segments SET name = NULL WHERE ${isTenant(tenant)} AND ${guard}`,
  ]
}

function isTenant(tenant: string): Statement {
  return sql`kind = 'tenant' AND name = ${tenant}`
}
