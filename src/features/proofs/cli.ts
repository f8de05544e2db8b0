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
    summary: 'Print a checkpoint: the whole audit log as one hash, to keep elsewhere',
    options: [SIGN, OUTPUT, ...TARGET],
    example: 'svc audit checkpoint --sign release-key.pem >> checkpoints.txt',
    load: async () => (await import('./cli_prove.ts')).checkpoint,
  },
  {
    name: 'audit verify',
    summary: 'Recompute the audit log and compare it with checkpoints; exit 1 if they differ',
    task: 'Ask why',
    options: [
      { flags: '--checkpoint <FILE>', description: 'A file with one or more checkpoints' },
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
    summary: 'Print one decision with the proof that it is in the log, for examples/verify',
    options: [SIGN, ...TARGET],
    example: 'svc audit prove act_0123456789ab --sign release-key.pem > decision.jsonl',
    load: async () => (await import('./cli_prove.ts')).prove,
  },
  {
    name: 'audit export',
    args: '<FILE>',
    summary: 'Write the whole audit log, for examples/verify',
    options: [SIGN, ...TARGET],
    example: 'svc audit export audit.jsonl --sign release-key.pem',
    load: async () => (await import('./cli_prove.ts')).exportLog,
  },
  {
    name: 'audit pack',
    args: '<FILE>',
    summary: 'Write a ZIP file for auditors: who may do what, who did what, why, with proofs',
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
    summary: 'Record that you reviewed a forced action',
    options: [
      { flags: '--reason <TEXT>', description: 'The result of the review', required: true, mayBeEmpty: true },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc audit review 42 --reason "right: the candidate was down"',
    load: async () => (await import('./cli_pack.ts')).review,
  },
  {
    name: 'audit keygen',
    args: '<FILE>',
    summary: 'Make a signing key: private in FILE (PKCS#8, mode 0600), public in FILE.pub and printed',
    example: 'svc audit keygen release-key.pem',
    load: async () => (await import('./cli_prove.ts')).keygen,
  },
  {
    name: 'release attest',
    args: '<SEQ|ACTION_ID>',
    summary: 'Print an attestation of a decision: an in-toto statement, with --sign in a DSSE envelope',
    options: [
      SIGN,
      {
        flags: '--subject <NAME@sha256:DIGEST>',
        description: 'Also name this artifact, such as an image built from the bundle; repeatable',
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
      'Check an attestation by a public key; exit 1 if it is unsigned, about something else, or FAILED',
    options: [
      { ...PUBLIC_KEY, required: true },
      { flags: '--path <BUNDLE_PATH>', description: 'The expected bundle' },
      { flags: '--agent <AGENT_ID>', description: 'The expected agent' },
      { flags: '--env <ENV>', description: 'The expected environment' },
      {
        flags: '--verifier <ID>',
        description: 'The expected ledger (verifier.id), if the key signs for several',
      },
      OUTPUT,
    ],
    example:
      'svc release verify-attestation decision.dsse.json --key release-key.pem.pub --path ./my-agent --env prod',
    load: async () => (await import('./cli_verify.ts')).verifyAttestation,
  },
]
