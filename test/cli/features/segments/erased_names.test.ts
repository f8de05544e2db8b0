import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../../src/base/time.ts'
import { MOST_SEGMENTS } from '../../../../src/features/segments/rules_segments.ts'
import { eventOf } from '../../../support/services/builders.ts'
import { type Workspace, twoReleases, withDatabase } from '../../../support/processes/cli.ts'
import { httpReceiver } from '../../../support/processes/http_receiver.ts'

/** No text of the program holds it. */
const TENANT = 'globex-wqz'
const WINDOW = ['--env', 'local', '--window', '24h'] as const

test('of an erased tenant no table, file, export, webhook or report holds the name', async () => {
  expect(MOST_SEGMENTS).toBeGreaterThan(6)
  const receiver = await httpReceiver()
  const { workspace, baseline, candidate } = await twoReleases(undefined, 0)
  await workspace.ok('webhook', 'add', '--url', receiver.url, '--event', 'promote.blocked')
  ingestRuns(workspace, [baseline, candidate])
  await workspace.ok('runs', 'ingest', 'runs.jsonl')
  await workspace.ok('runs', 'prune', '--older-than', '2d', '--archive', 'archive')
  await workspace.ok('release', 'promote', baseline, ...WINDOW, '--reason', 'first')
  workspace.write('policy.yaml', {
    require_high_diff_confidence: false,
    compare_by: 'tenant',
    max_latency_increase_pct: 0.5,
    max_segment_latency_increase_pct: 0.1,
  })
  await workspace.ok('policy', 'set', 'policy.yaml')
  const blocked = await workspace.svc('release', 'promote', candidate, ...WINDOW, '--reason', 'second')
  expect(blocked).toMatchObject({ code: 1, stdout: expect.stringMatching(/latency_ms of tenant \d+ /) })
  await receiver.arrived(1)

  const diff = await workspace.ok('release', 'diff', baseline, candidate, '--window', '24h')
  expect(diff).toContain(`is slower for tenant ${TENANT}`)
  const gate = ['release', 'gate', candidate, ...WINDOW]
  const report = await workspace.svc(...gate, '--output', 'markdown')
  expect(report.stdout).toMatch(/is slower for tenant \d+/)
  const kept = [report.stdout, blocked.stdout, blocked.stderr]

  await workspace.ok('runs', 'erase', '--tenant', TENANT)
  await workspace.ok('ledger', 'copy', '--from', '.service/service.db', '--to', 'copy.db')
  await workspace.ok('doctor', '--backup', 'backup.db')
  await workspace.ok('audit', 'export', 'audit.jsonl')
  const history = JSON.parse(await workspace.ok('release', 'history', '--output', 'json'))
  const attestation = await workspace.ok('release', 'attest', history.actions[0].action_id)
  kept.push(JSON.stringify(history), attestation, ...receiver.received.map(({ body }) => body))
  kept.push(await workspace.ok('release', 'diff', baseline, candidate, '--window', '24h', '--output', 'json'))
  expect(kept.filter(text => text.includes(TENANT))).toEqual([])
  expect(await everyRow(workspace)).not.toContain(TENANT)
  // The ledger itself keeps what it deleted in free pages until it is written again; docs/operating.md says so.
  // Archives keep what was pruned before: docs/operating.md says how a tenant is taken out of them.
  const own = /^(?:runs\.jsonl|archive\/.*|\.service\/service\.db(?:-wal|-shm)?)$/
  const files = readdirSync(workspace.folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(workspace.folder.length + 1))
    .filter(path => !own.test(path))
  expect(files).toEqual(expect.arrayContaining(['audit.jsonl', 'backup.db', 'copy.db']))
  expect(files.filter(path => contentOf(workspace.path(path)).includes(TENANT))).toEqual([])
})

/** Runs of the last hours that are slower for one tenant, and some of a week ago. */
function ingestRuns(workspace: Workspace, releases: readonly string[]): void {
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  const events = releases.flatMap((release_id, side) =>
    Array.from({ length: 900 }, (_, index) => {
      const tenant = index % 6
      const isOld = index < 12
      return eventOf({
        release_id,
        run_id: `${side}-${index}`,
        tenant_id: tenant === 3 ? TENANT : `tenant-${tenant}`,
        at: isOld ? hour - 7 * DAY_MS : hour - 20 * HOUR_MS + index * 75_000,
        latency: (500 + ((index * 91 + side * 13) % 97)) * (tenant === 3 && side === 1 ? 2 : 1),
      })
    }),
  )
  workspace.write('runs.jsonl', `${events.map(event => JSON.stringify(event)).join('\n')}\n`)
}

function contentOf(path: string): string {
  const bytes = readFileSync(path)
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1')
}

/** The rows of all tables of the ledger as one text. */
async function everyRow(workspace: Workspace): Promise<string> {
  return withDatabase(workspace, async client => {
    const { rows: tables } = await client.execute(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`,
    )
    const found = await Promise.all(
      tables.map(({ name }) => client.execute(`SELECT * FROM "${name as string}"`)),
    )
    return found.map(({ rows }) => JSON.stringify(rows)).join('\n')
  })
}
