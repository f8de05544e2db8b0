import { createHash } from 'node:crypto'
import { twoReleases } from './cli.ts'

/** A bundle, and what a verifier with the key has to say of it behind what it is. */
interface BundleCase {
  readonly what: string
  readonly bundle: string
  readonly holds: RegExp
}

/** Bundles with what is to be said of them, and public keys: the one that signed, and another. */
export interface AuditBundles {
  readonly cases: readonly BundleCase[]
  readonly key: string
  readonly otherKey: string
  /** For what a test writes. */
  readonly folder: string
}

interface Line {
  readonly checkpoint?: string
  readonly log_seq?: number
  readonly entry?: string
  readonly fact?: string
  readonly proof?: readonly string[]
}

const FAILS = /: DOES NOT HOLD: /

/** Bundles of one ledger, as they are written and tampered with. */
export async function auditBundles(): Promise<AuditBundles> {
  const { workspace, baseline } = await twoReleases()
  const { ok, write, read, path, folder } = workspace
  await ok('audit', 'keygen', 'key.pem')
  await ok('audit', 'keygen', 'other.pem')
  const decision = ['--env', 'local', '--window', '1h', '--reason', 'für „uns“', '--output', 'json']
  const { action_id } = JSON.parse(await ok('release', 'promote', baseline, ...decision)) as {
    action_id: string
  }
  write('policy.yaml', 'policy_id: later\n')
  await ok('policy', 'set', 'policy.yaml')
  await ok('audit', 'export', 'all.jsonl', '--sign', 'key.pem')
  await ok('audit', 'export', 'forged.jsonl', '--sign', 'other.pem')
  const [whole, forged] = [read('all.jsonl'), read('forged.jsonl')]
  const one = `${await ok('audit', 'prove', action_id, '--sign', 'key.pem')}\n`
  return {
    cases: [...holding(whole, one), ...tampered(whole, one, forged)],
    key: path('key.pem.pub'),
    otherKey: path('other.pem.pub'),
    folder,
  }
}

function holding(whole: string, one: string): BundleCase[] {
  return [
    {
      what: 'the whole log',
      bundle: whole,
      holds: /: HOLDS: 5 of 5 entries, 1 of them decisions, of release-governance\/[0-9a-f]{32}, /,
    },
    { what: 'one decision', bundle: one, holds: /: HOLDS: 1 of 5 entries, 1 of them decisions, / },
  ]
}

function tampered(whole: string, one: string, forged: string): BundleCase[] {
  const lines = whole.split('\n')
  const wrong: readonly (readonly [string, string])[] = [
    ['nothing', ''],
    ['another file', '{"format": "other"}\n'],
    ['no entry', `${lines[0]}\n`],
    ['a cut line', whole.slice(0, -10)],
    ['a last line without its end', whole.slice(0, -1)],
    ['a cut log', `${lines.slice(0, -2).join('\n')}\n`],
    ['an entry that is missing', lines.toSpliced(3, 1).join('\n')],
    ['entries that changed places', lines.with(2, lines[3]!).with(3, lines[2]!).join('\n')],
    ['an entry twice', lines.toSpliced(3, 0, lines[3]!).join('\n')],
    ['a changed entry', edited(whole, 4, line => ({ ...line, entry: line.entry!.replace('uns', 'euch') }))],
    ['a changed entry with its chain', rechained(whole)],
    [
      'a changed record of a decision',
      edited(whole, 4, line => ({ ...line, fact: line.fact!.replace('uns', 'euch') })),
    ],
    [
      'the log without what a decision is about',
      edited(whole, 4, ({ log_seq, entry }) => ({ log_seq: log_seq!, entry: entry! })),
    ],
    ['a changed price table', edited(whole, 1, line => ({ ...line, fact: `${line.fact} ` }))],
    [
      'another size',
      edited(whole, 0, line => ({ ...line, checkpoint: line.checkpoint!.replace('\n5\n', '\n4\n') })),
    ],
    [
      'another time',
      edited(whole, 0, line => ({ ...line, checkpoint: line.checkpoint!.replace('time 2', 'time 3') })),
    ],
    [
      'a checkpoint that is not signed',
      edited(whole, 0, line => ({ ...line, checkpoint: line.checkpoint!.split('\n\n')[0]! + '\n' })),
    ],
    ['a checkpoint by another key', forged],
    ['a proof that is cut', edited(one, 1, line => ({ ...line, proof: line.proof!.slice(1) }))],
    ['a proof of another place', edited(one, 1, line => ({ ...line, log_seq: line.log_seq! - 1 }))],
    [
      'a proven entry that was changed',
      edited(one, 1, line => ({ ...line, entry: line.entry!.replace('uns', 'euch') })),
    ],
    [
      'a proven decision that was changed',
      edited(one, 1, line => ({ ...line, fact: line.fact!.replace('uns', 'euch') })),
    ],
    ['a proof twice', one + one.split('\n')[1] + '\n'],
    ['a proof among entries without one', whole + one.split('\n')[1] + '\n'],
    ['an entry that is no object', `${lines[0]}\nnull\n`],
    ['an entry of texts that are none', `${lines[0]}\n{"log_seq": 1, "entry": [1], "proof": 5}\n`],
  ]
  return wrong.map(([what, bundle]) => ({ what, bundle, holds: FAILS }))
}

function edited(bundle: string, at: number, edit: (line: Line) => Line): string {
  return bundle
    .split('\n')
    .map((line, index) => (index === at ? JSON.stringify(edit(JSON.parse(line) as Line)) : line))
    .join('\n')
}

/** As an attacker without a key would: recomputes every hash behind the change. */
function rechained(bundle: string): string {
  let previous = ''
  const lines = bundle.split('\n').map((text, index) => {
    if (index === 0 || text === '') return text
    const line = JSON.parse(text) as Line
    const record = JSON.parse(line.entry!) as { log_seq: number; reason: string }
    const changed = record.log_seq === 4 ? { ...record, reason: 'other' } : record
    const entry = JSON.stringify({ ...changed, prev_hash: previous })
    previous = createHash('sha256').update(entry).digest('hex')
    return JSON.stringify({ ...line, entry })
  })
  return lines.join('\n').replace(/head [0-9a-f]{64}/, `head ${previous}`)
}
