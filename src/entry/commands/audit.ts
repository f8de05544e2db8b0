import { LOG_KINDS } from '../../models/names.ts'
import type { CommandSpec } from '../../cli/arguments/command.ts'
import { LIMIT, OUTPUT, PUBLIC_KEY, SIGN, TARGET } from '../../cli/arguments/options.ts'

/** `svc audit …` */
export const AUDIT_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'audit explain',
    args: '<SEQ|ACTION_ID>',
    summary: 'Decide an action again from its evidence, limit by limit; exit 1 if the record says otherwise',
    options: [
      { flags: '--against <POLICY>', description: 'Decide by this policy (YAML or JSON) instead' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc audit explain 17 --against policy.yaml',
    load: async () => (await import('../../features/explain/cli_explain.ts')).explain,
  },
  {
    name: 'audit checkpoint',
    summary: 'Print the whole audit log as one hash, to be kept where nobody who runs the ledger can write',
    options: [SIGN, OUTPUT, ...TARGET],
    example: 'svc audit checkpoint --sign release-key.pem >> checkpoints.txt',
    load: async () => (await import('../../features/proofs/cli_checkpoint.ts')).checkpoint,
  },
  {
    name: 'audit verify',
    summary: 'Recompute the audit log, and prove that it extends checkpoints that were kept; exit 1 if not',
    options: [
      { flags: '--checkpoint <FILE>', description: 'One or more checkpoints, one behind the other' },
      PUBLIC_KEY,
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc audit verify --checkpoint checkpoints.txt --key release-key.pem.pub',
    load: async () => (await import('../../features/proofs/cli_verify.ts')).verify,
  },
  {
    name: 'audit prove',
    args: '<SEQ|ACTION_ID>',
    summary:
      'Print one decision with the proof that it is in the log, for examples/verify or a verifier of yours',
    options: [SIGN, ...TARGET],
    example: 'svc audit prove act_0123456789ab --sign release-key.pem > decision.jsonl',
    load: async () => (await import('../../features/proofs/cli_export.ts')).prove,
  },
  {
    name: 'audit export',
    args: '<FILE>',
    summary:
      'Write the whole audit log with what its hashes cover, for examples/verify or a verifier of yours',
    options: [SIGN, ...TARGET],
    example: 'svc audit export audit.jsonl --sign release-key.pem',
    load: async () => (await import('../../features/proofs/cli_export.ts')).exportLog,
  },
  {
    name: 'audit keygen',
    args: '<FILE>',
    summary: 'Make a key that signs: private in FILE (PKCS#8, mode 0600), public in FILE.pub and printed',
    example: 'svc audit keygen release-key.pem',
    load: async () => (await import('../../features/proofs/cli_keygen.ts')).keygen,
  },
  {
    name: 'audit log',
    summary: 'The audit log, newest first: decisions, policies, price tables and all else that governs',
    options: [
      { flags: '--kind <KIND>', description: 'Only entries of this kind', values: LOG_KINDS },
      { ...LIMIT, description: 'The newest N (default all)' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc audit log --kind policy.set',
    load: async () => (await import('../../cli/audit/log.ts')).log,
  },
]
