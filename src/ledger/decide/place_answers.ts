import type { KeptPlace } from '../../rules/place.ts'
import { type Row, type Sql, type Statement, join, sql } from '../../sql/port.ts'
import { asJson, asNumber, asText, columns, unread, write } from '../../sql/query.ts'

/** What the last evaluation of a place found, as it is kept. */
export interface KeptAnswer extends KeptPlace {
  /** What it rests on: see {@link revisionsOf}, what was live, and what was next. */
  readonly stamp: string
  /** Epoch ms. */
  readonly evaluated_at: number
}

/** Columns of a select over places, called `p`, with the join that they need. */
export const KEPT_COLUMNS = sql`k.stamp, k.evaluated_at, k.answer_json,
  (SELECT h.revision FROM audit_head h WHERE h.id = 1) AS revision, coalesce(v.revision, 0) AS agent_revision`
export const KEPT_JOIN = sql`LEFT JOIN place_answers k ON k.agent_id = p.agent_id AND k.environment = p.environment
  LEFT JOIN agent_revisions v ON v.agent_id = p.agent_id`

const readKept = columns({ stamp: asText, evaluated_at: asNumber, answer_json: asJson<KeptPlace> })
const readRevisions = columns({ revision: asNumber, agent_revision: asNumber })

/** What is kept of a place; undefined where it was never evaluated. */
export function keptOf(row: Row): KeptAnswer | undefined {
  if (row.stamp === null) return undefined
  const { answer_json, ...kept } = readKept(row)
  return { ...answer_json, ...kept }
}

/** The revisions that a judgement of a place depends on: of what governs all, and of its agent. */
export function revisionsOf(row: Row): string {
  const { revision, agent_revision } = readRevisions(row)
  return `${revision} ${agent_revision}`
}

/** A place with what was found of it. */
export interface PlaceToKeep extends KeptAnswer {
  readonly agent_id: string
  readonly environment: string
}

/** Keeps what was found, in place of what was kept unless that is newer. */
export async function keepAnswers(db: Sql, places: readonly PlaceToKeep[]): Promise<void> {
  if (places.length === 0) return
  // In order, so that two batches don't wait for each other.
  const sorted = places.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
  const rows = sorted.map(
    ({ agent_id, environment, stamp, evaluated_at, ...found }): Statement =>
      sql`(${agent_id}, ${environment}, ${stamp}, ${evaluated_at}, ${JSON.stringify(found)})`,
  )
  await write(
    db,
    unread([
      sql`INSERT INTO place_answers (agent_id, environment, stamp, evaluated_at, answer_json)
        VALUES ${join(rows, ', ')}
        ON CONFLICT (agent_id, environment) DO UPDATE SET stamp = excluded.stamp,
          evaluated_at = excluded.evaluated_at, answer_json = excluded.answer_json
        WHERE excluded.evaluated_at >= place_answers.evaluated_at`,
    ]),
  )
}

/** The key of a place. */
export function placeOf({ agent_id, environment }: Pick<PlaceToKeep, 'agent_id' | 'environment'>): string {
  return `${agent_id}\0${environment}`
}
