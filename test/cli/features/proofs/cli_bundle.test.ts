import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { digestAll } from '../../../../src/base/bytes.ts'
import { hashOver, leafBytes } from '../../../../src/features/proofs/rules_merkle.ts'
import { ROOT_PATH } from '../../../../src/runtime/root.ts'
import { auditBundles } from '../../../support/processes/audit_bundles.ts'
import { SMALL_SAMPLES, copyOf, twoReleases } from '../../../support/processes/cli.ts'

const hasPython = spawnSync('python3', ['--version']).status === 0
const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

const made = await twoReleases(SMALL_SAMPLES)
const { ok: prepare, write } = made.workspace
const WHERE = ['--env', 'local', '--window', '1h', '--reason'] as const
write(
  'policy.yaml',
  'policy_id: open\nmax_error_rate: 1\nmax_latency_ms: 100000\nmax_cost_per_run_usd: 100\n',
)
await prepare('policy', 'set', 'policy.yaml')
await prepare('release', 'promote', made.baseline, ...WHERE, 'first')
await prepare('release', 'promote', made.candidate, ...WHERE, 'second')
await prepare('audit', 'export', 'all.jsonl')

interface Line {
  readonly log_seq: number
  readonly entry: string
  fact?: string
}

interface Entry {
  readonly kind: string
  fact: string | null
  prev_hash: string
}

/** What of a bundle may be changed by somebody who makes all hashes again, with a checkpoint of their own. */
type Forge = (fact: Record<string, any>) => void // oxlint-disable-line typescript/no-explicit-any -- facts are of any shape

async function forged(bundle: string, kind: string, forge: Forge): Promise<string> {
  const [header = '', ...texts] = bundle.trimEnd().split('\n')
  const lines = texts.map(text => JSON.parse(text) as Line)
  const changed = lines.findLast(line => (JSON.parse(line.entry) as Entry).kind === kind)
  let previous = ''
  const sealed = lines.map(line => {
    const entry = JSON.parse(line.entry) as Entry
    if (line === changed) {
      const fact = JSON.parse(line.fact!) as Record<string, unknown>
      forge(fact)
      line.fact = JSON.stringify(fact)
      entry.fact = hash(line.fact)
    }
    const text = JSON.stringify({ ...entry, prev_hash: previous })
    previous = hash(text)
    return { ...line, entry: text }
  })
  const leaves = await digestAll(sealed.map(({ entry }) => leafBytes(entry)))
  const root = Buffer.from(await hashOver(leaves)).toString('base64')
  const note = `release-governance/${hash(sealed[0]!.entry).slice(0, 32)}\n${sealed.length}\n${root}\nhead ${previous}\ntime 2026-01-31T12:00:00.000Z\n`
  const first = { ...(JSON.parse(header) as object), checkpoint: note }
  return `${[first, ...sealed].map(line => JSON.stringify(line)).join('\n')}\n`
}

const FORGED: readonly (readonly [string, string, Forge, string])[] = [
  ['nothing', 'decision', () => {}, ''],
  ['a verdict', 'decision', fact => (fact.policy_passed = false), 'verdict and reasons disagree'],
  [
    'a reason',
    'decision',
    fact =>
      Object.assign(fact, { policy_passed: false, policy_reasons: ['candidate error_rate 2 exceeds max 1'] }),
    'the evidence gives another verdict',
  ],
  [
    'sums that break a limit',
    'decision',
    fact => (fact.evidence.evaluation.candidate.variants[0].latency_sum_ms = 1e12),
    'the evidence gives another verdict',
  ],
  [
    'tokens that break a limit',
    'decision',
    fact => (fact.evidence.evaluation.candidate.variants[0].output_tokens = 1e12),
    'the evidence gives another verdict',
  ],
  [
    'samples that are too few',
    'decision',
    fact => (fact.evidence.evaluation.thresholds.min_candidate_runs = 1e6),
    'the evidence gives another verdict',
  ],
  [
    'a limit of the decision',
    'decision',
    fact => (fact.evidence.policy.max_error_rate = null),
    'another policy was active',
  ],
  [
    'a limit of the policy',
    'policy.set',
    fact => (fact[2] = fact[2].replace('"max_error_rate":1', '"max_error_rate":0.5')),
    'another policy was active',
  ],
  ['a decision without evidence', 'decision', fact => delete fact.evidence, 'not an entry of this format'],
]

/** What a verifier found, without who says it. */
type Said = readonly [code: number, problem: string]

/** What verify.py says of bundles. */
function saidInPython(path: (name: string) => string, file: string, key: readonly string[]): Said {
  const program = join(ROOT_PATH, 'examples/verify/verify.py')
  const { status, stderr } = spawnSync('python3', [program, path(file), ...key], { encoding: 'utf8' })
  return [status ?? -1, stderr.replace(/^DOES NOT HOLD: |^CAN'T CHECK: (?=the first line)/, '').trimEnd()]
}

test.skipIf(!hasPython)(
  'svc audit verify --bundle and verify.py say the same of the same bundles',
  async () => {
    const { svc, path, write: put, read } = copyOf(made.workspace)
    const compare = async (what: string, bundle: string, key: readonly string[]): Promise<Said> => {
      put('tried.jsonl', bundle)
      const { code, stderr } = await svc('audit', 'verify', '--bundle', 'tried.jsonl', ...key)
      const said: Said = [code ?? -1, stderr.replace(/^svc: (?:tried\.jsonl: )?/, '').trimEnd()]
      const [status, problem] = saidInPython(path, 'tried.jsonl', key)
      expect([what, Math.min(status, 1), problem]).toEqual([what, ...said])
      return said
    }
    const whole = read('all.jsonl')
    for (const [what, kind, forge, problem] of FORGED) {
      const [code, said] = await compare(what, await forged(whole, kind, forge), [])
      expect([what, code, said]).toEqual([what, problem === '' ? 0 : 1, expect.stringContaining(problem)])
    }
    const { cases, key, otherKey } = await auditBundles()
    for (const { what, bundle, holds } of cases) {
      const [code] = await compare(what, bundle, ['--key', key])
      expect([what, code]).toEqual([what, holds.source.includes('DOES NOT') ? 1 : 0])
    }
    expect(await compare('another key', cases[0]!.bundle, ['--key', otherKey])).toEqual([
      1,
      'no signature of the checkpoint is one by this key',
    ])
  },
)

test('svc audit verify --bundle says what holds, and takes no checkpoint', async () => {
  const { ok, svc } = copyOf(made.workspace)
  expect(await ok('audit', 'verify', '--bundle', 'all.jsonl')).toMatch(
    /^(\d+) of \1 entries hold, with 2 decisions, .*\nno key was given/,
  )
  const both = await svc('audit', 'verify', '--bundle', 'all.jsonl', '--checkpoint', 'all.jsonl')
  expect([both.code, both.stderr]).toEqual([
    1,
    'svc: --checkpoint and --bundle exclude each other: give one.\n',
  ])
})
