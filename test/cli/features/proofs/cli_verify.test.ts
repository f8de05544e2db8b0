import { createHash } from 'node:crypto'
import type { Client } from '@libsql/client/sqlite3'
import { expect, test } from 'vitest'
import { type Workspace, copyOf, twoReleases, withDatabase } from '../../../support/processes/cli.ts'

const made = await twoReleases()
const { ok: prepare } = made.workspace
await prepare('audit', 'keygen', 'key.pem')
await prepare('release', 'promote', made.baseline, '--env', 'local', '--window', '1h', '--reason', 'first')
/** Signed, when there were the entries of two releases, their prices and a decision. */
const EARLIER = await prepare('audit', 'checkpoint', '--sign', 'key.pem')
made.workspace.write('policy.yaml', 'policy_id: later\n')
await prepare('policy', 'set', 'policy.yaml')
const LATER = await prepare('audit', 'checkpoint', '--sign', 'key.pem')

/** A copy of the ledger with both checkpoints in a file. */
function kept(...checkpoints: string[]): Workspace {
  const workspace = copyOf(made.workspace)
  workspace.write('kept.txt', (checkpoints.length === 0 ? [EARLIER, LATER] : checkpoints).join('\n\n') + '\n')
  return workspace
}

const ARGS = ['audit', 'verify', '--checkpoint', 'kept.txt', '--key', 'key.pem.pub'] as const

/** Changes entries as the owner of the file could who knows the format: recomputes all hashes behind them. */
async function rewrite(
  workspace: Workspace,
  from: number,
  change: (record: Record<string, unknown>) => object,
) {
  await withDatabase(workspace, async client => {
    const triggers = await withoutTriggers(client)
    const { rows } = await client.execute('SELECT log_seq, record_json FROM audit_log ORDER BY log_seq')
    let previous = ''
    for (const row of rows) {
      const record = JSON.parse(row.record_json as string) as Record<string, unknown>
      const changed = { ...(record.log_seq === from ? change(record) : record), prev_hash: previous }
      const json = JSON.stringify(Number(row.log_seq) < from ? record : changed)
      previous = createHash('sha256').update(json).digest('hex')
      await client.execute({
        sql: 'UPDATE audit_log SET record_json = ?, hash = ? WHERE log_seq = ?',
        args: [json, previous, row.log_seq!],
      })
    }
    await client.execute({ sql: 'UPDATE audit_head SET log_hash = ?', args: [previous] })
    for (const trigger of triggers) await client.execute(trigger)
  })
}

/** Takes the triggers off and returns how they are put back. */
async function withoutTriggers(client: Client): Promise<string[]> {
  const { rows } = await client.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
  for (const { name } of rows) await client.execute(`DROP TRIGGER ${name as string}`)
  return rows.map(row => row.sql as string)
}

test('svc audit verify proves that the ledger extends what was kept', async () => {
  const { svc, ok } = kept()
  const verified = await svc(...ARGS)
  expect(verified).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /^5 entries are valid, the last is [0-9a-f]{64}\nit extends 2 checkpoints, signed by the key\n$/,
    ),
    stderr: '',
  })
  expect(await ok('audit', 'verify', '--checkpoint', 'kept.txt')).toContain(
    '; no key was given, so the checkpoints may be forged',
  )
  expect(await ok('audit', 'verify')).toContain(
    'no checkpoint was given, so a completely rewritten log would pass',
  )
})

test.each([
  {
    what: 'an entry that was changed with all hashes behind it',
    change: (workspace: Workspace) => rewrite(workspace, 4, record => ({ ...record, reason: 'other' })),
    says: /^svc: rewritten: an entry from 1 to 4 is not what it was at checkpoint 1 \(20\S+\), though all follow one another\nsvc: rewritten: an entry from 1 to 5 /,
  },
  {
    what: 'the same behind the first checkpoint',
    change: (workspace: Workspace) => rewrite(workspace, 5, record => ({ ...record, reason: 'other' })),
    says: /^svc: rewritten: an entry from 5 to 5 is not what it was at checkpoint 2 /,
  },
  {
    what: 'a chain that was written anew from its first entry',
    change: (workspace: Workspace) => rewrite(workspace, 1, record => ({ ...record, reason: 'other' })),
    says: /^svc: checkpoint 1 is of another ledger, or this one was rewritten: release-governance\/[0-9a-f]{32}, not /,
  },
  {
    what: 'a log that was cut',
    change: (workspace: Workspace) =>
      withDatabase(workspace, async client => {
        await withoutTriggers(client)
        await client.execute('DELETE FROM audit_log WHERE log_seq = 5')
        await client.execute(
          'UPDATE audit_head SET log_seq = 4, log_hash = (SELECT hash FROM audit_log WHERE log_seq = 4)',
        )
      }),
    says: /^svc: truncated: the log has 4 entries, at checkpoint 2 \(20\S+\) it had 5\n$/,
  },
  {
    what: 'a record that is not what its hash says',
    change: (workspace: Workspace) =>
      withDatabase(workspace, async client => {
        await withoutTriggers(client)
        await client.execute(
          "UPDATE audit_log SET record_json = replace(record_json, 'first', 'other') WHERE log_seq = 4",
        )
      }),
    says: /^svc: log_seq 4: its record does not match its hash\n$/,
  },
  {
    what: 'an entry that is missing',
    change: (workspace: Workspace) =>
      withDatabase(workspace, async client => {
        await withoutTriggers(client)
        await client.execute('DELETE FROM audit_log WHERE log_seq = 3')
      }),
    says: /^svc: log_seq 3 is missing\n$/,
  },
])('svc audit verify names $what', async ({ change, says }) => {
  const workspace = kept()
  await change(workspace)
  const { code, stdout, stderr } = await workspace.svc(...ARGS)
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(says) })
})

test('svc audit checkpoint > FILE is a signed note, and >> FILE one behind the other', async () => {
  const workspace = copyOf(made.workspace)
  const { stdout } = await workspace.svc('audit', 'checkpoint', '--sign', 'key.pem')
  // As Go's note.Open has it: the signatures are the last lines.
  expect(stdout).toMatch(/^release-governance\/[^\n]+\n(?:[^\n]+\n){4}\n— [^\n]+\n$/)
  workspace.write('kept.txt', stdout + stdout)
  const { code, stdout: said } = await workspace.svc(...ARGS)
  expect([code, said]).toEqual([0, expect.stringContaining('it extends 2 checkpoints, signed by the key')])
})

test('svc audit verify names checkpoints that fork, and those that the key has not signed', async () => {
  const other = copyOf(made.workspace)
  await rewrite(other, 5, record => ({ ...record, reason: 'other' }))
  const fork = await other.ok('audit', 'checkpoint', '--sign', 'key.pem')
  const forked = await kept(EARLIER, LATER, fork).svc(...ARGS)
  expect([forked.code, forked.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^svc: fork: checkpoints 2 and 3 have 5 entries and another root each\nsvc: checkpoint 3 .* is not of this log, which is as another one of 5 entries says$/m,
    ),
  ])
  await other.ok('audit', 'keygen', 'other.pem')
  const foreign = await copyOf(made.workspace).ok('audit', 'checkpoint')
  const wrong = [
    LATER.replace('\n5\n', '\n4\n'),
    await other.ok('audit', 'checkpoint', '--sign', 'other.pem'),
    foreign,
  ]
  for (const one of wrong) {
    const { code, stderr } = await kept(one).svc(...ARGS)
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('svc: checkpoint 1 is not signed by this key\n'),
    ])
  }
})

test('svc audit verify refuses what is no checkpoint, and a key without one', async () => {
  const workspace = kept('nothing')
  const odd = await workspace.svc(...ARGS)
  expect([odd.code, odd.stderr]).toEqual([1, 'svc: kept.txt: number 1 is not a checkpoint of a ledger.\n'])
  const alone = await workspace.svc('audit', 'verify', '--key', 'key.pem.pub')
  expect([alone.code, alone.stderr]).toEqual([
    1,
    'svc: --key checks what --checkpoint or --bundle names: give either.\n',
  ])
})
