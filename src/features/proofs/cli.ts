import { JSON_OUTPUT, OUTPUT, TARGET, ANSWER } from '../../cli/arguments/options.ts'
import { type OptionTable, commands, many, reason, required } from '../../cli/arguments/records.ts'

const SIGN: OptionTable = { '--sign <KEY>': 'Sign it with this private key, a file of `svc audit keygen`' }

const PUBLIC_KEY = 'The public key that must have signed it (PEM)'

/** `svc audit …` and `svc release …`: proofs of the audit log */
export const COMMANDS = commands({
  'audit checkpoint': {
    summary: 'Print a checkpoint: the whole audit log as one hash, to keep elsewhere',
    options: { ...SIGN, ...ANSWER },
    example: 'svc audit checkpoint --sign release-key.pem >> checkpoints.txt',
    load: async () => (await import('./cli_prove.ts')).checkpoint,
  },
  'audit verify': {
    summary:
      'Recompute the audit log and compare it with its rows and with checkpoints; exit 1 if they differ',
    task: 'Ask why',
    options: {
      '--checkpoint <FILE>': 'A file with one or more checkpoints',
      '--bundle <FILE>': 'Verify a bundle instead, such as entries.jsonl of a pack; takes no ledger',
      '--key <PUB>': PUBLIC_KEY,
      ...ANSWER,
    },
    example: 'svc audit verify --checkpoint checkpoints.txt --key release-key.pem.pub',
    load: async () => (await import('./cli_verify.ts')).verify,
  },
  'audit prove <SEQ|ACTION_ID>': {
    summary: 'Print one decision with the proof that it is in the log, for examples/verify',
    options: { ...SIGN, ...TARGET },
    example: 'svc audit prove act_0123456789ab --sign release-key.pem > decision.jsonl',
    load: async () => (await import('./cli_prove.ts')).prove,
  },
  'audit export <FILE>': {
    summary: 'Write the whole audit log, for examples/verify',
    options: { ...SIGN, ...TARGET },
    example: 'svc audit export audit.jsonl --sign release-key.pem',
    load: async () => (await import('./cli_prove.ts')).exportLog,
  },
  'audit pack <FILE>': {
    summary: 'Write a ZIP file for auditors: who may do what, who did what, why, with proofs',
    task: 'Ask why',
    options: {
      '--since <TIME>': required('From this day or time on (UTC): 2026-01-31, or 90d'),
      ...SIGN,
      ...TARGET,
    },
    example: 'svc audit pack --since 2026-01-01 audit.zip --sign release-key.pem',
    load: async () => (await import('./cli_pack.ts')).pack,
  },
  'audit review <SEQ|ACTION_ID>': {
    summary: 'Record that you reviewed a forced action',
    options: { '--reason <TEXT>': reason('The result of the review'), ...ANSWER },
    example: 'svc audit review 42 --reason "right: the candidate was down"',
    load: async () => (await import('./cli_prove.ts')).review,
  },
  'audit keygen <FILE>': {
    summary: 'Make a signing key: private in FILE (PKCS#8, mode 0600), public in FILE.pub and printed',
    example: 'svc audit keygen release-key.pem',
    load: async () => (await import('./cli_prove.ts')).keygen,
  },
  'release attest <SEQ|ACTION_ID>': {
    summary: 'Print an attestation of a decision: an in-toto statement, with --sign in a DSSE envelope',
    options: {
      ...SIGN,
      '--subject <NAME@sha256:DIGEST>': many(
        'Also name this artifact, such as an image built from the bundle; repeatable',
      ),
      ...JSON_OUTPUT,
      ...TARGET,
    },
    example: 'svc release attest act_0123456789ab --sign release-key.pem > decision.dsse.json',
    load: async () => (await import('./cli_prove.ts')).attest,
  },
  'release verify-attestation <FILE>': {
    summary:
      'Check an attestation by a public key; exit 1 if it is unsigned, about something else, or FAILED',
    options: {
      '--key <PUB>': required(PUBLIC_KEY),
      '--path <BUNDLE_PATH>': 'The expected bundle',
      '--agent <AGENT_ID>': 'The expected agent',
      '--env <ENV>': 'The expected environment',
      '--verifier <ID>': 'The expected ledger (verifier.id), if the key signs for several',
      ...OUTPUT,
    },
    example:
      'svc release verify-attestation decision.dsse.json --key release-key.pem.pub --path ./my-agent --env prod',
    load: async () => (await import('./cli_verify.ts')).verifyAttestation,
  },
})
