import { type } from 'arktype'
import { documented } from '../docs.ts'
import { Checksum, Count } from '../scalars.ts'

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
