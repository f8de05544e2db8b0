import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { releaseOf } from '../../support/services/builders.ts'
import {
  copyOf,
  makeWorkspace,
  startService,
  twoReleases,
  withDatabase,
} from '../../support/processes/cli.ts'

const ARGS = ['--window', '1h', '--reason', 'why'] as const
const made = await twoReleases(undefined, 0)

describe.concurrent('svc release history', () => {
  test('names who decided: USER, then USERNAME, else unknown', async () => {
    const workspace = copyOf(made.workspace)
    const users = [
      [{ USER: 'ann', USERNAME: 'win' }, 'ann'],
      [{ USER: '', USERNAME: 'win' }, 'win'],
      [{ USER: '  ', USERNAME: '' }, 'unknown'],
      [{ USER: ' ada@example.org ' }, 'ada@example.org'],
    ] as const
    for (const [index, [env, actor]] of users.entries()) {
      const promote = ['release', 'promote', made.baseline, '--env', `env-${index}`, ...ARGS]
      const { code, stderr: printed } = await workspace.svcWith({ env }, ...promote)
      const stderr = printed.replaceAll(/^svc: warning: .*\n/gm, '')
      const note = "svc: note: neither USER nor USERNAME is set, so the actor on record is 'unknown'\n"
      expect({ code, stderr }).toEqual({ code: 0, stderr: actor === 'unknown' ? note : '' })
    }
    const lines = (await workspace.ok('release', 'history')).split('\n')
    expect(lines.map(line => line.split('\t')[8])).toEqual(users.map(([, actor]) => actor).toReversed())
  })

  test('--header names the columns once, also where nothing is found', async () => {
    const { ok } = copyOf(made.workspace)
    for (const command of [
      ['release', 'history'],
      ['audit', 'log'],
    ]) {
      const [none, all] = [
        await ok(...command, '--agent', 'nobody', '--header'),
        await ok(...command, '--header'),
      ]
      expect(none).toMatch(/^seq\twhen \(UTC\)\t.*$/)
      expect(all.split('\n').filter(line => line.startsWith('seq\t'))).toEqual([none])
    }
  })

  test('--limit gives the newest, and a page of the service is no limit', async () => {
    const { ok } = copyOf(made.workspace)
    for (const env of ['a', 'b', 'c']) await ok('release', 'promote', made.baseline, '--env', env, ...ARGS)
    const all = await ok('release', 'history')
    expect(await ok('release', 'history', '--limit', '2')).toBe(all.split('\n').slice(0, 2).join('\n'))
    expect(await ok('release', 'history', '--limit', '600')).toBe(all)
    const json = JSON.parse(await ok('release', 'history', '--limit', '1', '--output', 'json')) as {
      actions: { audit_seq: number }[]
    }
    expect(json.actions.map(({ audit_seq }) => audit_seq)).toEqual([3])
  })

  test('prints tab-separated lines, newest first, and filters by agent and environment', async () => {
    const { write, ok, svc } = copyOf(made.workspace)
    write('cat.yaml', releaseOf({ agent: 'cat' }))
    const cat = await ok('release', 'register', 'cat.yaml')
    await ok('release', 'promote', made.baseline, '--env', 'prod', ...ARGS)
    await ok('release', 'promote', cat, '--env', 'prod', ...ARGS)
    await ok('release', 'promote', cat, '--env', 'dev', ...ARGS)
    const all = (await ok('release', 'history')).split('\n').map(line => line.split('\t'))
    expect(all.map(cells => [cells[0], ...cells.slice(2)])).toEqual([
      ['3', 'promote', 'first promotion', cat, 'cat', 'dev', '-', 'tester', 'why', '-'],
      ['2', 'promote', 'first promotion', cat, 'cat', 'prod', '-', 'tester', 'why', '-'],
      ['1', 'promote', 'first promotion', made.baseline, 'bot', 'prod', '-', 'tester', 'why', '-'],
    ])
    for (const [, time] of all) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const numbers = async (...filter: string[]) =>
      (await ok('release', 'history', ...filter)).split('\n').map(line => line.split('\t')[0])
    expect(await numbers('--env', 'prod')).toEqual(['2', '1'])
    expect(await numbers('--agent', 'cat')).toEqual(['3', '2'])
    expect(await numbers('--agent', 'cat', '--env', 'prod')).toEqual(['2'])
    const none = await svc('release', 'history', '--agent', 'nobody')
    expect(none).toMatchObject({ code: 0, stdout: '' })
  })

  test('says which rows were changed in the database, and not what they hold', async () => {
    const workspace = copyOf(made.workspace)
    await workspace.ok('release', 'promote', made.baseline, '--env', 'prod', ...ARGS)
    await workspace.svc('release', 'promote', made.candidate, '--env', 'prod', ...ARGS)
    await withDatabase(workspace, async client => {
      const { rows } = await client.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'actions'",
      )
      for (const { name } of rows) await client.execute(`DROP TRIGGER ${name as string}`)
      await client.execute(`UPDATE actions SET policy_passed = 1, policy_reasons = '[]' WHERE audit_seq = 2`)
    })
    const [second, first] = (await workspace.ok('release', 'history'))
      .split('\n')
      .map(line => line.split('\t'))
    expect([second![3], second![10]]).toEqual([
      'changed',
      'the row was changed in the database: its policy_passed, policy_reasons differs from its record',
    ])
    expect(first![3]).toBe('first promotion')
  })

  test('--output json has the evidence and the chain of hashes', async () => {
    const workspace = copyOf(made.workspace)
    await workspace.ok('release', 'promote', made.baseline, '--env', 'prod', ...ARGS)
    await workspace.svc('release', 'promote', made.candidate, '--env', 'prod', ...ARGS)
    const { actions } = JSON.parse(await workspace.ok('release', 'history', '--output', 'json')) as {
      actions: Record<string, any>[]
    }
    const [second, first] = actions
    expect(first).toMatchObject({ audit_seq: 1, actor: 'tester', actor_source: 'cli', prev_hash: '' })
    expect(second).toMatchObject({
      audit_seq: 2,
      policy_passed: false,
      prev_hash: first!.hash,
      evidence: {
        window: { text: '1h' },
        policy: { policy_id: 'default' },
        evaluation: {
          thresholds: { min_candidate_runs: 10, min_baseline_runs: 10, min_low_runs: 5 },
          confidence: 'LOW',
          baseline: { release_id: made.baseline },
          candidate: { release_id: made.candidate },
        },
      },
    })
    for (const { record_json, hash } of actions) {
      expect(
        createHash('sha256')
          .update(record_json as string)
          .digest('hex'),
      ).toBe(hash)
    }
  })

  test('has no limit: more actions than a page of the API come all', async () => {
    const workspace = copyOf(made.workspace)
    const service = await startService(workspace)
    const total = 501
    for (let number = 1; number <= total; number++) {
      const answer = await fetch(`${service.url}/v1/promote`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          release_id: made.baseline,
          environment: 'prod',
          window: '1h',
          reason: `number ${number}`,
        }),
      })
      await answer.text()
    }
    await service.stop()
    const lines = (await workspace.ok('release', 'history')).split('\n')
    expect(lines.map(line => Number(line.split('\t')[0]))).toEqual(
      Array.from({ length: total }, (_, index) => total - index),
    )
    const { actions } = JSON.parse(await workspace.ok('release', 'history', '--output', 'json')) as {
      actions: unknown[]
    }
    expect(actions).toHaveLength(total)
  })

  test('an empty trail says on stderr what comes next', async () => {
    const { svc } = makeWorkspace({})
    const { code, stdout, stderr } = await svc('release', 'history')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toContain('no actions yet')
    const narrowed = await svc('release', 'history', '--agent', 'typo', '--env', 'prod')
    expect(narrowed.stderr).toContain('no actions of typo in prod yet')
  })
})
