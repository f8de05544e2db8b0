import { type Statement, sql } from '../../sql/port.ts'
import type { LogKind } from '../../models/names.ts'
import { type DigestAll, sha256 } from '../../base/bytes.ts'
import type { Actor, Identity } from '../world/ledger.ts'

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
export async function sealEntries(
  end: LogEnd,
  entries: readonly NewEntry[],
  digestAll?: DigestAll,
): Promise<SealedEntry[]> {
  const sealed: SealedEntry[] = []
  for (const entry of entries) sealed.push(await sealEntry(sealed.at(-1) ?? end, entry, digestAll))
  return sealed
}

export async function sealEntry(
  last: LogEnd | SealedEntry,
  entry: NewEntry,
  digestAll?: DigestAll,
): Promise<SealedEntry> {
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
  return { record, json, hash: await sha256(json, digestAll) }
}

/** Puts an entry into the log where the batch's guard held. */
export function entryStatement({ record, json, hash }: SealedEntry, guard: Statement): Statement {
  return sql`INSERT INTO audit_log (log_seq, kind, record_json, hash)
    SELECT CAST(${record.log_seq} AS BIGINT), ${record.kind}, ${json}, ${hash} WHERE ${guard}`
}
