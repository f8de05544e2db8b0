import { type } from 'arktype'
import { documented, under } from '../docs.ts'
import { LOG_KINDS } from '../names.ts'
import { Checksum, Count, Identity, Timestamp, identityFields } from '../scalars.ts'

/** GET /v1/audit */
export const AuditPage = type({
  entries: type({
    log_seq: Count,
    kind: type.enumerated(...LOG_KINDS),
    subject: 'string',
    actor: 'string',
    actor_source: 'string',
    'actor_identity?': Identity,
    reason: 'string | null',
    created_at: Timestamp,
    fact: Checksum.or("'' | null"),
    'fact_text?': 'string | null',
    details: 'object',
    record_json: 'string',
    prev_hash: Checksum.or("''"),
    hash: Checksum,
  }).array(),
  next_after: Count.or('null'),
})
export type AuditPage = typeof AuditPage.infer
export type AuditEntry = AuditPage['entries'][number]

export const auditPage = documented(AuditPage, {
  title: 'AuditPage',
  description: 'Entries of the audit log, newest first.',
  fields: {
    entries: 'The entries.',
    ...under('entries[].', {
      log_seq: 'Number in the log, contiguous from 1. It is not the audit_seq of actions.',
      kind: 'What happened.',
      subject: 'Identifier of what it is about, such as an action_id.',
      actor: 'Who did it; service is what servers do by themselves.',
      actor_source:
        'How we know: a token or an identity provider, an identity header, a proxy, the body, the command line, or the service itself.',
      ...identityFields('actor_identity'),
      reason: 'Why, where something was said.',
      created_at: 'When it was recorded.',
      fact: 'SHA-256 of what it is about where that never changes; of a decision the hash of its record.',
      fact_text:
        'The text that fact is the SHA-256 of, with facts=true: record_json of a decision, the values of another row as JSON.',
      details: 'What else there is to say, by kind.',
      record_json: 'The text that hash is the SHA-256 of.',
      prev_hash: 'Hash of the entry before; empty for the first.',
      hash: 'SHA-256 of record_json, lowercase hex.',
    }),
    next_after: 'Pass it as `after` to get the next page; null on the last.',
  },
})
