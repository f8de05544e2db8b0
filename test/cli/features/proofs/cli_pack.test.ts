import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { strFromU8, unzipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import {
  SMALL_SAMPLES,
  copyOf,
  startService,
  twoReleases,
  withDatabase,
} from '../../../support/processes/cli.ts'

const made = await twoReleases({ ...SMALL_SAMPLES, allow_forced_rollback: true })
const { ok: prepare, write } = made.workspace
const WHERE = ['--env', 'local', '--window', '1h', '--reason'] as const
await prepare('audit', 'keygen', 'key.pem')
write('policy.yaml', 'policy_id: open\nrequire_high_diff_confidence: false\n')
await prepare('policy', 'set', 'policy.yaml')
await prepare('release', 'promote', made.baseline, ...WHERE, 'first')
await prepare('release', 'promote', made.candidate, ...WHERE, 'second')
await prepare('release', 'rollback', made.baseline, ...WHERE, 'fire', '--force')

interface Line {
  readonly log_seq: number
  readonly entry: string
  readonly proof: readonly string[]
}

function unpacked(file: string): Readonly<Record<string, string>> {
  const files = unzipSync(readFileSync(file))
  return Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, strFromU8(bytes)]))
}

const hasPython = spawnSync('python3', ['--version']).status === 0

describe('svc audit pack', () => {
  test('says each decision in a sentence and a row, and what is not evidenced', async () => {
    const { ok, path, has } = copyOf(made.workspace)
    expect(await ok('audit', 'pack', 'pack.zip', '--since', '2020-01-01', '--sign', 'key.pem')).toMatch(
      /^pack\.zip: \d+ entries since 2020-01-01T00:00:00.000Z, 0 earlier$/,
    )
    expect(has('pack.zip.part')).toBe(false)
    // Each file has the first time that a ZIP can name: bytes follow from what is in it.
    expect([...readFileSync(path('pack.zip')).subarray(10, 14)]).toEqual([0, 0, 0x21, 0])
    const files = unpacked(path('pack.zip'))
    expect(Object.keys(files)).toEqual([
      'entries.jsonl',
      'answers.txt',
      'decisions.csv',
      'verify.py',
      'verify.html',
    ])
    const text = files['answers.txt']!
    expect(text).toMatch(
      new RegExp(`promote ${made.candidate} of bot in local: 2, act_\\w+, .*; passed; by tester .*: second`),
    )
    expect(text).toMatch(
      new RegExp(`rollback ${made.baseline} of bot in local: 3, .*; forced; .*: fire.*; not reviewed`),
    )
    const rows = files['decisions.csv']!.trimEnd().split('\r\n')
    expect(rows).toHaveLength(4)
    expect(rows[2]).toMatch(
      /^\d+,2,act_\w+,.*,passed,tester,\w+,second,[0-9a-f]{64},open,[0-9a-f]{64},.*,HIGH,/,
    )
    expect(text).not.toContain('it is not signed')
    expect(text + rows.join('')).not.toMatch(/undefined|null|NaN/)
  })

  test('names the review of what was forced, and brings the action with it from before', async () => {
    const { ok, path, svc } = copyOf(made.workspace)
    expect(await svc('audit', 'review', '1', '--reason', 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/was not forced.*svc audit explain act_/) as string,
    })
    expect(await svc('audit', 'review', '3', '--reason', ' ')).toMatchObject({ code: 1 })
    expect(await svc('audit', 'review', 'act_000000000000', '--reason', 'x')).toMatchObject({ code: 1 })
    const again = await ok('audit', 'review', '3', '--reason', 'at first', '--output', 'json')
    expect(JSON.parse(again)).toMatchObject({ audit_seq: 3, reason: 'at first', actor: 'tester' })
    const before = new Date().toISOString()
    expect(await ok('audit', 'review', '3', '--reason', 'right: it was down')).toMatch(
      /^reviewed act_\w+ \(audit_seq 3\) {2}rev_\w+$/,
    )
    await ok('audit', 'pack', 'pack.zip', '--since', before)
    const { 'answers.txt': text, 'entries.jsonl': bundle } = unpacked(path('pack.zip'))
    const lines = bundle!.trim().split('\n').slice(1)
    const entries = lines.map(line => JSON.parse((JSON.parse(line) as Line).entry) as { kind: string })
    expect(entries.map(({ kind }) => kind)).toEqual([
      'release.registered',
      'policy.set',
      'decision',
      'action.reviewed',
    ])
    expect(text).toContain('Nothing was promoted or rolled back.')
    expect(text).toContain('it is not signed')
    if (hasPython) {
      for (const [file, content] of Object.entries(unpacked(path('pack.zip'))))
        writeFileSync(path(file), content)
      const args = ['verify.py', 'entries.jsonl', '--answers', 'answers.txt', '--decisions', 'decisions.csv']
      const { status, stdout, stderr } = spawnSync('python3', args, { cwd: path('.'), encoding: 'utf8' })
      expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('the 0 rows of the decisions')])
    }
  })

  test('brings the entries of a rollout, also where that began before', async () => {
    const { ok, path, write: put } = copyOf(made.workspace)
    put(
      'loose.yaml',
      'policy_id: loose\nrequire_high_diff_confidence: false\nmax_latency_increase_pct: 0.2\n',
    )
    await ok('policy', 'set', 'loose.yaml')
    const place = ['--env', 'local', '--reason', 'cheaper', '--hold', '5%', '--hold-for', '7d']
    const plan = ['--steps', '0%:1h,50%:2h', '--max-duration', '30d']
    const begun = await ok('release', 'rollout', 'start', made.candidate, ...place, ...plan)
    const id = /rol_\w+/.exec(begun)![0]
    await ok('release', 'rollout', 'pause', id, '--reason', 'lunch')
    const between = new Date().toISOString()
    await ok('release', 'rollout', 'resume', id, '--reason', 'coffee')
    await ok('release', 'rollout', 'abort', id, '--reason', 'complaints')
    await ok('audit', 'pack', 'all.zip', '--since', '2020-01-01')
    await ok('audit', 'pack', 'late.zip', '--since', between)
    for (const name of ['all.zip', 'late.zip']) {
      const { 'entries.jsonl': bundle } = unpacked(path(name))
      const entries = bundle!
        .trim()
        .split('\n')
        .slice(1)
        .map(line => JSON.parse((JSON.parse(line) as Line).entry) as { kind: string; subject: string })
      expect(entries.filter(({ subject }) => subject === id).map(({ kind }) => kind)).toEqual([
        'rollout.started',
        'rollout.paused',
        'rollout.resumed',
        'rollout.aborted',
      ])
    }
    if (hasPython) {
      const { 'entries.jsonl': bundle, 'verify.py': program } = unpacked(path('late.zip'))
      put('verify.py', program!)
      put('entries.jsonl', bundle!)
      const { status } = spawnSync('python3', [path('verify.py'), path('entries.jsonl')])
      expect(status).toBe(0)
    }
  })

  test.skipIf(!hasPython)('holds by its own verifier, and not with one byte changed', async () => {
    const { ok, path } = copyOf(made.workspace)
    await ok('audit', 'pack', 'pack.zip', '--since', '2020-01-01', '--sign', 'key.pem')
    const { 'entries.jsonl': bundle, 'verify.py': program } = unpacked(path('pack.zip'))
    writeFileSync(path('verify.py'), program!)
    const verified = (text: string): [number | null, string] => {
      writeFileSync(path('entries.jsonl'), text)
      const { status, stdout, stderr } = spawnSync(
        'python3',
        [path('verify.py'), path('entries.jsonl'), '--key', path('key.pem.pub')],
        { encoding: 'utf8' },
      )
      return [status, stdout + stderr]
    }
    const lines = bundle!.trim().split('\n').length - 1
    expect(verified(bundle!)).toEqual([
      0,
      expect.stringContaining(`HOLDS: ${lines} of ${lines} entries, 3 of them decisions`),
    ])
    for (const [from, to] of [
      ['fire', 'fine'],
      [String.raw`"forced\":true`, String.raw`"forced\":tru3`],
      [String.raw`\n7\n`, String.raw`\n8\n`],
      ['"proof":["', '"proof":["A'],
    ] as const) {
      expect(bundle).toContain(from)
      expect(verified(bundle!.replace(from, to))).toEqual([1, expect.stringContaining('DOES NOT HOLD')])
    }
  })

  test.skipIf(!hasPython)('has answers that its verifier compares with the entries', async () => {
    const { ok, path } = copyOf(made.workspace)
    await ok('audit', 'review', '3', '--reason', 'it was down')
    await ok('audit', 'pack', 'pack.zip', '--since', '2020-01-01')
    const files = unpacked(path('pack.zip'))
    for (const name of ['verify.py', 'entries.jsonl']) writeFileSync(path(name), files[name]!)
    const compared = (text: string): [number | null, string] => {
      writeFileSync(path('answers.txt'), text)
      const args = [path('verify.py'), path('entries.jsonl'), '--answers', path('answers.txt')]
      const { status, stdout, stderr } = spawnSync('python3', args, { encoding: 'utf8' })
      return [status, stdout + stderr]
    }
    const text = files['answers.txt']!
    expect(compared(text)).toEqual([
      0,
      expect.stringContaining('the 3 decisions of the answers are those of entries 1 to '),
    ])
    for (const [from, to] of [
      [': fire', ': fine'],
      ['by tester', 'by another'],
      ['; passed;', '; blocked;'],
      ['reviewed by tester', 'not reviewed'],
      ['] promote', '] rollback'],
    ] as const) {
      expect(text).toContain(from)
      expect([from, ...compared(text.replace(from, to))]).toEqual([
        from,
        1,
        expect.stringMatching(/^DOES NOT HOLD: answers, line \d+: entry \d+ says otherwise: /),
      ])
    }
    const table = files['decisions.csv']!
    const tabled = (csv: string): string => {
      writeFileSync(path('answers.txt'), text)
      writeFileSync(path('decisions.csv'), csv)
      const args = ['verify.py', 'entries.jsonl', '--answers', 'answers.txt', '--decisions', 'decisions.csv']
      const { stdout, stderr } = spawnSync('python3', args, { cwd: path('.'), encoding: 'utf8' })
      return stdout + stderr
    }
    expect(tabled(table)).toContain('the 3 rows of the decisions are those of entries 1 to ')
    for (const [from, to, name] of [
      [',forced,', ',passed,', 'result'],
      [/(,open,)[0-9a-f]{2}/, '$1zz', 'policy_sha256'],
      [/,[0-9a-f]{64},open/, `,${'0'.repeat(64)},open`, 'record_sha256'],
      [',fire,', ',fine,', 'reason'],
    ] as const) {
      expect(tabled(table.replace(from, to))).toMatch(
        new RegExp(`^DOES NOT HOLD: decisions, row \\d+: entry \\d+ says otherwise: ${name}\\n$`),
      )
    }
    expect(tabled(table.split('\r\n').toSpliced(2, 1).join('\r\n'))).toContain(
      'the decisions leave out the decision',
    )
    const lines = text.split('\n').filter(line => !line.includes(': second'))
    expect(compared(lines.join('\n'))).toEqual([1, expect.stringContaining('leave out the decision')])
    expect(compared(text.replace(/ {3}\[\d+\]/, '   [99]'))).toEqual([
      1,
      expect.stringContaining('entry 99 is no decision'),
    ])
  })

  test('is the same over HTTP', async () => {
    const workspace = copyOf(made.workspace)
    const server = await startService(workspace)
    const remote = ['--url', server.url] as const
    await workspace.ok('audit', 'review', '3', '--reason', 'seen', ...remote)
    await workspace.ok('audit', 'pack', 'far.zip', '--since', '2020-01-01', ...remote)
    await workspace.ok('audit', 'pack', 'here.zip', '--since', '2020-01-01')
    const [far, here] = ['far.zip', 'here.zip'].map(name => unpacked(workspace.path(name)))
    const untimed = (text: string): string => text.replaceAll(/(?:time |to )\d{4}-[\dT:.-]+Z/g, '')
    for (const [name, text] of Object.entries(here!)) expect(untimed(far![name]!)).toBe(untimed(text))
    expect(Object.keys(far!)).toEqual(Object.keys(here!))
  })

  test.each([
    [
      'a time that is none',
      ['--since', 'yesterday'],
      /--since must be a day, a time or how long ago, such as 2026-01-31/,
    ],
    [
      'a time to come',
      ['--since', '2999-01-01'],
      /--since 2999-01-01 is in the future: by the service's clock it is 20/,
    ],
    ['no time', [], /--since is required/],
  ])('refuses %s', async (_, args, message) => {
    const { svc, has } = copyOf(made.workspace)
    const { code, stderr } = await svc('audit', 'pack', 'pack.zip', ...args)
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)])
    expect(has('pack.zip')).toBe(false)
  })

  test.each([
    ['a decision', 'UPDATE actions SET policy_passed = 0 WHERE audit_seq = 2', /^svc: act_\w+ was changed/],
    ['a price table', "UPDATE pricing_imports SET new_pricing_json = '{}'", /^svc: pim_\w+ was changed/],
    [
      'a policy that is gone',
      'DELETE FROM policy_history',
      /^svc: pol_\w+ was changed .*: the row is missing/,
    ],
    [
      'an entry',
      "UPDATE audit_log SET record_json = replace(record_json, 'second', 'first') WHERE kind = 'decision'",
      /^svc: The audit log fails its checks/,
    ],
  ])('refuses %s that was changed in the database, as export does', async (_what, edit, message) => {
    const workspace = copyOf(made.workspace)
    await withDatabase(workspace, async client => {
      const { rows } = await client.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
      for (const { name } of rows) await client.execute(`DROP TRIGGER ${name as string}`)
      await client.execute(edit)
      for (const { sql } of rows) await client.execute(sql as string)
    })
    for (const args of [['pack', 'out', '--since', '2020-01-01'], ['export', 'out'], ['verify']].slice(
      0,
      message.source.includes('log') ? 2 : 3,
    )) {
      const { code, stderr } = await workspace.svc(
        'audit',
        ...args,
        ...(args.length === 1 ? [] : ['--sign', 'key.pem']),
      )
      expect([args[0], code, stderr]).toEqual([args[0], 1, expect.stringMatching(message)])
      expect([workspace.has('out'), workspace.has('out.part')]).toEqual([false, false])
    }
  })

  test('refuses a span without entries, a file that exists and a place that is none', async () => {
    const { svc, has, read, write: put } = copyOf(made.workspace)
    const now = new Date().toISOString()
    expect((await svc('audit', 'pack', 'pack.zip', '--since', now)).stderr).toMatch(
      /has no entry since .*: the newest is of 20.*Choose an earlier --since/,
    )
    put('there.zip', 'mine')
    expect((await svc('audit', 'pack', 'there.zip', '--since', '2020-01-01')).stderr).toContain(
      'there.zip exists already; choose another name',
    )
    expect(read('there.zip')).toBe('mine')
    expect((await svc('audit', 'pack', 'none/pack.zip', '--since', '2020-01-01')).stderr).toContain(
      "none/pack.zip can't be written: there is no such file or folder",
    )
    expect(has('pack.zip')).toBe(false)
  })
})
