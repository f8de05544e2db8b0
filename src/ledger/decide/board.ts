import type { PlaceAnswer } from '../../models/deploys/place.ts'
import type { PlaceEntry } from '../../rules/place.ts'
import { keepingPlans } from '../../sql/deadline.ts'
import { type Sql, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asFlag,
  asJson,
  ask,
  asNumber,
  asText,
  asTime,
  columns,
  field,
  mapped,
  onlyRow,
  orNull,
  together,
} from '../../sql/query.ts'
import { resultOf } from '../../rules/result.ts'
import {
  type FactsToKeep,
  type Place,
  type PlaceRow,
  placeIn,
  placeOf,
  placeRows,
  scopeOf,
} from './place_answers.ts'
import type { Ledger } from '../world/ledger.ts'
import { MOVED, madeLive } from '../trail/pointers.ts'
import type { Unusable } from '../../rules/left_out.ts'
import { NEWEST_RELEASE } from '../registry/newest.ts'
import { knownUnusable } from '../registry/unusable.ts'
import { type Scope, placeInScope } from '../world/scope.ts'

/** A place on the board, with what else its answer is made of. */
interface BoardPlace<Open> extends Pick<PlaceRow, 'kept' | 'revisions'> {
  readonly entry: PlaceEntry
  /** What was live when the live release was promoted: never what a rollback to it took away. */
  readonly before: string | null
  /** The newest promotion request that waits. */
  readonly request: PlaceAnswer['request']
  /** What `open` read of it. */
  readonly open: Open | undefined
}

interface ReadBoard<Open> {
  readonly board: readonly BoardPlace<Open>[]
  readonly facts: readonly FactsToKeep[]
  /** By the clock of the database, epoch ms. */
  readonly now: number
  /** That of what governs all. */
  readonly revision: number
}

/** What is read of places besides, at the same moment: by their keys. */
export type ReadOpen<Open> = (scope: Scope) => Query<ReadonlyMap<string, Open>>

/** What is kept of a place until it changes. */
interface BoardFacts<Open> {
  readonly promoted: PlaceEntry['promoted']
  readonly last_action: PlaceEntry['last_action']
  readonly newest_release: PlaceEntry['newest_release']
  readonly before: string | null
  /** Requests that wait, oldest first, and until when. */
  readonly requests: readonly ReturnType<typeof readRequest>[]
  readonly open?: Open | undefined
}

/** More places whose facts are not kept are read with all others in scope. */
const MOST_NAMED = 20

/**
 * The state of each agent in scope in each environment in scope, and facts that are not kept yet. `skipsKept` reads all facts
 * rather than those that are kept.
 */
export async function readBoard<Open>(
  ledger: Pick<Ledger, 'sql' | 'memo' | 'now' | 'features'>,
  scope: Scope,
  { open, skipsKept = false }: { readonly open: ReadOpen<Open>; readonly skipsKept?: boolean },
): Promise<ReadBoard<Open>> {
  const { sql: db } = ledger
  const unusable = new Map(
    (await knownUnusable(ledger, scope)).map(found => [releasePlaceOf(found), unusableOf(found)]),
  )
  const listing = together({
    kept: skipsKept ? undefined : placeRows(scope),
    read: skipsKept ? freshFacts(scope, open) : undefined,
    now: clockOf(db),
  })
  const { now, kept = [], ...listed } = await ask(keepingPlans(db), listing)
  const stale = kept.filter(({ facts }) => facts === null)
  const read =
    listed.read ??
    (stale.length === 0
      ? []
      : await ask(keepingPlans(db), freshFacts(stale.length > MOST_NAMED ? scope : scopeOf(stale), open)))
  const fresh = new Map(read.map(row => [placeOf(row), row]))
  const rows = skipsKept ? read : kept.map(row => fresh.get(placeOf(row)) ?? row)
  const board = rows.flatMap((row): BoardPlace<Open>[] => {
    const { promoted, last_action, newest_release, before, requests, open: own } = factsIn<Open>(row)
    if (promoted === null && newest_release === null) return []
    const waiting = requests.filter(({ expires_at }) => expires_at === null || expires_at > now)
    const { agent_id, environment } = row
    const entry = {
      agent_id,
      environment,
      promoted: promoted && { ...promoted, ...unusable.get(releasePlaceOf({ ...promoted, environment })) },
      last_action,
      newest_release:
        newest_release === null || newest_release.unpriced === true
          ? newest_release
          : { ...newest_release, ...unusable.get(releasePlaceOf({ ...newest_release, environment })) },
      pending_requests: waiting.length,
    }
    return [{ ...row, entry, before, request: requestOf(waiting.at(-1)), open: own }]
  })
  return {
    board: await withReviews(db, board),
    // Of all in scope, the first would be kept again and again, and the last never.
    facts: read.filter(({ facts, keptFacts }) => facts !== keptFacts),
    now,
    revision: rows[0]?.revision ?? 0,
  }
}

/** Says of forced decisions whether somebody has reviewed them. A review is no fact of a place: it changes nothing that is kept. */
async function withReviews<Open>(
  db: Sql,
  board: readonly BoardPlace<Open>[],
): Promise<readonly BoardPlace<Open>[]> {
  let isForced = false
  for (const { entry } of board) isForced ||= entry.last_action?.forced === true
  if (!isForced) return board
  const reviewed = new Set(await ask(db, REVIEWED))
  return board.map(place => {
    const { last_action } = place.entry
    if (last_action === null || !reviewed.has(last_action.action_id)) return place
    return { ...place, entry: { ...place.entry, last_action: { ...last_action, reviewed: true } } }
  })
}

/** The forced actions that somebody has reviewed. */
const REVIEWED = allRows(
  sql`SELECT record_json FROM audit_log WHERE kind = 'action.reviewed'`,
  row => (JSON.parse(String(row.record_json)) as { details: { action_id: string } }).details.action_id,
)

function factsIn<Open>({ facts }: Pick<PlaceRow, 'facts'>): BoardFacts<Open> {
  return facts === null ? NO_FACTS : (JSON.parse(facts) as BoardFacts<Open>)
}

const NO_FACTS = { promoted: null, last_action: null, newest_release: null, before: null, requests: [] }

function clockOf({ clock }: Sql): Query<number> {
  return onlyRow(sql`SELECT ${clock} AS now`, field('now', asNumber))
}

/** A place with its facts as they are now. */
interface FreshRow extends PlaceRow {
  readonly facts: string
  /** Those that its row has. */
  readonly keptFacts: string | null
}

/** The places in scope with their facts as they are now. */
function freshFacts<Open>(scope: Scope, open: ReadOpen<Open>): Query<FreshRow[]> {
  const all = together({
    rows: placeRows(scope),
    last: allRows(
      sql`SELECT p.agent_id, p.environment, a.action_id, a.action, a.release_id, a.policy_passed, a.forced,
        a.policy_reasons, a.actor, a.created_at
      FROM place_answers p JOIN actions a ON a.audit_seq = (
        SELECT max(b.audit_seq) FROM actions b WHERE b.agent_id = p.agent_id AND b.environment = p.environment)
      WHERE ${placeIn(scope)}`,
      readLast,
    ),
    pointers: allRows(
      sql`SELECT p.agent_id, p.environment, p.release_id, r.version, a.action_id, a.created_at, a.actor, a.reason,
        a.forced, (
          SELECT c.baseline_release_id FROM actions c WHERE c.audit_seq = ${madeLive('promote')}) AS before
      FROM promoted_pointers p
      LEFT JOIN releases r ON r.release_id = p.release_id
      LEFT JOIN actions a ON a.audit_seq = ${madeLive()}
      WHERE ${placeIn(scope)}`,
      readPointer,
    ),
    newest: allRows(
      sql`SELECT r.agent_id, r.environment, r.release_id, r.version, r.created_at,
        CASE WHEN a.action = 'rollback' AND a.release_id <> r.release_id THEN a.created_at END AS rolled_back_at,
        CASE WHEN EXISTS (SELECT 1 FROM pricing_tables t
            WHERE t.provider = r.pricing_provider AND t.pricing_version = r.pricing_version)
          THEN 1 ELSE 0 END AS is_priced
      FROM place_answers p JOIN releases r ON r.seq = ${NEWEST_RELEASE}
      LEFT JOIN actions a ON a.audit_seq = (
        SELECT max(b.audit_seq) FROM actions b
        WHERE b.agent_id = r.agent_id AND b.environment = r.environment AND ${MOVED}
          AND (b.release_id = r.release_id OR b.baseline_release_id = r.release_id))
      WHERE ${placeIn(scope)}`,
      readNewest,
    ),
    pending: allRows(
      sql`SELECT agent_id, environment, request_id, release_id, window_text AS "window", actor, reason, created_at, expires_at
      FROM promotion_requests WHERE status = 'pending' AND ${placeInScope(scope)} ORDER BY seq`,
      readRequest,
    ),
    open: open(scope),
  })
  return mapped(all, ({ rows, open: opened, ...found }) => {
    const [last, pointers, newest] = [byPlace(found.last), byPlace(found.pointers), byPlace(found.newest)]
    const pending = Map.groupBy(found.pending, placeOf)
    return rows.map(row => {
      const key = placeOf(row)
      const pointer = pointers.get(key)
      const facts: BoardFacts<Open> = {
        promoted: promotedOf(pointer),
        last_action: lastOf(last.get(key)),
        newest_release: newestOf(newest.get(key)),
        before: pointer?.before ?? null,
        requests: pending.get(key) ?? [],
        open: opened.get(key),
      }
      return { ...row, facts: JSON.stringify(facts), keptFacts: row.facts }
    })
  })
}

const PLACE = { agent_id: asText, environment: asText } as const
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
  window: asText,
  actor: asText,
  reason: asText,
  created_at: asTime,
  expires_at: orNull(asNumber),
})

function requestOf(found: ReturnType<typeof readRequest> | undefined): PlaceAnswer['request'] {
  if (found === undefined) return null
  const { request_id, release_id, window, actor, reason, created_at } = found
  return { request_id, release_id, window, actor, reason, created_at }
}

const readLast = columns({
  ...PLACE,
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

function unusableOf({ since, last, because }: Unusable) {
  return { unusable: { since, last, because } }
}

function releasePlaceOf({ release_id, environment }: Pick<Unusable, 'release_id' | 'environment'>): string {
  return `${release_id}\0${environment}`
}

function promotedOf(pointer: ReturnType<typeof readPointer> | undefined): PlaceEntry['promoted'] {
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
  }
}

function lastOf(last: ReturnType<typeof readLast> | undefined): PlaceEntry['last_action'] {
  if (last === undefined) return null
  const { agent_id: _agent, environment: _environment, forced, ...action } = last
  const result = resultOf({ passed: action.policy_passed, reasons: action.policy_reasons })
  return { ...action, result, ...(forced ? { forced } : {}) }
}

function newestOf(newest: ReturnType<typeof readNewest> | undefined): PlaceEntry['newest_release'] {
  if (newest === undefined) return null
  const { release_id, version, created_at, rolled_back_at, is_priced } = newest
  return {
    release_id,
    version,
    created_at,
    ...(rolled_back_at === null ? {} : { rolled_back_at }),
    ...(is_priced ? {} : { unpriced: true as const }),
  }
}
