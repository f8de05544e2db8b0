import { spawnSync } from 'node:child_process'
import { TESTS } from './proofs/tests.ts'

/** Proofs by programs of others, which package registries have. */
const PROGRAMS: Readonly<Record<string, string>> = {
  metrics: 'tools/proofs/metrics.ts',
  python: 'tools/proofs/python.ts',
  captures: 'tools/proofs/captures.ts',
  clients: 'tools/proofs/clients.ts',
  collector: 'tools/proofs/collector.ts',
  corpus: 'tools/proofs/corpus/run.ts',
  deploy: 'tools/proofs/deploy.ts',
  wrangler: 'tools/proofs/wrangler.ts',
  pages: 'tools/proofs/pages/run.ts',
  patroni: 'tools/proofs/patroni/run.ts',
  pipelines: 'tools/proofs/pipelines.ts',
  publish: 'tools/proofs/publish.ts',
  schemathesis: 'tools/proofs/schemathesis.ts',
  soak: 'tools/proofs/soak/run.ts',
  capabilities: 'tools/proofs/capabilities.ts',
  'sign-in': 'tools/proofs/sign_in/run.ts',
  simulation: 'tools/proofs/simulation.ts',
  mutation: 'tools/mutation/prove.ts',
  trials: 'tools/proofs/trials.ts',
  trust: 'tools/proofs/trust.ts',
  'ways-in': 'tools/proofs/ways_in.ts',
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
