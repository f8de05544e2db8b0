import { Positive, Prose, input, whoField } from '../../models/all/input.ts'
import { Checksum, Count, Dimension, Timestamp } from '../../models/scalars.ts'
import { object } from '../../models/model.ts'

const digest = (about: string) => object({ sha256: [Checksum, about] })

export const Statement = object(
  'The statement of a decision: an in-toto Statement with a SLSA Verification Summary.',
  {
    _type: ["'https://in-toto.io/Statement/v1'", 'Its version.'],
    subject: object('The bundle of the decision.', {
      name: ['string', 'Agent and version of the release.'],
      digest: [digest('Checksum of the bundle, as docs/project/checksum.md says.'), 'Its checksum.'],
    }).array(),
    predicateType: [
      "'https://slsa.dev/verification_summary/v1'",
      'A SLSA Verification Summary of version 1.',
    ],
    predicate: object('Subject and verifier.', {
      verifier: object('The ledger that verified.', {
        id: ['string', 'Identifies the ledger.'],
        version: object('The program that made the statement.', { rgs: ['string', 'Its SemVer.'] }),
      }),
      timeVerified: [Timestamp, 'When the decision was recorded.'],
      resourceUri: ['string', 'The agent and environment of the decision.'],
      policy: object('The policy of the decision.', {
        uri: ['string', 'Its policy_id.'],
        digest: [digest('SHA-256 of its JSON as in the evidence of the decision.'), 'Its digest.'],
      }),
      inputAttestations: object('The evidence of the decision.', {
        uri: ['string', 'The action.'],
        digest: [digest("SHA-256 of the action's record_json, which includes its evidence."), 'Its digest.'],
      }).array(),
      verificationResult: ["'PASSED' | 'FAILED'", 'PASSED if the policy passed.'],
      verifiedLevels: [
        'string[]',
        'RGS_PROMOTE_ALLOWED or RGS_ROLLBACK_ALLOWED; FAILED if the policy blocked. Not a level of SLSA.',
      ],
    }),
  },
)
export type Statement = typeof Statement.infer

export const Envelope = object('A signed statement: a DSSE envelope.', {
  payload: ['string', 'The statement as JSON text, in base64.'],
  payloadType: ["'application/vnd.in-toto+json'", 'Type of the payload.'],
  signatures: object('Signatures of payload and type.', {
    keyid: ['string', 'SHA-256 of the public key as SubjectPublicKeyInfo (DER).'],
    sig: ['string', 'The Ed25519 signature, in base64.'],
  }).array(),
})
export type Envelope = typeof Envelope.infer

/** GET /v1/actions/{action_id}/attestation */
export const Attestation = object('The verification summary of a decision, for other programs.', {
  statement: [Statement, 'An in-toto Statement of version 1.'],
  envelope: [Envelope.or('null'), 'The statement in a DSSE envelope, signed; null if the server has no key.'],
})
export type Attestation = typeof Attestation.infer

/** What commands find out about proofs, as they print it with `--output json`. */

export const VerifiedAttestation = object(
  'Whether an attestation is signed, about the expected subject, and PASSED.',
  {
    verified: ['boolean', 'Whether all checks passed; otherwise the exit code is 1.'],
    problems: ['string[]', 'The failed checks.'],
    'statement?': ['object', 'The statement; only if the signature is valid.'],
  },
)

export const VerifiedLog = object('Whether the audit log is valid, and extends the checkpoints.', {
  verified: ['boolean', 'Whether all checks passed; otherwise the exit code is 1.'],
  problems: ['string[]', 'The failed checks.'],
  entries: [Count, 'Entries that were recomputed.'],
  head: [Checksum.or("''"), 'Hash of the last of them.'],
  checkpoints: [Count, 'Checkpoints that the log extends.'],
  signed: [Count, 'Checkpoints among them that the key has signed.'],
})

/** POST /v1/actions/{action_id}/review */
export const ActionReview = object('A review of a forced action; an entry of the audit log.', {
  review_id: ['string', 'Subject of the entry.'],
  action_id: ['string', 'The action.'],
  audit_seq: [Count, 'Its number.'],
  reason: ['string', 'The result of the review.'],
  actor: ['string', 'Who reviewed it.'],
  created_at: [Timestamp, 'When it was recorded.'],
})
export type ActionReview = typeof ActionReview.infer

const NOTE =
  'The checkpoint as text (C2SP tlog-checkpoint); a signed note if the server has a key (SERVICE_SIGNING_KEY).'

/** GET /v1/audit/checkpoint */
export const AuditCheckpoint = object(
  'The whole audit log as one hash, which detects every later change of its entries.',
  {
    note: ['string', NOTE],
    origin: ['string', 'Identifies the ledger: by the hash of the first entry of its audit log.'],
    size: [Count, 'Number of its entries: the log_seq of the last.'],
    root_hash: ['string', 'Root of the Merkle tree over their record_json (RFC 6962), in base64.'],
    head: [Checksum, 'Hash of the last entry.'],
    time: [Timestamp, 'When it was made.'],
    signed: ['boolean', 'Whether it is signed.'],
  },
)
export type AuditCheckpoint = typeof AuditCheckpoint.infer

/** GET /v1/audit/consistency */
export const Consistency = object('The proof that the audit log only grew since it had `from` entries.', {
  from: [Count, 'Entries then.'],
  from_root_hash: [
    'string',
    'The root hash of those entries, as the log has them now; compare it with that of your checkpoint.',
  ],
  note: ['string', NOTE],
  size: [Count, 'Entries now.'],
  proof: ['string[]', 'The consistency proof of RFC 6962, 2.1.2: hashes in base64.'],
})
export type Consistency = typeof Consistency.infer

/** GET /v1/actions/{action_id}/proof */
export const ActionProof = object(
  'One decision, and the proof that it is in the audit log of a checkpoint (docs/project/audit-format.md).',
  {
    note: ['string', NOTE],
    log_seq: [Count, 'Number of its entry in the audit log, from 1.'],
    entry: ['string', 'The record_json of the entry: a leaf of the tree.'],
    fact: ['string', "The action's record_json, which the entry has the SHA-256 of."],
    proof: ['string[]', 'The audit path of RFC 6962, 2.1.1: hashes in base64.'],
  },
)
export type ActionProof = typeof ActionProof.infer

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
      reason: [Prose, 'The result of the review; kept in the audit log.'],
      ...whoField('reviews it'),
    },
  }),
} as const
