import { type } from 'arktype'
import { documented } from '../docs.ts'
import { Checksum, Count, Timestamp } from '../scalars.ts'

const NOTE =
  'The checkpoint as text (C2SP tlog-checkpoint); a signed note where the server has a key (SERVICE_SIGNING_KEY).'

/** GET /v1/audit/checkpoint */
export const AuditCheckpoint = type({
  note: 'string',
  origin: 'string',
  size: Count,
  root_hash: 'string',
  head: Checksum,
  time: Timestamp,
  signed: 'boolean',
})
export type AuditCheckpoint = typeof AuditCheckpoint.infer

export const auditCheckpoint = documented(AuditCheckpoint, {
  title: 'AuditCheckpoint',
  description: 'The whole audit log by one hash: whoever keeps it sees every later change of what was there.',
  fields: {
    note: NOTE,
    origin: 'Identifies the ledger: by the hash of the first entry of its audit log.',
    size: 'Entries that it is about: the log_seq of the last.',
    root_hash: 'Root of the Merkle tree over their record_json (RFC 6962), in base64.',
    head: 'Hash of the last entry.',
    time: 'When it was made.',
    signed: 'Whether it is signed.',
  },
})

/** GET /v1/audit/consistency */
export const Consistency = type({
  from: Count,
  from_root_hash: 'string',
  note: 'string',
  size: Count,
  proof: 'string[]',
})
export type Consistency = typeof Consistency.infer

export const consistency = documented(Consistency, {
  title: 'Consistency',
  description: 'The proof that the audit log only grew since it had `from` entries.',
  fields: {
    from: 'Entries then.',
    from_root_hash:
      'The root hash of those, as the log has them now; compare it with that of your checkpoint.',
    note: NOTE,
    size: 'Entries now.',
    proof: 'The consistency proof of RFC 6962, 2.1.2: hashes in base64.',
  },
})

/** GET /v1/actions/{action_id}/proof */
export const ActionProof = type({
  note: 'string',
  log_seq: Count,
  entry: 'string',
  fact: 'string',
  proof: 'string[]',
})
export type ActionProof = typeof ActionProof.infer

export const actionProof = documented(ActionProof, {
  title: 'ActionProof',
  description:
    'One decision, and the proof that it is in the audit log of a checkpoint (docs/audit-format.md).',
  fields: {
    note: NOTE,
    log_seq: 'Number of its entry in the audit log, from 1.',
    entry: 'The record_json of the entry: a leaf of the tree.',
    fact: "The action's record_json, which the entry has the SHA-256 of.",
    proof: 'The audit path of RFC 6962, 2.1.1: hashes in base64.',
  },
})
