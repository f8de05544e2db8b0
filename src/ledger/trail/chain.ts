import { type Row, SqlError, type Statement, raw, sql } from '../../sql/port.ts'
import {
  type Query,
  among,
  asNumber,
  asText,
  columns,
  firstRow,
  hasRow,
  mapped,
  orNull,
  write,
} from '../../sql/query.ts'
import { sha256 } from '../../base/bytes.ts'
import { jsonOf } from '../../base/text.ts'
import type { Actor, Identity, Ledger } from '../world/ledger.ts'
import type { LogKind } from '../../models/names.ts'

/** The end of the audit chain, as one snapshot saw it. */
export interface Head {
  readonly seq: number
  readonly hash: string
  /** Bumped by every change that judgements of all agents read: policies, prices, retirements, settings, retention. */
  readonly revision: number
  /** The agent that was queried; undefined where none was, or it is unknown. */
  readonly agent: AgentRevision | undefined
  /** Epoch ms of the newest row; the next is never earlier. */
  readonly created_at: number
  /** The latest time of an entry of the log since somebody last said that the clock was right, epoch ms; 0 without entries. */
  readonly latest_at: number
  /** The end of the audit log, and what it holds. */
  readonly log: LogEnd
  readonly covered: Covered
  /** The database's clock then, epoch ms; 0 where it was not read. */
  readonly now: number
}

/**
 * Bumped by every change that only judgements of this agent read: scores, releases, acknowledgements, imported days, sums
 * that are made again.
 */
interface AgentRevision {
  readonly agent_id: string
  readonly revision: number
}

/** The judgements that a change makes outdated: those of all agents, of one, or none. */
export type Revises = 'all' | 'none' | { readonly agent: string }

/** What a row of the trail says; its JSON text is hashed and stored as it is. */
export interface AuditRecord {
  readonly audit_seq: number
  readonly prev_hash: string
  readonly action_id: string
  readonly action: 'promote' | 'rollback'
  readonly release_id: string
  readonly agent_id: string
  readonly environment: string
  readonly baseline_release_id: string | null
  readonly reason: string
  readonly actor: string
  readonly actor_source: Actor['source']
  /** What the actor calls itself besides; absent, and so not in the hash, where it says nothing. */
  readonly claimed_actor?: string
  /** Whom an identity provider vouched for; absent where none did. */
  readonly actor_identity?: Identity
  readonly policy_passed: boolean
  readonly policy_reasons: readonly string[]
  /** Only of a forced rollback: the policy was not evaluated, and the pointer moved nevertheless. */
  readonly forced?: true
  /** By the server's clock, but never before that of the row before; epoch milliseconds. */
  readonly created_at: number
  /** By the database's clock; absent in records of versions that did not note it. */
  readonly decided_at?: number
  /** All that it takes to replay the decision. */
  readonly evidence: unknown
}

const COLUMNS = sql`seq, hash, revision, created_at, latest_at, log_seq, log_hash, logged_actions, logged_policies, logged_prices,
  logged_releases`

/** The head. Throws where the ledger was not migrated. */
export const HEAD: Query<Head> = headOf(sql`0`)

/**
 * The head with the database's clock, for times that a change writes and hashes, and the revision of an agent.
 * `agent` is an expression: an agent_id, or how it is found.
 */
export function headQuery(clock: Statement, agent?: Statement): Query<Head> {
  return headOf(clock, agent)
}

function headOf(now: Statement, agent: Statement = raw('NULL')): Query<Head> {
  const head = firstRow(
    sql`SELECT ${COLUMNS}, ${now} AS now, CAST(${agent} AS TEXT) AS agent_id, ${revisionOf(agent)} AS agent_revision
      FROM audit_head WHERE id = 1`,
    toHead,
  )
  return mapped(head, found => {
    if (found === undefined) throw new Error('audit_head has no row: the ledger was not migrated')
    return found
  })
}

const readHead = columns({
  seq: asNumber,
  hash: asText,
  revision: asNumber,
  created_at: asNumber,
  latest_at: asNumber,
  log_seq: asNumber,
  log_hash: asText,
  logged_actions: asNumber,
  logged_policies: asNumber,
  logged_prices: asNumber,
  logged_releases: asNumber,
  now: asNumber,
  agent_id: orNull(asText),
  agent_revision: asNumber,
})

/** The revision of an agent, an expression as `agent` is; 0 where nothing has bumped it. */
export function revisionOf(agent: Statement): Statement {
  return sql`coalesce((SELECT a.revision FROM agent_revisions a WHERE a.agent_id = ${agent}), 0)`
}

function toHead(row: Row): Head {
  const { seq, hash, revision, created_at, latest_at, now, agent_id, agent_revision, ...log } = readHead(row)
  return {
    seq,
    hash,
    revision,
    agent: agent_id === null ? undefined : { agent_id, revision: agent_revision },
    created_at,
    latest_at,
    log: { seq: log.log_seq, hash: log.log_hash },
    covered: {
      actions: log.logged_actions,
      policies: log.logged_policies,
      prices: log.logged_prices,
      releases: log.logged_releases,
    },
    now,
  }
}

/**
 * Marks a governed change that is not a decision. First in its batch: it takes the head's lock, and a
 * decision evaluated before it finds its guard lost.
 */
export function reviseHead(changedBy: string): Statement {
  return sql`UPDATE audit_head SET revision = revision + 1, changed_by = ${changedBy} WHERE id = 1`
}

/** Bumps the revision of an agent where the guard of the batch holds. */
export function reviseAgent(agentId: string, guard: Statement): Statement {
  return reviseAgents(sql`SELECT CAST(${agentId} AS TEXT) AS agent_id WHERE ${guard}`)
}

/** Bumps the revisions of the agents that a statement lists. */
export function reviseAgents(agents: Statement): Statement {
  // In order, so that two batches don't wait for each other.
  return sql`INSERT INTO agent_revisions (agent_id, revision)
    SELECT agent_id, 1 FROM (${agents}) AS revised WHERE true ORDER BY agent_id
    ON CONFLICT (agent_id) DO UPDATE SET revision = agent_revisions.revision + 1`
}

/** Whether a judgement that was made at one head is valid at another. */
export function hasSameRevisions(one: Head, other: Head): boolean {
  return (
    one.revision === other.revision &&
    one.agent?.agent_id === other.agent?.agent_id &&
    one.agent?.revision === other.agent?.revision
  )
}

/** That neither a decision nor another change nor an entry of the log came after `head` was read. */
export function headIs({ seq, hash, revision, agent, log }: Head): Statement {
  const isSame =
    agent === undefined ? sql`` : sql` AND ${revisionOf(sql`${agent.agent_id}`)} = ${agent.revision}`
  return sql`id = 1 AND seq = ${seq} AND hash = ${hash} AND revision = ${revision} AND log_seq = ${log.seq}
    AND log_hash = ${log.hash}${isSame}`
}

/**
 * First in a batch that moves the head: sent again after its answer was lost, the head is where it moved it and still
 * names it, and its guard would hold a second time.
 */
export function letGoOfHead(changedBy: string): Statement {
  return sql`UPDATE audit_head SET changed_by = '' WHERE id = 1 AND changed_by = ${changedBy}`
}

/** True for a statement of the batch only where `changedBy` moved the head, that is: its guard passed. */
export function headChangedBy(changedBy: string): Statement {
  return sql`EXISTS (SELECT 1 FROM audit_head WHERE id = 1 AND changed_by = ${changedBy})`
}

/** Keeps other transactions of PostgreSQL from moving the head; it can be read. */
export const LOCK_HEAD: Statement = {
  ...raw('LOCK TABLE audit_head IN SHARE ROW EXCLUSIVE MODE'),
  isFrequent: true,
}

/** The latest time once these entries are in the log. An entry that accepts the clock resets it. */
export function latestOf(
  { latest_at }: Pick<Head, 'latest_at'>,
  entries: readonly Pick<LogRecord, 'kind' | 'created_at'>[],
): number {
  return entries.reduce(
    (latest, { kind, created_at }) => (kind === 'clock.accepted' ? created_at : Math.max(latest, created_at)),
    latest_at,
  )
}

/** A record as it is stored and hashed. */
export interface Sealed {
  readonly record: AuditRecord
  readonly json: string
  readonly hash: string
}

export async function seal(record: AuditRecord): Promise<Sealed> {
  const json = JSON.stringify(record)
  return { record, json, hash: await sha256(json) }
}

/**
 * Appends a record behind `head`, and its entry to the log: moves the head if it still is where it was read, and
 * inserts the row if so. The query says whether the guard passed.
 */
export function appendQuery(head: Head, { record, json, hash }: Sealed, entry: SealedEntry): Query<boolean> {
  const moving = [
    letGoOfHead(record.action_id),
    sql`UPDATE audit_head
      SET seq = ${record.audit_seq}, hash = ${hash}, changed_by = ${record.action_id},
        created_at = ${record.created_at}, log_seq = ${entry.record.log_seq}, log_hash = ${entry.hash},
        logged_actions = ${record.audit_seq}, latest_at = ${latestOf(head, [entry.record])}
      WHERE ${headIs(head)}`,
  ]
  const inserted = hasRow(sql`INSERT INTO actions (
        action_id, action, release_id, agent_id, environment, baseline_release_id, reason, actor,
        policy_passed, policy_reasons, created_at, audit_seq, actor_source, record_json, prev_hash, hash, forced,
        decided_at
      )
      SELECT ${record.action_id}, ${record.action}, ${record.release_id}, ${record.agent_id},
        ${record.environment}, ${record.baseline_release_id}, ${record.reason}, ${record.actor},
        CAST(${record.policy_passed ? 1 : 0} AS BIGINT), ${JSON.stringify(record.policy_reasons)},
        CAST(${record.created_at} AS BIGINT), seq, ${record.actor_source}, ${json},
        ${record.prev_hash}, hash, CAST(${record.forced === true ? 1 : 0} AS BIGINT),
        CAST(${record.decided_at ?? null} AS BIGINT)
      FROM audit_head WHERE id = 1 AND changed_by = ${record.action_id}
      RETURNING audit_seq`)
  return among(moving, inserted)
}

/** The head behind a record and its entry, which were appended to `head`. */
export function headBehind(head: Head, { record, hash }: Sealed, entry: SealedEntry): Head {
  const { audit_seq: seq, created_at } = record
  return {
    ...head,
    seq,
    hash,
    created_at,
    latest_at: latestOf(head, [entry.record]),
    log: { seq: entry.record.log_seq, hash: entry.hash },
    covered: { ...head.covered, actions: seq },
  }
}

/** A row of the trail, as far as checks read it. */
export const readStoredAction = columns({
  audit_seq: asNumber,
  action_id: asText,
  action: asText<AuditRecord['action']>,
  release_id: asText,
  agent_id: asText,
  environment: asText,
  baseline_release_id: orNull(asText),
  reason: asText,
  actor: asText,
  actor_source: asText<Actor['source']>,
  policy_passed: asNumber,
  policy_reasons: asText,
  forced: asNumber,
  created_at: asNumber,
  decided_at: orNull(asNumber),
  record_json: asText,
  prev_hash: asText,
  hash: asText,
})

export type StoredAction = ReturnType<typeof readStoredAction>

/** Why a stored row with a record is wrong, or undefined. `previousHash` is the hash of the row before it. */
export async function chainProblem(row: StoredAction, previousHash: string): Promise<string | undefined> {
  if (row.hash !== (await sha256(row.record_json))) return 'its record does not match its hash'
  return recordProblem(row, previousHash)
}

/** The same without a look at the hash of its record. */
export function recordProblem(row: StoredAction, previousHash = row.prev_hash): string | undefined {
  const record = jsonOf(row.record_json) as AuditRecord | null | undefined
  if (record == null) return 'its record is not JSON'
  if (record.prev_hash !== previousHash || row.prev_hash !== previousHash) {
    return 'it does not follow the row before it'
  }
  const expected = {
    audit_seq: record.audit_seq,
    action_id: record.action_id,
    action: record.action,
    release_id: record.release_id,
    agent_id: record.agent_id,
    environment: record.environment,
    baseline_release_id: record.baseline_release_id,
    reason: record.reason,
    actor: record.actor,
    actor_source: record.actor_source,
    policy_passed: record.policy_passed ? 1 : 0,
    policy_reasons: JSON.stringify(record.policy_reasons),
    forced: record.forced === true ? 1 : 0,
    created_at: record.created_at,
    decided_at: record.decided_at ?? null,
  }
  const changed = (Object.keys(expected) as (keyof typeof expected)[]).filter(
    column => row[column] !== expected[column],
  )
  return changed.length === 0 ? undefined : `its ${changed.join(', ')} differs from its record`
}

/** The last entry of the audit log. */
export interface LogEnd {
  readonly seq: number
  readonly hash: string
}

/** The last row of each table that the log has an entry of. */
export interface Covered {
  readonly actions: number
  readonly policies: number
  readonly prices: number
  readonly releases: number
}

/** What is to be an entry of the audit log. */
export interface NewEntry {
  readonly kind: LogKind
  /** Id of what it is about. */
  readonly subject: string
  readonly actor: LogActor
  readonly reason: string | null
  /** Epoch ms. */
  readonly created_at: number
  /** SHA-256 of the row that says it, where that row never changes. */
  readonly fact: string | null
  readonly details: Readonly<Record<string, unknown>>
}

/** Who changed something; `service` is what servers do by themselves. */
export interface LogActor {
  readonly name: string
  readonly source: Actor['source'] | 'service'
  readonly identity?: Identity | undefined
}

export const SERVICE_ACTOR: LogActor = { name: 'service', source: 'service' }

/** An entry; its JSON text is hashed and stored as it is. */
export interface LogRecord {
  readonly log_seq: number
  readonly prev_hash: string
  readonly kind: LogKind
  readonly subject: string
  readonly actor: string
  readonly actor_source: LogActor['source']
  /** Whom an identity provider vouched for; absent, and so not in the hash, where none did. */
  readonly actor_identity?: Identity
  readonly reason: string | null
  readonly created_at: number
  readonly fact: string | null
  readonly details: Readonly<Record<string, unknown>>
}

/** An entry as it is stored and hashed. */
export interface SealedEntry {
  readonly record: LogRecord
  readonly json: string
  readonly hash: string
}

/** Ties entries to the end of the log, one behind the other. */
export async function sealEntries(end: LogEnd, entries: readonly NewEntry[]): Promise<SealedEntry[]> {
  const sealed: SealedEntry[] = []
  for (const entry of entries) sealed.push(await sealEntry(sealed.at(-1) ?? end, entry))
  return sealed
}

export async function sealEntry(last: LogEnd | SealedEntry, entry: NewEntry): Promise<SealedEntry> {
  const { actor, ...rest } = entry
  const record: LogRecord = {
    log_seq: ('record' in last ? last.record.log_seq : last.seq) + 1,
    prev_hash: last.hash,
    kind: rest.kind,
    subject: rest.subject,
    actor: actor.name,
    actor_source: actor.source,
    ...(actor.identity === undefined ? {} : { actor_identity: actor.identity }),
    reason: rest.reason,
    created_at: rest.created_at,
    fact: rest.fact,
    details: rest.details,
  }
  const json = JSON.stringify(record)
  return { record, json, hash: await sha256(json) }
}

/** Puts an entry into the log where the batch's guard passed. */
export function entryStatement({ record, json, hash }: SealedEntry, guard: Statement): Statement {
  return sql`INSERT INTO audit_log (log_seq, kind, record_json, hash)
    SELECT CAST(${record.log_seq} AS BIGINT), ${record.kind}, ${json}, ${hash} WHERE ${guard}`
}

/** How often a batch is sent whose answer is lost. */
const MAX_TRIES = 4

/**
 * Carries out a query that says itself whether it was done; undefined where its guard was lost. What it wrote is on
 * the disk when it returns: this is the way of all that is governed.
 *
 * Where the answer to a commit is lost, the same batch is sent again. It waits for what the first try still holds
 * locked, and then either is done, or finds its own unique id or a moved guard: `recorded` looks that up.
 */
export async function commitOnce<T>(
  { sql: db }: Pick<Ledger, 'sql'>,
  query: Query<T | undefined>,
  recorded: () => Promise<T | undefined>,
): Promise<T | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      const done = await write(db, query, { durable: true })
      return done === undefined && tries > 1 ? await recorded() : done
    } catch (error) {
      if (!(error instanceof SqlError)) throw error
      if (error.kind === 'unique' && tries > 1) {
        const done = await recorded()
        if (done !== undefined) return done
      }
      const mayTry =
        tries < MAX_TRIES && (db.options.deadline === undefined || db.options.deadline.leftMs() > 0)
      if (error.kind !== 'uncertain' || !mayTry) throw error
    }
  }
}
