import type { CommandSpec, OptionSpec, ServerJob } from '../../cli/arguments/command.ts'
import { JSON_OUTPUT, OUTPUT, TARGET } from '../../cli/arguments/options.ts'

/** Of what makes a proof. */
const SIGN: OptionSpec = {
  flags: '--sign <KEY>',
  description: 'Sign it with this private key, a file of `svc audit keygen`',
}

/** Of what checks one. */
const PUBLIC_KEY: OptionSpec = {
  flags: '--key <PUB>',
  description: 'The public key that must have signed it (PEM)',
}

/** `svc audit …` and `svc release …`: proofs of the audit log */
export const PROOFS_COMMANDS: readonly (CommandSpec | ServerJob)[] = [
  {
    runsIn: 'serve',
    whileReadOnly: true,
    load: async () => (await import('./jobs_checkpoints.ts')).runCheckpoints,
  },
  {
    name: 'audit checkpoint',
    summary: 'Print the whole audit log as one hash, to be kept where nobody who runs the ledger can write',
    options: [SIGN, OUTPUT, ...TARGET],
    example: 'svc audit checkpoint --sign release-key.pem >> checkpoints.txt',
    load: async () => (await import('./cli_prove.ts')).checkpoint,
  },
  {
    name: 'audit verify',
    summary: 'Recompute the audit log, and prove that it extends checkpoints that were kept; exit 1 if not',
    task: 'Ask why',
    options: [
      { flags: '--checkpoint <FILE>', description: 'One or more checkpoints, one behind the other' },
      PUBLIC_KEY,
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc audit verify --checkpoint checkpoints.txt --key release-key.pem.pub',
    load: async () => (await import('./cli_verify.ts')).verify,
  },
  {
    name: 'audit prove',
    args: '<SEQ|ACTION_ID>',
    summary:
      'Print one decision with the proof that it is in the log, for examples/verify or a verifier of yours',
    options: [SIGN, ...TARGET],
    example: 'svc audit prove act_0123456789ab --sign release-key.pem > decision.jsonl',
    load: async () => (await import('./cli_prove.ts')).prove,
  },
  {
    name: 'audit export',
    args: '<FILE>',
    summary:
      'Write the whole audit log with what its hashes cover, for examples/verify or a verifier of yours',
    options: [SIGN, ...TARGET],
    example: 'svc audit export audit.jsonl --sign release-key.pem',
    load: async () => (await import('./cli_prove.ts')).exportLog,
  },
  {
    name: 'audit pack',
    args: '<FILE>',
    summary: 'Write a ZIP file for auditors: who may, who did, why, with proofs, and what is not evidenced',
    task: 'Ask why',
    options: [
      {
        flags: '--since <TIME>',
        description: 'From this day or time on (UTC): 2026-01-31, or 90d',
        required: true,
      },
      SIGN,
      ...TARGET,
    ],
    example: 'svc audit pack --since 2026-01-01 audit.zip --sign release-key.pem',
    load: async () => (await import('./cli_pack.ts')).pack,
  },
  {
    name: 'audit review',
    args: '<SEQ|ACTION_ID>',
    summary: 'Note in the audit log that you have looked at a forced action',
    options: [
      { flags: '--reason <TEXT>', description: 'What came of it', required: true, mayBeEmpty: true },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc audit review 42 --reason "right: the candidate was down"',
    load: async () => (await import('./cli_pack.ts')).review,
  },
  {
    name: 'audit keygen',
    args: '<FILE>',
    summary: 'Make a key that signs: private in FILE (PKCS#8, mode 0600), public in FILE.pub and printed',
    example: 'svc audit keygen release-key.pem',
    load: async () => (await import('./cli_prove.ts')).keygen,
  },
  {
    name: 'release attest',
    args: '<SEQ|ACTION_ID>',
    summary: 'Print a decision as an in-toto statement, in a DSSE envelope where it is signed',
    options: [
      SIGN,
      {
        flags: '--subject <NAME@sha256:DIGEST>',
        description: 'Also about this artifact, such as an image that was built from the bundle; repeatable',
        many: true,
      },
      JSON_OUTPUT,
      ...TARGET,
    ],
    example: 'svc release attest act_0123456789ab --sign release-key.pem > decision.dsse.json',
    load: async () => (await import('./cli_prove.ts')).attest,
  },
  {
    name: 'release verify-attestation',
    args: '<FILE>',
    summary:
      'Check an attestation by a public key alone; exit 1 if it is not signed, not of this, or says FAILED',
    options: [
      { ...PUBLIC_KEY, required: true },
      { flags: '--path <BUNDLE_PATH>', description: 'The bundle that it has to be about' },
      { flags: '--agent <AGENT_ID>', description: 'The agent that it has to be about' },
      { flags: '--env <ENV>', description: 'The environment that it has to be about' },
      {
        flags: '--verifier <ID>',
        description: 'The ledger that it has to come from (verifier.id), where the key signs for several',
      },
      OUTPUT,
    ],
    example:
      'svc release verify-attestation decision.dsse.json --key release-key.pem.pub --path ./my-agent --env prod',
    load: async () => (await import('./cli_verify.ts')).verifyAttestation,
  },
]
