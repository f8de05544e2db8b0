import { readFileSync, readdirSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { DAY_MS, isoTime } from '../../../src/base/time.ts'
import { eventOf } from '../../support/services/builders.ts'
import {
  SMALL_SAMPLES,
  type Workspace,
  copyOf,
  twoReleases,
  withDatabase,
} from '../../support/processes/cli.ts'

const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS
/** Events of two tenants on each of three days, each of two releases. */
const old = await withOldEvents()

describe.concurrent('svc runs prune', () => {
  test('says what would go, archives it by day, and removes it', async () => {
    const workspace = copyOf(old.workspace)
    const day = isoTime(TODAY - 2 * DAY_MS).slice(0, 10)
    const args = ['runs', 'prune', '--older-than', '2d', '--archive', 'archive']
    const dry = await workspace.svc(...args, '--dry-run')
    expect(dry).toMatchObject({
      code: 0,
      stdout: `would remove 40 run events before ${day}, 4 days of releases\n`,
    })
    expect(workspace.has('archive')).toBe(false)
    const done = await workspace.svc(...args)
    expect(done).toMatchObject({
      code: 0,
      stdout: `removed 40 run events before ${day}, 4 days of releases\n`,
    })
    const exported = await workspace.svc('runs', 'export', old.baseline, '--window', '5d')
    expect(exported.stderr).toContain(`svc: warning: run events before ${day} were pruned or erased`)
    const names = readdirSync(workspace.path('archive')).sort()
    expect(names).toEqual([4, 3].map(daysAgo => `${isoTime(TODAY - daysAgo * DAY_MS).slice(0, 10)}.jsonl.gz`))
    for (const name of names) {
      const lines = gunzipSync(readFileSync(workspace.path(`archive/${name}`)))
        .toString()
        .trimEnd()
        .split('\n')
      expect(lines).toHaveLength(20)
      for (const line of lines)
        expect(JSON.parse(line)).toMatchObject({ timestamp: expect.stringContaining(name.slice(0, 10)) })
    }
    expect((await workspace.svc('doctor', '--deep')).code).toBe(0)
    expect((await workspace.svc(...args)).stdout).toBe(
      `removed 0 run events before ${day}, 0 days of releases\n`,
    )
  })

  test('removes the cases of old imports of scores with them, but for the newest of a suite', async () => {
    const workspace = copyOf(old.workspace)
    for (const passed of [true, false]) {
      workspace.write('cases.jsonl', `${JSON.stringify({ id: 'a', passed })}\n`)
      await workspace.ok('scores', 'import', 'cases.jsonl', '--release', old.baseline, '--suite', 's')
    }
    const cases = 'the cases of 1 import of scores before'
    const dry = await workspace.svc('runs', 'prune', '--older-than', '2d', '--dry-run')
    expect(dry.stdout).not.toContain(cases)
    await withDatabase(workspace, db =>
      db.execute(`UPDATE score_imports SET created_at = created_at - ${5 * DAY_MS}`),
    )
    const late = await workspace.svc('runs', 'prune', '--older-than', '2d', '--dry-run')
    expect(late.stdout).toContain(`would remove ${cases}`)
    const { stdout } = await workspace.svc('runs', 'prune', '--older-than', '2d', '--output', 'json')
    expect(JSON.parse(stdout)).toMatchObject({ events: 40, parts: { score_cases: 1 }, dry_run: false })
  })

  // Below /proc nothing can be made, of which Node's own recursive mkdir never makes an end.
  test.each(['file/archive', ...(process.platform === 'linux' ? ['/proc/archive'] : [])])(
    'removes nothing where no archive can be: %s',
    async archive => {
      const workspace = copyOf(old.workspace)
      workspace.write('file', '')
      const { code, stderr } = await workspace.svc(
        'runs',
        'prune',
        '--older-than',
        '2d',
        '--archive',
        archive,
      )
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/^svc: The archive's folder .*archive can't be made: /),
      })
      expect((await workspace.svc('doctor', '--deep')).code).toBe(0)
    },
  )

  test('archives and restores texts that hold what else could end a line', async () => {
    const workspace = copyOf(old.workspace)
    const odd = { run_id: 'odd', at: TODAY - 3 * DAY_MS, tenant_id: 'a\u2028b\u2029c\u0085d' }
    workspace.write('odd.jsonl', JSON.stringify(eventOf({ release_id: old.baseline, ...odd })))
    await workspace.ok('runs', 'ingest', 'odd.jsonl')
    const before = await workspace.ok('runs', 'export', old.baseline, '--window', '9d')
    await workspace.ok('runs', 'prune', '--older-than', '2d', '--archive', 'archive')
    await restored(workspace)
    expect(await workspace.ok('runs', 'export', old.baseline, '--window', '9d')).toBe(before)
  })

  test('lists and diffs that reach back further say so, also in text', async () => {
    const { baseline, candidate, workspace: before } = old
    const workspace = copyOf(before)
    const lack = 'run events before \\d{4}-\\d\\d-\\d\\d were pruned or erased, so this'
    const list = () => workspace.svc('runs', 'list', baseline, '--window', '9d')
    const diff = () =>
      workspace.ok('release', 'diff', baseline, candidate, '--window', '9d', '--tenant', 'zeta')
    expect((await list()).stderr).not.toContain('warning')
    expect(await diff()).not.toContain('pruned')
    await workspace.ok('runs', 'prune', '--older-than', '2d', '--archive', 'archive')
    expect((await list()).stderr).toMatch(new RegExp(`^svc: warning: ${lack} list may lack them`))
    expect(await diff()).toMatch(new RegExp(`^warning     baseline: ${lack} comparison by tenant`, 'm'))
  })

  test('without an age says where to put one', async () => {
    const { code, stderr } = await copyOf(old.workspace).svc('runs', 'prune')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'svc: Give an age with --older-than or retention.events in service.yaml.\n',
    })
  })

  test('an archive is read by runs ingest, where the ledger has not pruned', async () => {
    const workspace = copyOf(old.workspace)
    await workspace.ok('runs', 'prune', '--older-than', '2d', '--archive', 'archive')
    const [name] = readdirSync(workspace.path('archive'))
    workspace.write('day.jsonl', gunzipSync(readFileSync(workspace.path(`archive/${name}`))))
    const { workspace: other } = await twoReleases(SMALL_SAMPLES, 0)
    const { code, stdout } = await other.svc('runs', 'ingest', workspace.path('day.jsonl'))
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^20\b/) })
  })
})

/** Puts back all that was archived, and returns what was said of each file. */
async function restored(workspace: Workspace): Promise<string[]> {
  const said: string[] = []
  for (const name of readdirSync(workspace.path('archive')).sort())
    said.push(await workspace.ok('runs', 'ingest', `archive/${name}`, '--restored'))
  return said
}

describe.concurrent('svc runs ingest --restored', () => {
  test('brings back what was pruned, once', async () => {
    const workspace = copyOf(old.workspace)
    const before = await workspace.ok('runs', 'export', old.baseline, '--window', '9d')
    await workspace.ok('runs', 'prune', '--older-than', '2d', '--archive', 'archive')
    expect(await workspace.ok('runs', 'export', old.baseline, '--window', '9d')).not.toBe(before)
    const [once, again] = [
      'restored 20 run events, 0 were there already',
      'restored 0 run events, 20 were there already',
    ]
    expect(await restored(workspace)).toEqual([once, once])
    expect(await restored(workspace)).toEqual([again, again])
    expect(await workspace.ok('runs', 'export', old.baseline, '--window', '9d')).toBe(before)
    expect((await workspace.svc('doctor', '--deep')).code).toBe(0)
  })
})

describe.concurrent('svc runs erase', () => {
  test('takes a tenant out of the ledger, and what was archived of it does not come back', async () => {
    const workspace = copyOf(old.workspace)
    await workspace.ok('runs', 'prune', '--older-than', '2d', '--archive', 'archive')
    const said = await workspace.ok('runs', 'erase', '--tenant', 'zeta')
    expect(said).toMatch(/^era_\w{12} erased 10 run events$/)
    const [first] = await restored(workspace)
    expect(first).toBe(
      'restored 10 run events, 0 were there already, 10 were erased and stay erased; 2 days of releases are still incomplete',
    )
    expect(
      await workspace.ok('runs', 'list', old.baseline, '--window', '9d', '--output', 'json'),
    ).not.toContain('zeta')
    expect((await workspace.svc('doctor', '--deep')).code).toBe(0)
  })

  test('warns where there was nothing of the tenant, and records that it was asked for', async () => {
    const workspace = copyOf(old.workspace)
    expect(await workspace.svc('runs', 'erase', '--tenant', 'Zeta')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^era_\w{12} erased 0 run events\n$/),
      stderr: 'svc: warning: tenant Zeta has no run events; is the name right?\n',
    })
    expect(await workspace.ok('audit', 'log')).toContain('events.erased')
  })
})

test('svc ledger size lists every table with its growth', async () => {
  const workspace = copyOf(old.workspace)
  const { tables, bytes, free_bytes } = JSON.parse(await workspace.ok('ledger', 'size', '--output', 'json'))
  const events = tables.find((table: { name: string }) => table.name === 'run_events')
  expect(events).toMatchObject({ rows: 60, rows_per_day: 60 / 7 })
  expect(events.bytes).toBeGreaterThan(4096)
  expect(bytes).toBeGreaterThan(events.bytes)
  expect(free_bytes).toBeGreaterThan(0)
  expect(await workspace.ok('ledger', 'size')).toMatch(/^run_events\t60\t\d+\t9\t\d+$/m)
})

async function withOldEvents(): Promise<{ workspace: Workspace; baseline: string; candidate: string }> {
  const made = await twoReleases(SMALL_SAMPLES, 0)
  const lines = [made.baseline, made.candidate].flatMap(release_id =>
    [4, 3, 1].flatMap(daysAgo =>
      Array.from({ length: 10 }, (_, index) =>
        JSON.stringify(
          eventOf({
            release_id,
            run_id: `${release_id}-${daysAgo}-${index}`,
            at: TODAY - daysAgo * DAY_MS + index * 1000,
            tenant_id: index % 2 === 0 ? 'zeta' : 'other',
          }),
        ),
      ),
    ),
  )
  made.workspace.write('old.jsonl', `${lines.join('\n')}\n`)
  await made.workspace.ok('runs', 'ingest', 'old.jsonl')
  return made
}
