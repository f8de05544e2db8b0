import { type Row, type Sql, type Statement, join, raw, sql } from '../../sql/port.ts'
import { allRows, ask, asNumber, asRow, asText, columnsOf, typed } from '../../sql/query.ts'
import { sha256 } from '../../base/bytes.ts'

/** A table whose rows may change: the entry of each change holds a hash of what the row is from then on. */
export interface BoundTable {
  /** What an entry names its rows by; in most tables that is one row. */
  readonly id: string
  /** Where one id has several rows: the order in which they are hashed. */
  readonly order?: string
  /** What is hashed, in this order. Never to be changed: hashes were made of it. */
  readonly columns: readonly string[]
  /** Columns that came later. They are hashed where they hold anything, so that the hash of an older row stays. */
  readonly added?: readonly string[]
  /** Whether its rows have no number. */
  readonly unnumbered?: true
}

/**
 * What is left out changes without anybody deciding so: when a token or session was last used, how often something was
 * looked at and who does next.
 */
export const BOUND = {
  tokens: bound(
    'token_id',
    sql`token_id, name, role, agents, environments, salt, hash, created_at, created_by, expires_at, revoked_at,
     revoked_by`,
    { added: ['source'], unnumbered: true },
  ),
  webhooks: bound(
    'webhook_id',
    sql`webhook_id, url, events, description, enabled, format, secret, created_at, previous_secret,
     previous_until`,
  ),
  promotion_requests: bound(
    'request_id',
    sql`request_id, status, release_id, agent_id, environment, window_text, reason, actor, actor_source,
     claimed_actor, baseline_release_id, policy_json, created_at, resolved_at, resolved_by,
     resolution_reason, completed_action_id, resolution, approvals_required, approvals_json, expires_at,
     assessed_json`,
    { added: ['actor_identity'] },
  ),
  sessions: bound(
    'session_id',
    sql`session_id, kind, issuer, subject, name, role, agents, environments, roles_hash, hash, proof_hash,
     created_at, idle_ms, expires_at, ended_at, ended_because, ended_by`,
  ),
  session_keys: bound('key_id', sql`key_id, secret, created_at`, { unnumbered: true }),
  watches: bound(
    'watch_id',
    sql`watch_id, agent_id, environment, release_id, baseline_release_id, action_id, state, auto_rollback,
     min_runs, limits_json, baseline_since, started_at, ends_at, started_by, ended_at, ended_because,
     ended_by, rollback_json`,
  ),
  rollouts: bound(
    'rollout_id',
    sql`rollout_id, agent_id, environment, candidate_release_id, baseline_release_id, state, unit, steps_json,
     step, limits_json, reason, started_by, started_by_json, started_at, ends_at, hold_json, hold_until,
     ended_at, because, changed_by, action_id, attempts`,
  ),
  rollout_requests: bound(
    'request_id',
    sql`request_id, status, agent_id, environment, candidate_release_id, baseline_release_id, input_json,
     reason, actor, actor_source, claimed_actor, created_at, expires_at, approvals_required, approvals_json,
     resolved_at, resolved_by, resolution, resolution_reason, rollout_id`,
  ),
  score_imports: bound(
    'import_id',
    sql`import_id, release_id, suite, format, source_sha256, cases, scores_json, actor, created_at`,
  ),
  score_evaluations: bound('import_id', sql`import_id, parts, facts_json`),
  erasures: bound('erasure_id', sql`erasure_id, actor, events, archived_events, created_at`),
  acknowledgements: bound(
    'acknowledgement_id',
    sql`acknowledgement_id, agent_id, environment, release_id, baseline_release_id, baseline_sha256,
     candidate_sha256, changes_json, reason, actor, actor_source, claimed_actor, created_at`,
    { added: ['actor_identity'] },
  ),
  model_retirements: bound(
    'retirement_id',
    sql`retirement_id, provider, model, retires_on, reason, actor, actor_source, created_at`,
  ),
  aggregate_sources: bound('source', sql`source, engine, query_sha256, run_url, created_at, created_by`, {
    unnumbered: true,
  }),
  aggregate_feeds: bound('feed_id', sql`feed_id, scope, source, from_day`, { unnumbered: true }),
  release_files: bound('release_id', sql`path, sha256, bytes, text`, { order: 'path' }),
} as const

function bound(
  id: string,
  columns: Statement,
  more: Pick<BoundTable, 'order' | 'added' | 'unnumbered'> = {},
): BoundTable {
  return { id, columns: columnsOf(columns), ...more }
}

export type BoundName = keyof typeof BOUND
export const BOUND_NAMES = Object.keys(BOUND) as BoundName[]

/** What an entry says of rows: by table and id the hash of what they are now, or null where they are gone. */
export type Holds = Readonly<Partial<Record<BoundName, Readonly<Record<string, string | null>>>>>

/** Part of an entry's details: nothing where it holds no row. */
export function holding(holds: Holds): { readonly holds?: Holds } {
  return Object.keys(holds).length === 0 ? {} : { holds }
}

/** Of these rows of a table, each of which is all that its id has. */
export async function holdsOf(name: BoundName, rows: readonly Row[]): Promise<Holds> {
  if (rows.length === 0) return {}
  const hashes = rows.map(async row => [asText(row[BOUND[name].id]), await rowsHash(name, [row])] as const)
  return { [name]: Object.fromEntries(await Promise.all(hashes)) }
}

/** The columns of a table that its entries hold, for SELECT. */
export function boundColumns(name: BoundName): Statement {
  const { columns, added = [] } = BOUND[name]
  return raw([...columns, ...added].join(', '))
}

/** Writes columns of the row that has the row's id, where the guard lets it through. */
export function updateBound(
  name: BoundName,
  row: Row,
  columns: readonly string[],
  guard: Statement,
): Statement {
  const { id } = BOUND[name]
  const set = columns.map(column => sql`${raw(column)} = ${typed(row[column] ?? null)}`)
  return sql`UPDATE ${raw(name)} SET ${join(set, ', ')} WHERE ${raw(id)} = ${row[id]!} AND ${guard}`
}

/** SHA-256 of all rows of an id. */
export function rowsHash(name: BoundName, rows: readonly Row[]): Promise<string> {
  const { columns, added = [], order } = BOUND[name]
  const sorted =
    order === undefined ? rows : rows.toSorted((a, b) => (asText(a[order]) < asText(b[order]) ? -1 : 1))
  const hashed = sorted.map(row => [
    ...columns.map(column => row[column] ?? null),
    ...added.filter(column => row[column] != null).map(column => [column, row[column]]),
  ])
  return sha256(JSON.stringify(hashed))
}

/** Ids that are hashed at a time. */
const PAGE = 200

/** All rows of an id. */
export interface BoundRow {
  readonly id: string
  readonly rows: readonly Row[]
  readonly hash: string
  /** The number of its row, where its table has one row of each. */
  readonly seq: number
}

/** The hash of each id of a table, in pages. */
export async function* boundPages(db: Sql, name: BoundName): AsyncGenerator<readonly BoundRow[]> {
  const { id, columns, added = [], order, unnumbered } = BOUND[name]
  const isNumbered = unnumbered !== true && order === undefined
  const names = [...new Set([id, ...columns, ...added, ...(isNumbered ? ['seq'] : [])])]
  for (let after = ''; ;) {
    const page = sql`SELECT ${raw(names.join(', '))} FROM ${raw(name)} WHERE ${raw(id)} IN (
      SELECT DISTINCT ${raw(id)} FROM ${raw(name)} WHERE ${raw(id)} > ${after} ORDER BY ${raw(id)} LIMIT ${PAGE})`
    const rows = await ask(db, allRows(page, asRow))
    if (rows.length === 0) return
    const byId = Map.groupBy(rows, row => asText(row[id]))
    const hashed = Array.from(byId, async ([key, of]) => ({
      id: key,
      rows: of,
      hash: await rowsHash(name, of),
      seq: isNumbered ? asNumber(of[0]!.seq) : 0,
    }))
    yield await Promise.all(hashed)
    after = [...byId.keys()].reduce((last, key) => (key > last ? key : last))
  }
}
