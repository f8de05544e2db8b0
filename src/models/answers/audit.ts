import { type } from 'arktype'
import { LOG_KINDS } from '../names.ts'
import { Identity, Checksum, Count, Timestamp } from '../scalars.ts'
import { object } from '../model.ts'

/** GET /v1/audit */
export const AuditPage = object('Entries of the audit log, newest first.', {
  entries: object('The entries.', {
    log_seq: [Count, 'Number in the log, contiguous from 1. It is not the audit_seq of actions.'],
    kind: [type.enumerated(...LOG_KINDS), 'What happened.'],
    subject: ['string', 'Identifier of its subject, such as an action_id.'],
    actor: ['string', 'Who did it; `service` for work of the servers.'],
    actor_source: [
      'string',
      'How the service knows the actor: a token or an identity provider, an identity header, a proxy, the body, the command line, or the service itself.',
    ],
    'actor_identity?': Identity,
    reason: ['string | null', 'Why, if a reason was given.'],
    created_at: [Timestamp, 'When it was recorded.'],
    fact: [
      Checksum.or("'' | null"),
      'SHA-256 of its subject if that never changes; for a decision the hash of its record.',
    ],
    'fact_text?': [
      'string | null',
      'The text whose SHA-256 is `fact`, with facts=true: record_json of a decision, the values of another row as JSON.',
    ],
    details: ['object', 'Further facts, by kind.'],
    record_json: ['string', 'The text whose SHA-256 is `hash`.'],
    prev_hash: [Checksum.or("''"), 'Hash of the entry before; empty for the first.'],
    hash: [Checksum, 'SHA-256 of record_json, lowercase hex.'],
  }).array(),
  next_after: [Count.or('null'), 'Pass it as `after` to get the next page; null on the last.'],
})
export type AuditPage = typeof AuditPage.infer
export type AuditEntry = AuditPage['entries'][number]
