import { expect, test } from 'vitest'
import { eventOf } from '../../../support/services/builders.ts'
import { twoReleases, withDatabase } from '../../../support/processes/cli.ts'

test.concurrent('a rollout is started, listed, shown, paused, resumed and aborted', async () => {
  const { workspace, baseline, candidate } = await twoReleases(undefined, 0)
  const events = Array.from({ length: 480 }, (_, index) =>
    JSON.stringify(
      eventOf({ release_id: baseline, run_id: `run-${index}`, at: Date.now() - (index + 1) * 60_000 }),
    ),
  )
  workspace.write('runs.jsonl', `${events.join('\n')}\n`)
  workspace.write('policy.yaml', { require_high_diff_confidence: false, max_latency_increase_pct: 0.2 })
  await workspace.ok('runs', 'ingest', 'runs.jsonl')
  await workspace.ok('policy', 'set', 'policy.yaml')
  await workspace.ok('release', 'promote', baseline, '--env', 'local', '--window', '1h', '--reason', 'first')
  const start = (...args: string[]) =>
    workspace.svc('release', 'rollout', 'start', candidate, '--env', 'local', '--reason', 'cheaper', ...args)

  for (const [args, why] of [
    [['--steps', '50%:1h,20%:1h'], 'Invalid steps: steps must rise: 20%:1h comes after 50 %.'],
    [['--hold', '5%'], 'Invalid hold: hold and hold_for go together, such as 5% and 7d.'],
    [['--by', 'agent'], "--by must be session, tenant or user (it is 'agent')."],
    [['--max-duration', '2h'], 'This rollout would not complete within 2h:'],
  ] as const) {
    const { code, stdout, stderr } = await start(...args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(why)
  }
  const planned = await start('--dry-run')
  expect(planned.stdout).toMatch(/^dry run {2}bot in local: rel_\w+ next to rel_\w+, by session\n/)
  expect(await workspace.ok('release', 'rollout', 'list')).toBe('')

  const begin = () => start('--steps', '0%:1h,50%:2h', '--hold', '5%', '--hold-for', '7d')
  const { stdout } = await begin()
  const id = /^rol_\w+/.exec(stdout)![0]
  expect(stdout).toContain(`then 5 % stay on ${baseline} for 7d`)
  const verb = async (name: string) => {
    const said = await workspace.ok('release', 'rollout', name, id, '--reason', 'lunch')
    return said.trim()
  }
  expect(await verb('pause')).toBe(`${id} paused`)
  expect(await verb('resume')).toBe(`${id} running`)
  expect(await workspace.ok('release', 'rollout', 'list', '--state', 'running')).toContain(id)
  expect(await workspace.ok('release', 'rollout', 'show', id)).toMatch(/^rol_\w+ {2}RUNNING {2}bot in local/)
  expect(await verb('abort')).toBe(`${id} aborted`)
  const again = await workspace.svc('release', 'rollout', 'abort', id, '--reason', 'lunch')
  expect(again).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("is aborted: you can't abort it"),
  })

  const kept = /^rol_\w+/.exec((await begin()).stdout)![0]
  const promoted = async () => (await workspace.svc('release', 'promoted')).stderr
  expect(await promoted()).toBe(`svc: bot in local: 0 % of the sessions get ${candidate} (${kept})\n`)
  // Completed as by its last step, which takes longer than a test.
  const until = '2126-01-31 12:00'
  await withDatabase(workspace, client =>
    client.execute(`UPDATE rollouts SET state = 'completed', step = 2, hold_until = ${Date.parse(`${until}Z`)}
      WHERE rollout_id = '${kept}'`),
  )
  const split = `5 % of the sessions stay on ${baseline} until ${until} UTC`
  expect(await promoted()).toBe(`svc: bot in local: ${split} (${kept})\n`)
  const status = await workspace.ok('status')
  expect(status).toContain(`  bot in local: ${split}, after the rollout of ${candidate}\n`)
  expect(await workspace.ok('release', 'rollout', 'abort', kept, '--reason', 'lunch')).toBe(
    `${kept} completed: the hold has ended, all sessions get ${candidate}`,
  )
  expect(await promoted()).toBe('')
})
