import { type } from 'arktype'
import { Positive, Prose, input, whoField } from '../../models/all/input.ts'
import { documented, under } from '../../models/docs.ts'
import { Checksum, Count, Dimension, Timestamp } from '../../models/scalars.ts'

const Digest = type({ sha256: Checksum })

/** An in-toto Statement 1 with a SLSA Verification Summary 1. */
export const Statement = type({
  _type: "'https://in-toto.io/Statement/v1'",
  subject: type({ name: 'string', digest: Digest }).array(),
  predicateType: "'https://slsa.dev/verification_summary/v1'",
  predicate: {
    verifier: { id: 'string', version: { rgs: 'string' } },
    timeVerified: Timestamp,
    resourceUri: 'string',
    policy: { uri: 'string', digest: Digest },
    inputAttestations: type({ uri: 'string', digest: Digest }).array(),
    verificationResult: "'PASSED' | 'FAILED'",
    verifiedLevels: 'string[]',
  },
})
export type Statement = typeof Statement.infer

/** A signed payload: https://github.com/secure-systems-lab/dsse, envelope 1.0. */
export const Envelope = type({
  payload: 'string',
  payloadType: "'application/vnd.in-toto+json'",
  signatures: type({ keyid: 'string', sig: 'string' }).array(),
})
export type Envelope = typeof Envelope.infer

const ENVELOPE_FIELDS = {
  payload: 'The statement as JSON text, in base64.',
  payloadType: 'What the payload is.',
  signatures: 'Signatures of payload and type.',
  'signatures[].keyid': 'SHA-256 of the public key as SubjectPublicKeyInfo (DER).',
  'signatures[].sig': 'The Ed25519 signature, in base64.',
}

const STATEMENT_FIELDS = {
  _type: 'Its version.',
  subject: 'The bundle that was decided on.',
  'subject[].name': 'Agent and version of the release.',
  'subject[].digest': 'Its checksum.',
  'subject[].digest.sha256': 'Checksum of the bundle, as docs/checksum.md says.',
  predicateType: 'A SLSA Verification Summary of version 1.',
  predicate: 'What was verified, and by whom.',
  ...under('predicate.', {
    verifier: 'Which ledger verified.',
    'verifier.id': 'Identifies the ledger.',
    'verifier.version': 'The program that made the statement.',
    'verifier.version.rgs': 'Its SemVer.',
    timeVerified: 'When the decision was recorded.',
    resourceUri: 'The agent in the environment that the decision was about.',
    policy: 'The policy that was asked.',
    'policy.uri': 'Its policy_id.',
    'policy.digest': 'Its digest.',
    'policy.digest.sha256': 'SHA-256 of its JSON as the evidence of the decision holds it.',
    inputAttestations: 'What the decision rested on.',
    'inputAttestations[].uri': 'The action.',
    'inputAttestations[].digest': 'Its digest.',
    'inputAttestations[].digest.sha256': "SHA-256 of the action's record_json, which holds its evidence.",
    verificationResult: 'PASSED where the policy passed.',
    verifiedLevels:
      'RGS_PROMOTE_ALLOWED or RGS_ROLLBACK_ALLOWED; FAILED where the policy blocked. No level of SLSA.',
  }),
}

/** GET /v1/actions/{action_id}/attestation */
export const Attestation = type({ statement: Statement, envelope: Envelope.or('null') })
export type Attestation = typeof Attestation.infer

export const attestation = documented(Attestation, {
  title: 'Attestation',
  description: 'What a decision verified, as a verification summary that other programs read.',
  fields: {
    statement: 'An in-toto Statement of version 1.',
    ...under('statement.', STATEMENT_FIELDS),
    envelope: 'The statement in a DSSE envelope, signed; null where the server has no key.',
    ...under('envelope.', ENVELOPE_FIELDS),
  },
})

export const envelope = documented(Envelope, {
  title: 'Envelope',
  description: 'A signed statement: a DSSE envelope.',
  fields: ENVELOPE_FIELDS,
})

export const statement = documented(Statement, {
  title: 'Statement',
  description: 'What a decision verified: an in-toto Statement with a SLSA Verification Summary.',
  fields: STATEMENT_FIELDS,
})

/** What commands find out about proofs, as they print it with `--output json`. */

export const verifiedAttestation = documented(
  type({
    verified: 'boolean',
    problems: 'string[]',
    'statement?': 'object',
  }),
  {
    title: 'VerifiedAttestation',
    description: 'Whether an attestation is signed, about what was asked for, and PASSED.',
    fields: {
      verified: 'Whether all of it holds; the exit code is 1 where not.',
      problems: 'What does not hold.',
      statement: 'The statement; only where the signature holds.',
    },
  },
)

export const verifiedLog = documented(
  type({
    verified: 'boolean',
    problems: 'string[]',
    entries: Count,
    head: Checksum.or("''"),
    checkpoints: Count,
    signed: Count,
  }),
  {
    title: 'VerifiedLog',
    description: 'Whether the audit log holds, and begins with what checkpoints had.',
    fields: {
      verified: 'Whether all of it holds; the exit code is 1 where not.',
      problems: 'What does not hold.',
      entries: 'Entries that were recomputed.',
      head: 'Hash of the last of them.',
      checkpoints: 'Checkpoints that the log extends.',
      signed: 'Those of them that the key has signed.',
    },
  },
)

/** POST /v1/actions/{action_id}/review */
export const ActionReview = type({
  review_id: 'string',
  action_id: 'string',
  audit_seq: Count,
  reason: 'string',
  actor: 'string',
  created_at: Timestamp,
})
export type ActionReview = typeof ActionReview.infer

export const actionReview = documented(ActionReview, {
  title: 'ActionReview',
  description: 'That somebody has looked at a forced action afterwards; an entry of the audit log.',
  fields: {
    review_id: 'Subject of the entry.',
    action_id: 'The action.',
    audit_seq: 'Its number.',
    reason: 'What came of the review.',
    actor: 'Who reviewed it.',
    created_at: 'When it was recorded.',
  },
})

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

export const MODELS = {
  ActionProof: actionProof,
  AuditCheckpoint: auditCheckpoint,
  Consistency: consistency,
  ActionReview: actionReview,
  Attestation: attestation,
  Envelope: envelope,
  Statement: statement,
  VerifiedAttestation: verifiedAttestation,
  VerifiedLog: verifiedLog,
} as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}

/** What the endpoints take. */
export const INPUTS = {
  AuditConsistency: input({
    query: { from: [Positive, 'Size of the checkpoint.'] },
  }),
  ActionsProof: input({
    path: { action_id: [Dimension, 'Action to prove.'] },
  }),
  ActionsAttestation: input({
    path: { action_id: [Dimension, 'Action to attest.'] },
  }),
  ActionsReview: input({
    path: { action_id: [Dimension, 'Forced action.'] },
    body: {
      reason: [Prose, 'What came of the review; kept in the audit log.'],
      ...whoField('reviews it'),
    },
  }),
} as const
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
