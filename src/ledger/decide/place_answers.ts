import type { KeptPlace } from '../../rules/place.ts'
import { keepingPlans } from '../../sql/deadline.ts'
import { type Row, type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import { either, jsonRows } from '../../sql/dialect.ts'
import {
  type Query,
  allRows,
  asJson,
  asNumber,
  asText,
  columns,
  orNull,
  unread,
  write,
} from '../../sql/query.ts'
import { type Scope, inScope } from '../world/scope.ts'

/** What the last evaluation of a place found, as it is kept. */
interface KeptAnswer extends KeptPlace {
  /** What it rests on: the revisions, what was live, and what was next. */
  readonly stamp: string
  /** Epoch ms. */
  readonly evaluated_at: number
}

export interface Place {
  readonly agent_id: string
  readonly environment: string
}

/** A place as its row says it. */
export interface PlaceRow extends Place {
  /** What facts that are read now are kept by: with each change of them, and of what governs all, it is another. */
  readonly factsStamp: string
  /** JSON of what is live, newest, requested and open there; null where that changed since it was read. */
  readonly facts: string | null
  /** What the last evaluation found. */
  readonly kept: KeptAnswer | undefined
  /** The revisions that a judgement of a place depends on: of what governs all, and of its agent. */
  readonly revisions: string
  /** That of what governs all. */
  readonly revision: number
}

/** The places in scope, in their order. */
export function placeRows(scope: Scope): Query<PlaceRow[]> {
  return allRows(
    sql`SELECT p.agent_id, p.environment, p.changes, p.facts_stamp, p.facts_json, p.stamp, p.evaluated_at, p.answer_json,
        (SELECT h.revision FROM audit_head h WHERE h.id = 1) AS revision, coalesce(v.revision, 0) AS agent_revision
      FROM place_answers p LEFT JOIN agent_revisions v ON v.agent_id = p.agent_id
      WHERE ${placeIn(scope)} ORDER BY p.agent_id, p.environment`,
    toPlaceRow,
  )
}

/** True for rows of `p` that are in scope. */
export function placeIn(scope: Scope): Statement {
  return inScope(scope, { agent: sql`p.agent_id`, environment: sql`p.environment` })
}

const readRow = columns({
  agent_id: asText,
  environment: asText,
  changes: asNumber,
  facts_stamp: orNull(asText),
  facts_json: orNull(asText),
  revision: asNumber,
  agent_revision: asNumber,
})
const readKept = columns({ stamp: asText, evaluated_at: asNumber, answer_json: asJson<KeptPlace> })

/** Another one where facts have other fields: a program does not read those that an older one kept. */
const FACTS_FORMAT = 2

function toPlaceRow(row: Row): PlaceRow {
  const { changes, facts_stamp, facts_json, revision, agent_revision, ...place } = readRow(row)
  const factsStamp = `${FACTS_FORMAT} ${revision} ${changes}`
  return {
    ...place,
    factsStamp,
    facts: facts_stamp === factsStamp ? facts_json : null,
    kept: keptOf(row),
    revisions: `${revision} ${agent_revision}`,
    revision,
  }
}

/** What was kept, unless a part of it is missing: then the place is evaluated again. */
function keptOf(row: Row): KeptAnswer | undefined {
  if (row.stamp === null || row.answer_json === null || row.evaluated_at === null) return undefined
  const { answer_json, ...kept } = readKept(row)
  return { ...answer_json, ...kept }
}

/** A place with what an evaluation found of it. */
export interface PlaceToKeep extends KeptAnswer, Place {}

/** Facts of a place that were read, with the stamp of its row then. */
export interface FactsToKeep extends Place {
  readonly factsStamp: string
  readonly facts: string
}

/** Most facts that are kept at once: the next reader keeps others. */
const MOST_FACTS = 500

/** What is kept may be newer by the difference of two servers' clocks, ms. One that is further ahead would stay for good. */
const MOST_AHEAD_MS = 60_000

/**
 * Keeps what was found, in place of what was kept unless that is newer, and facts: those of an older stamp are not read. On
 * PostgreSQL it leaves out rows that somebody writes at this moment: a decision must not wait for a board, nor boards for one
 * another.
 */
export async function keepAnswers(
  db: Sql,
  found: readonly PlaceToKeep[],
  facts: readonly FactsToKeep[] = [],
): Promise<void> {
  const answers = found.map(({ agent_id, environment, stamp, evaluated_at, ...kept }) => {
    return [agent_id, environment, JSON.stringify(kept), stamp, evaluated_at]
  })
  const read = facts
    .slice(0, MOST_FACTS)
    .map(({ agent_id, environment, factsStamp, facts: json }) => [agent_id, environment, json, factsStamp])
  if (answers.length > 0) {
    const evaluatedAt = sql`CAST(g.value ->> 4 AS BIGINT)`
    const set = sql`answer_json = g.value ->> 2, stamp = g.value ->> 3, evaluated_at = ${evaluatedAt}`
    const isNewer = sql`p.evaluated_at > ${evaluatedAt} AND p.evaluated_at <= ${evaluatedAt} + ${MOST_AHEAD_MS}`
    await keepIn(db, answers, set, sql`AND (p.evaluated_at IS NULL OR NOT (${isNewer}))`)
  }
  if (read.length > 0) await keepIn(db, read, sql`facts_json = g.value ->> 2, facts_stamp = g.value ->> 3`)
}

/** Writes entries that begin with their place, as `g.value`, to the rows of these places that nobody else writes. */
async function keepIn(
  db: Sql,
  entries: readonly (readonly unknown[])[],
  set: Statement,
  condition = raw(''),
): Promise<void> {
  const isPlace = sql`p.agent_id = g.value ->> 0 AND p.environment = g.value ->> 1`
  const given = jsonRows(entries)
  const free = either(
    raw(''),
    () =>
      sql`AND p.ctid = ANY (ARRAY(SELECT p.ctid FROM place_answers p JOIN ${given} ON ${isPlace} FOR UPDATE OF p SKIP LOCKED))`,
  )
  const update = sql`UPDATE place_answers AS p SET ${set} FROM ${given} WHERE ${isPlace} ${condition} ${free}`
  await write(keepingPlans(db), unread([update]))
}

/** The key of a place. */
export function placeOf({ agent_id, environment }: Place): string {
  return `${agent_id}\0${environment}`
}

/** A scope that has these places, and whatever else these agents have in these environments. */
export function scopeOf(places: readonly Place[]): Scope {
  return {
    agents: [...new Set(places.map(({ agent_id }) => agent_id))],
    environments: [...new Set(places.map(({ environment }) => environment))],
  }
}
