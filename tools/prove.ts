import { spawnSync } from 'node:child_process'

/** The long forms of tests that `npm test` runs in short. */
const TESTS: Readonly<Record<string, string>> = {
  equivalence: 'runners/equivalence.test.ts runners/same_everywhere.test.ts',
  databases: 'runners/node_ runners/socket_ runners/workerd_ runners/remote/',
  fuzz: 'runners/fuzz.test.ts',
  input: 'runners/input cli/service/hostile_files',
  concurrency: 'crash/concurrency.test.ts crash/history.test.ts',
  servers: 'crash/servers.test.ts',
  replay: 'runners/node_ runners/workerd_d1 runners/remote/node_libsql -t a.replay',
  crash: 'crash/kill',
  power: 'crash/power_cut.test.ts',
  storage: 'crash/storage server/ready cli/workspace/serve_ready',
  failover: 'databases/postgres_failover.test.ts',
  upgrade: 'databases/upgrade',
  sdk: 'crash/sdk.test.ts',
  copy: 'crash/copy.test.ts',
  webhooks: 'crash/webhooks.test.ts',
  watch: 'unit/rules/watch crash/watch.test.ts',
  tamper: 'server/databases/tamper.test.ts',
  image: 'package/image.test.ts',
}

/** Proofs by programs of others, which package registries have. */
const PROGRAMS: Readonly<Record<string, string>> = {
  metrics: 'tools/proofs/metrics.ts',
  python: 'tools/proofs/python.ts',
  clients: 'tools/proofs/clients.ts',
  collector: 'tools/proofs/collector.ts',
  deploy: 'tools/proofs/deploy.ts',
  wrangler: 'tools/proofs/wrangler.ts',
  pages: 'tools/proofs/pages/run.ts',
  pipelines: 'tools/proofs/pipelines.ts',
  schemathesis: 'tools/proofs/schemathesis.ts',
  soak: 'tools/proofs/soak/run.ts',
  simulation: 'tools/proofs/simulation.ts',
  mutation: 'tools/mutation/prove.ts',
  trust: 'tools/proofs/trust.ts',
}

const name = process.argv[2] ?? ''
const [files, program] = [TESTS[name], PROGRAMS[name]]
if (files === undefined && program === undefined) {
  const names = Object.keys({ ...TESTS, ...PROGRAMS })
  process.stderr.write(`npm run prove -- NAME, with NAME one of ${names.join(', ')}\n`)
  process.exit(1)
}
const [command, args] =
  files === undefined
    ? [process.execPath, [program!, ...process.argv.slice(3)]]
    : ['vitest', ['run', ...files.split(' '), '--testTimeout', '3600000']]
const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, PROVE: '1' } })
process.exit(status ?? 1)
