import { spawnSync } from 'node:child_process'

/** The long forms of tests that `npm test` runs in short. */
const PROOFS: Readonly<Record<string, string>> = {
  equivalence: 'runners/equivalence.test.ts runners/same_everywhere.test.ts',
  fuzz: 'runners/fuzz.test.ts',
  concurrency: 'crash/concurrency.test.ts',
  servers: 'crash/servers.test.ts',
  crash: 'crash/kill.test.ts',
  sdk: 'crash/sdk.test.ts',
  copy: 'crash/copy.test.ts',
  webhooks: 'crash/webhooks.test.ts',
}

const name = process.argv[2] ?? ''
const files = PROOFS[name]
if (files === undefined) {
  process.stderr.write(`npm run prove -- NAME, with NAME one of ${Object.keys(PROOFS).join(', ')}\n`)
  process.exit(1)
}
const { status } = spawnSync('vitest', ['run', ...files.split(' '), '--testTimeout', '3600000'], {
  stdio: 'inherit',
  env: { ...process.env, PROVE: '1' },
})
process.exit(status ?? 1)
