import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, test } from 'vitest'
import type { Watch } from '../../../../src/features/watch/models.ts'
import { eventOf } from '../../../support/services/builders.ts'
import {
  type Workspace,
  atTerminal,
  copyOf,
  runSvc,
  spawnSvc,
  twoReleases,
  withDatabase,
} from '../../../support/processes/cli.ts'

const made = await twoReleases(undefined, 0)
const { baseline, candidate } = made
const DECISION = ['--env', 'local', '--window', '1h', '--reason', 'ready'] as const
const HERE = ['bot', '--env', 'local'] as const

await send(made.workspace, 'before', baseline, 300, { from: -600_000, latency: 100 })
// Earlier days, in the slot of ten minutes that runs of these tests are in, and those around it.
for (let day = 1; day <= 4; day++) {
  for (const minutes of [-10, 0, 10]) {
    const from = -day * 86_400_000 - 500_000 + 60_000 * minutes
    await send(made.workspace, `day-${day}-${minutes}`, baseline, 60, { from, latency: 100 })
  }
}
made.workspace.write('policy.yaml', { require_high_diff_confidence: false })
await made.workspace.ok('policy', 'set', 'policy.yaml')
await made.workspace.ok('release', 'promote', baseline, ...DECISION)
await made.workspace.ok('release', 'promote', candidate, ...DECISION)

/** Runs of a release from so many ms before or after now, whose latencies vary. */
async function send(
  workspace: Workspace,
  name: string,
  release_id: string,
  count: number,
  { from, latency }: { from: number; latency: number },
): Promise<void> {
  const events = Array.from({ length: count }, (_, index) =>
    JSON.stringify(
      eventOf({
        release_id,
        run_id: `${name}-${index}`,
        at: Date.now() + from + index,
        latency: latency + (index % 9),
      }),
    ),
  )
  workspace.write(`${name}.jsonl`, `${events.join('\n')}\n`)
  await workspace.ok('runs', 'ingest', `${name}.jsonl`)
}

/** Puts the watch of a workspace an hour back, so that it looks for the last time now. */
async function anHourLater(workspace: Workspace): Promise<void> {
  await withDatabase(workspace, async client => {
    await client.execute(
      'UPDATE watches SET started_at = started_at - 3600000, ends_at = ends_at - 3600000, due_at = 0',
    )
  })
}

async function watchesOf(workspace: Workspace): Promise<Watch[]> {
  const { watches } = JSON.parse(await workspace.ok('release', 'watches', '--output', 'json')) as {
    watches: Watch[]
  }
  return watches
}

describe.concurrent('svc release watch', () => {
  test('begins one, lists it, and ends it', async () => {
    const workspace = copyOf(made.workspace)
    const begun = await workspace.svc('release', 'watch', ...HERE, '--for', '1h', '--min-runs', '80')
    expect(begun).toMatchObject({ code: 0, stderr: expect.stringMatching(/svc serve.*--follow/) })
    expect(begun.stdout).toMatch(
      new RegExp(
        `^wch_\\w{12}  bot in local: ${candidate} against ${baseline} until \\S+ \\S+ UTC\n(by its end it finds half of all rises of .*\n)?$`,
      ),
    )
    const [watch] = (await watchesOf(workspace)) as [Watch]
    expect(watch).toMatchObject({
      state: 'watching',
      min_runs: 80,
      auto_rollback: false,
      started_by: 'tester',
    })
    expect((await workspace.svc('release', 'watch', ...HERE)).stderr).toMatch(/watches bot in local already/)
    const line = await workspace.ok('release', 'watches', '--state', 'watching')
    expect(line.split('\t').slice(0, 6)).toEqual([
      watch.watch_id,
      'watching',
      'bot',
      'local',
      candidate,
      baseline,
    ])
    expect(await workspace.ok('release', 'cancel', watch.watch_id, '--reason', 'moved')).toBe(
      `${watch.watch_id} ended`,
    )
    expect(await watchesOf(workspace)).toMatchObject([
      { state: 'inconclusive', ended_because: 'cancelled: moved' },
    ])
    const again = await workspace.svc('release', 'cancel', watch.watch_id, '--reason', 'moved')
    expect(again).toMatchObject({ code: 1, stderr: expect.stringMatching(/has ended already/) })
    expect((await workspace.svc('release', 'cancel', 'act_1', '--reason', 'moved')).stderr).toMatch(
      /act_1 names no watch \(wch_…\) and no promotion request \(prq_…\)\./,
    )
    expect((await runSvc(['release', 'watches', '--env', 'prod'], workspace.folder)).stderr).toMatch(
      /^svc: no watches/,
    )
  })

  test('--follow checks itself where the ledger is here, and says how it ended', async () => {
    const workspace = copyOf(made.workspace)
    await workspace.ok('release', 'watch', ...HERE, '--for', '1h', '--auto-rollback')
    await anHourLater(workspace)
    await send(workspace, 'slow', candidate, 60, { from: -500_000, latency: 150 })
    const { code, stdout, stderr } = await workspace.svc('release', 'watch', ...HERE, '--follow')
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    const [headline, check, end, ...more] = stdout.trimEnd().split('\n')
    expect(headline).toMatch(/ until .* UTC, rolls back on a regression$/)
    expect(check).toMatch(
      /^\S+Z {2}check 1 {2}cost_per_run_usd .*; latency_ms \+48\.\d %, at least \+4\d\.\d %, limit 0\.0 % \(n \d+ baseline, 60 candidate\) REGRESSED; error_rate /,
    )
    expect(end).toMatch(/^ROLLED BACK {2}latency_ms \+48/)
    expect(more).toEqual([])
    expect(await workspace.ok('release', 'promoted')).toMatch(new RegExp(`\t${baseline}\t`))
  })

  test('--follow says why a rollback is blocked, and when it is tried again', async () => {
    const workspace = copyOf(made.workspace)
    await workspace.ok('release', 'watch', ...HERE, '--for', '2h', '--auto-rollback')
    await send(workspace, 'slow', candidate, 60, { from: -500_000, latency: 150 })
    const unusable = eventOf({
      release_id: candidate,
      run_id: 'stray',
      at: Date.now() - 1000,
      agent_id: 'bto',
    })
    workspace.write('stray.jsonl', JSON.stringify(unusable))
    await workspace.ok('runs', 'ingest', 'stray.jsonl')
    await anHourLater(workspace)
    const { code, stdout } = await workspace.svc('release', 'watch', ...HERE, '--follow')
    expect(code).toBe(1)
    const [regressed, blocked, again, command] = stdout.trimEnd().split('\n').slice(-4)
    expect(regressed).toMatch(/^REGRESSED {2}latency_ms/)
    expect(blocked).toMatch(
      /^ {2}rollback blocked: Each side .* Or roll back without them: --exclude-unusable/,
    )
    expect(again).toMatch(/^ {2}it is tried again when that changes, and at \d{4}-\d\d-\d\d \d\d:\d\d UTC$/)
    // To check again begins no other watch, which would end that.
    const checked = await workspace.svc('release', 'watch', ...HERE, '--follow')
    expect(checked).toMatchObject({ code: 1, stdout: expect.stringContaining(again!) })
    const args = ['--env', 'local', '--window', '3h', '--reason', 'slow'] as const
    const barred = await workspace.svc('release', 'rollback', baseline, ...args)
    expect(barred).toMatchObject({ code: 1, stderr: expect.stringContaining('--exclude-unusable') })
    const done = await workspace.svc(...command!.trim().split(' ').slice(1))
    expect(done).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ROLLED BACK/),
      stderr: expect.stringMatching(/warning: baseline: left out 1 of 61 runs \(1\.6 %\): 1 of agent bto;/),
    })
  })

  test('svc status says that what a promotion has watched since regressed', async () => {
    const workspace = copyOf(made.workspace)
    await workspace.ok('release', 'promote', baseline, ...DECISION)
    workspace.write('policy.yaml', { require_high_diff_confidence: false, watch: { for: '1h' } })
    await workspace.ok('policy', 'set', 'policy.yaml')
    await workspace.ok('release', 'promote', candidate, ...DECISION)
    const wrong = async () =>
      (JSON.parse(await workspace.ok('status', '--output', 'json')) as { wrong: object[] }).wrong
    const regressed = {
      text: expect.stringContaining(`${candidate} is live and regressed: latency_ms`) as string,
    }
    // Not put back, as others here: how close it begins to the promotion is what this is about.
    await withDatabase(workspace, async client => {
      await client.execute('UPDATE watches SET due_at = 0')
    })
    await send(workspace, 'slow', candidate, 60, { from: 0, latency: 150 })
    expect((await workspace.svc('release', 'watch', ...HERE, '--follow')).code).toBe(1)
    expect(await wrong()).toContainEqual(expect.objectContaining(regressed))
    await workspace.ok('release', 'rollback', baseline, ...DECISION)
    expect(await wrong()).not.toContainEqual(expect.objectContaining(regressed))
  })

  test('is drawn at a terminal, and what it found is its exit code', async () => {
    const workspace = copyOf(made.workspace)
    await workspace.ok('release', 'watch', ...HERE, '--for', '1h')
    await anHourLater(workspace)
    const drawn = await atTerminal(140, workspace.folder, 'release', 'watch', ...HERE, '--follow')
    expect(drawn).toMatch(
      /\n\d+ of 60 minutes, 1 check\n +change +at least +limit +would see +runs +last checks\n/,
    )
    expect(drawn).toMatch(/\nINCONCLUSIVE {2}too few runs: 0 of the release/)
    await workspace.ok('release', 'watch', ...HERE, '--for', '1h')
    await anHourLater(workspace)
    const follow = ['release', 'watch', ...HERE, '--follow', '--detailed-exitcode', '--output', 'json']
    const { code, stdout } = await workspace.svc(...follow)
    expect(code).toBe(4)
    expect(JSON.parse(stdout)).toMatchObject({ state: 'inconclusive', history: [{ number: 1 }] })
  })

  test('--follow ends at Ctrl-C, and the watch goes on', async () => {
    const workspace = copyOf(made.workspace)
    const child = spawnSvc(['release', 'watch', ...HERE, '--follow'], { cwd: workspace.folder })
    const closed = once(child, 'close')
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    await once(createInterface({ input: child.stdout }), 'line')
    child.kill('SIGINT')
    expect((await closed)[0]).toBe(130)
    expect(stderr).toMatch(/^svc: wch_\w{12} continues/m)
    expect(await watchesOf(workspace)).toMatchObject([{ state: 'watching' }])
  })

  test('tells of the watch that a promotion began', async () => {
    const workspace = copyOf(made.workspace)
    workspace.write('policy.yaml', { require_high_diff_confidence: false, watch: { for: '2h' } })
    await workspace.ok('policy', 'set', 'policy.yaml')
    const back = await workspace.svc('release', 'promote', baseline, ...DECISION)
    expect(back.stderr).toMatch(/^svc: wch_\w{12} watches it; `svc release watch bot --env local --follow`/)
  })
})
