import type { BoardEntry } from '../../models/answers/board.ts'
import type { PlaceAnswer } from '../../models/deploys/place.ts'
import type { PlaceEntry } from '../../rules/place.ts'
import { keepingPlans, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asFlag,
  asJson,
  ask,
  asText,
  asTime,
  columns,
  orNull,
  together,
} from '../../sql/query.ts'
import { resultOf } from '../../rules/result.ts'
import { KEPT_COLUMNS, KEPT_JOIN, type KeptAnswer, keptOf, revisionsOf } from './place_answers.ts'
import { hasExpired } from './requests.ts'
import type { Ledger } from '../world/ledger.ts'
import { MOVED } from '../trail/pointers.ts'
import type { Unusable } from '../../rules/strays.ts'
import { NEWEST_RELEASES } from '../registry/newest.ts'
import { knownUnusable } from '../registry/unusable.ts'
import { type Scope, inScope, placeInScope } from '../world/scope.ts'

/** A place on the board, with what else its answer is made of. */
export interface BoardPlace {
  readonly entry: PlaceEntry
  /** What was live before. */
  readonly before: string | null
  /** The newest promotion request that waits. */
  readonly request: PlaceAnswer['request']
  /** What the last evaluation found. */
  readonly kept: KeptAnswer | undefined
  /** See {@link revisionsOf}. */
  readonly revisions: string
}

/** The state of each agent in scope in each environment in scope, and what `also` reads of the same moment. */
export async function readBoard<T>(
  ledger: Pick<Ledger, 'sql' | 'memo' | 'now' | 'features'>,
  scope: Scope,
  also: Query<T>,
): Promise<{ readonly board: readonly BoardPlace[]; readonly also: T }> {
  const { sql: db } = ledger
  const unusable = new Map(
    (await knownUnusable(ledger, scope)).map(found => [releasePlaceOf(found), unusableOf(found)]),
  )
  const places = sql`SELECT agent_id, environment FROM promoted_pointers WHERE ${placeInScope(scope)}
    UNION SELECT agent_id, environment FROM releases
    WHERE seq IN ${NEWEST_RELEASES} AND ${placeInScope(scope)}`
  const {
    listed,
    also: read,
    ...found
  } = await ask(
    keepingPlans(db),
    together({
      listed: allRows(
        sql`SELECT p.agent_id, p.environment, a.action_id, a.action, a.release_id, a.policy_passed,
        a.forced, a.policy_reasons, a.actor, a.created_at, ${KEPT_COLUMNS}
      FROM (${places}) AS p ${KEPT_JOIN} LEFT JOIN actions a ON a.audit_seq = (
        SELECT max(b.audit_seq) FROM actions b WHERE b.agent_id = p.agent_id AND b.environment = p.environment)
      ORDER BY p.agent_id, p.environment`,
        row => ({
          place: readPlace(row),
          last: row.action_id === null ? undefined : readLast(row),
          kept: keptOf(row),
          revisions: revisionsOf(row),
        }),
      ),
      pointers: allRows(
        sql`SELECT p.agent_id, p.environment, p.release_id, r.version, a.action_id, a.created_at, a.actor, a.reason,
        a.forced, a.baseline_release_id AS before
      FROM promoted_pointers p
      LEFT JOIN releases r ON r.release_id = p.release_id
      LEFT JOIN actions a ON a.audit_seq = (
        SELECT max(b.audit_seq) FROM actions b
        WHERE b.agent_id = p.agent_id AND b.environment = p.environment
          AND ${MOVED} AND b.release_id = p.release_id
          AND (b.baseline_release_id IS NULL OR b.baseline_release_id <> b.release_id))
      WHERE ${inScope(scope, { agent: sql`p.agent_id`, environment: sql`p.environment` })}`,
        readPointer,
      ),
      newest: allRows(
        sql`SELECT r.agent_id, r.environment, r.release_id, r.version, r.created_at,
        CASE WHEN a.action = 'rollback' AND a.release_id <> r.release_id THEN a.created_at END AS rolled_back_at,
        CASE WHEN EXISTS (SELECT 1 FROM pricing_tables t
            WHERE t.provider = r.pricing_provider AND t.pricing_version = r.pricing_version)
          THEN 1 ELSE 0 END AS is_priced
      FROM ${NEWEST_RELEASES} AS newest JOIN releases r ON r.seq = newest.seq
      LEFT JOIN actions a ON a.audit_seq = (
        SELECT max(b.audit_seq) FROM actions b
        WHERE b.agent_id = r.agent_id AND b.environment = r.environment AND ${MOVED}
          AND (b.release_id = r.release_id OR b.baseline_release_id = r.release_id))
      WHERE ${inScope(scope, { agent: sql`r.agent_id`, environment: sql`r.environment` })}`,
        readNewest,
      ),
      pending: allRows(
        sql`SELECT agent_id, environment, request_id, release_id, actor, reason, created_at FROM promotion_requests
      WHERE status = 'pending' AND NOT ${hasExpired(db.clock)} AND ${placeInScope(scope)} ORDER BY seq`,
        readRequest,
      ),
      also,
    }),
  )
  const pointers = byPlace(found.pointers)
  const newest = byPlace(found.newest)
  const pending = Map.groupBy(found.pending, placeOf)
  return {
    board: listed.map(({ place, last, kept, revisions }) => {
      const key = placeOf(place)
      const pointer = pointers.get(key)
      const requests = pending.get(key) ?? []
      const entry = {
        ...place,
        promoted: promotedOf(pointer, unusable),
        last_action: lastOf(last),
        newest_release: newestOf(newest.get(key), unusable),
        pending_requests: requests.length,
      }
      return { entry, before: pointer?.before ?? null, request: requestOf(requests.at(-1)), kept, revisions }
    }),
    also: read,
  }
}

const PLACE = { agent_id: asText, environment: asText } as const
const readPlace = columns(PLACE)

interface Place {
  readonly agent_id: string
  readonly environment: string
}

const readPointer = columns({
  ...PLACE,
  release_id: asText,
  version: orNull(asText),
  action_id: orNull(asText),
  created_at: orNull(asTime),
  actor: orNull(asText),
  reason: orNull(asText),
  forced: orNull(asFlag),
  before: orNull(asText),
})

const readRequest = columns({
  ...PLACE,
  request_id: asText,
  release_id: asText,
  actor: asText,
  reason: asText,
  created_at: asTime,
})

function requestOf(found: ReturnType<typeof readRequest> | undefined): PlaceAnswer['request'] {
  if (found === undefined) return null
  const { agent_id: _agent, environment: _environment, ...request } = found
  return request
}

const readLast = columns({
  action_id: asText,
  action: asText<'promote' | 'rollback'>,
  release_id: asText,
  policy_passed: asFlag,
  policy_reasons: asJson<string[]>,
  actor: asText,
  created_at: asTime,
  forced: asFlag,
})

const readNewest = columns({
  ...PLACE,
  release_id: asText,
  version: asText,
  created_at: asTime,
  rolled_back_at: orNull(asTime),
  is_priced: asFlag,
})

function byPlace<T extends Place>(rows: readonly T[]): ReadonlyMap<string, T> {
  return new Map(rows.map(row => [placeOf(row), row]))
}

/** Neither part holds a NUL. */
function placeOf({ agent_id, environment }: Place): string {
  return `${agent_id}\0${environment}`
}

type Reasons = ReadonlyMap<string, Pick<NonNullable<BoardEntry['promoted']>, 'unusable'>>

function unusableOf({ since, last, because }: Unusable) {
  return { unusable: { since, last, because } }
}

function releasePlaceOf({ release_id, environment }: Pick<Unusable, 'release_id' | 'environment'>): string {
  return `${release_id}\0${environment}`
}

function promotedOf(
  pointer: ReturnType<typeof readPointer> | undefined,
  unusable: Reasons,
): BoardEntry['promoted'] {
  if (pointer === undefined) return null
  const { release_id, version, action_id, created_at, actor, reason, forced } = pointer
  return {
    release_id,
    version,
    action_id,
    promoted_at: created_at,
    promoted_by: actor,
    reason,
    ...(forced === true ? { forced } : {}),
    ...unusable.get(releasePlaceOf(pointer)),
  }
}

function lastOf(last: ReturnType<typeof readLast> | undefined): BoardEntry['last_action'] {
  if (last === undefined) return null
  const { forced, ...action } = last
  const result = resultOf({ passed: action.policy_passed, reasons: action.policy_reasons })
  return { ...action, result, ...(forced ? { forced } : {}) }
}

function newestOf(
  newest: ReturnType<typeof readNewest> | undefined,
  unusable: Reasons,
): BoardEntry['newest_release'] {
  if (newest === undefined) return null
  const { release_id, version, created_at, rolled_back_at, is_priced } = newest
  return {
    release_id,
    version,
    created_at,
    ...(rolled_back_at === null ? {} : { rolled_back_at }),
    ...(is_priced ? unusable.get(releasePlaceOf(newest)) : { unpriced: true as const }),
  }
}
