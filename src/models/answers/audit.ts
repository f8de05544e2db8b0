import { type } from 'arktype'
import { LOG_KINDS } from '../names.ts'
import { Identity, Checksum, Count, Timestamp } from '../scalars.ts'
import { object } from '../model.ts'

/** GET /v1/audit */
export const AuditPage = object('Entries of the audit log, newest first.', {
  entries: object('The entries.', {
    log_seq: [Count, 'Number in the log, contiguous from 1. It is not the audit_seq of actions.'],
    kind: [type.enumerated(...LOG_KINDS), 'What happened.'],
    subject: ['string', 'Identifier of what it is about, such as an action_id.'],
    actor: ['string', 'Who did it; service is what servers do by themselves.'],
    actor_source: [
      'string',
      'How we know: a token or an identity provider, an identity header, a proxy, the body, the command line, or the service itself.',
    ],
    'actor_identity?': Identity,
    reason: ['string | null', 'Why, where something was said.'],
    created_at: [Timestamp, 'When it was recorded.'],
    fact: [
      Checksum.or("'' | null"),
      'SHA-256 of what it is about where that never changes; of a decision the hash of its record.',
    ],
    'fact_text?': [
      'string | null',
      'The text that fact is the SHA-256 of, with facts=true: record_json of a decision, the values of another row as JSON.',
    ],
    details: ['object', 'What else there is to say, by kind.'],
    record_json: ['string', 'The text that hash is the SHA-256 of.'],
    prev_hash: [Checksum.or("''"), 'Hash of the entry before; empty for the first.'],
    hash: [Checksum, 'SHA-256 of record_json, lowercase hex.'],
  }).array(),
  next_after: [Count.or('null'), 'Pass it as `after` to get the next page; null on the last.'],
})
export type AuditPage = typeof AuditPage.infer
export type AuditEntry = AuditPage['entries'][number]
