import { spawnSync } from 'node:child_process'

/** The long forms of tests that `npm test` runs in short. */
const PROOFS: Readonly<Record<string, string>> = {
  equivalence: 'test/conformance/equivalence.test.ts test/conformance/same_everywhere.test.ts',
  fuzz: 'test/conformance/fuzz.test.ts',
  concurrency: 'test/crash/concurrency.test.ts',
  servers: 'test/crash/servers.test.ts',
  crash: 'test/crash/kill.test.ts',
  sdk: 'test/crash/sdk.test.ts',
  copy: 'test/crash/copy.test.ts',
  webhooks: 'test/crash/webhooks.test.ts',
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
