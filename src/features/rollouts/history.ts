import { isoTime } from '../../base/time.ts'
import type { RolloutDetail, RolloutEntry, RolloutLook } from '../../models/answers/rollout.ts'
import { type Sql, join, sql } from '../../sql/port.ts'
import { allRows, ask, asText, field, mapped } from '../../sql/query.ts'
import type { LogRecord } from '../../ledger/trail/chain.ts'
import type { Scope } from '../../ledger/world/scope.ts'
import { showRollout } from './rows.ts'

/** Kinds of entries whose subject is a rollout, and of those whose subject is a request for one. */
const KINDS = ['started', 'advanced', 'paused', 'resumed', 'aborted', 'expired', 'requested', 'approved']

/** One rollout with its entries in the audit log. Throws 404 where there is none in scope. */
export async function showWithHistory(db: Sql, rolloutId: string, scope: Scope): Promise<RolloutDetail> {
  const rollout = await showRollout(db, rolloutId, scope)
  const subjects = [rolloutId, ...(rollout.request === undefined ? [] : [rollout.request.request_id])]
  const kinds = join(
    KINDS.map(kind => sql`${`rollout.${kind}`}`),
    ', ',
  )
  const named = join(
    subjects.map(subject => sql`record_json LIKE ${`%"subject":"${subject}"%`}`),
    ' OR ',
  )
  // As the index says it: a decision is most entries.
  const found = sql`SELECT record_json FROM audit_log
    WHERE kind IN (${kinds}) AND kind <> 'decision' AND (${named}) ORDER BY log_seq DESC`
  const records = await ask(
    db,
    mapped(allRows(found, field('record_json', asText)), texts =>
      texts.map(text => JSON.parse(text) as LogRecord),
    ),
  )
  const history = records.filter(({ subject }) => subjects.includes(subject)).map(toEntry)
  return { ...rollout, history }
}

function toEntry({ log_seq, kind, actor, reason, created_at, details }: LogRecord): RolloutEntry {
  const { step, split, look } = details as {
    readonly step?: number
    readonly split?: { readonly share: number } | null
    readonly look?: RolloutLook
  }
  return {
    log_seq,
    kind,
    actor,
    reason,
    created_at: isoTime(created_at),
    step: step ?? null,
    share: split?.share ?? null,
    look: look ?? null,
  }
}
