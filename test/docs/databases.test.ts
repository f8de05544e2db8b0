import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { delimiter } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type Workspace, makeWorkspace, twoReleases } from '../support/processes/cli.ts'
import { emptyDatabase } from '../support/databases/postgres.ts'
import { ROOT } from '../../src/runtime/root.ts'

const PROGRAM = fileURLToPath(new URL('bin/svc.cjs', ROOT))

/** The snippets of a page behind fences of a name. */
function snippets(page: string, name: string): string[] {
  const text = readFileSync(new URL(`docs/${page}`, ROOT), 'utf8')
  return [...text.matchAll(/^```([^\n]*)\n([^]*?)^```$/gm)]
    .filter(([, fence]) => fence === name)
    .map(([, , code]) => code!)
}

function run(workspace: Workspace, commands: string, SERVICE_DATABASE_URL: string) {
  workspace.write('bin/svc', `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`)
  chmodSync(workspace.path('bin/svc'), 0o755)
  return spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', commands], {
    cwd: workspace.folder,
    encoding: 'utf8',
    env: {
      ...process.env,
      PATH: `${workspace.path('bin')}${delimiter}${process.env.PATH}`,
      SERVICE_DATABASE_URL,
    },
  })
}

test('a ledger moves to PostgreSQL by the commands that docs/production.md has', async () => {
  const { workspace } = await twoReleases()
  const [commands] = snippets('production.md', 'sh')
  const { status, stdout, stderr } = run(workspace, commands!, await emptyDatabase())
  expect(status, stderr).toBe(0)
  const [copied, warning, ...more] = stderr.split('\n')
  expect(copied).toMatch(/^svc: copied \.service\/service\.db in postgres:\/\/127\.0\.0\.1:\d+\/\w+$/)
  // The server of the tests is set so, and may be.
  expect(warning).toMatch(/^WARN {2}durability: fsync is off/)
  expect(more).toEqual([''])
  expect(stdout).toContain("equal to the source's")
  expect(stdout).toMatch(/^ok {4}rollups: equal to the raw events$/m)
})

test('a ledger is made on PostgreSQL by the commands and settings that docs/production.md has', async () => {
  const workspace = makeWorkspace()
  const database = await emptyDatabase()
  const [create, credentials] = snippets('production.md', 'sh production')
  const created = run(workspace, create!, database)
  expect(created.status, created.stderr).toBe(0)
  expect(created.stdout).toMatch(/^schema version \d+\tpostgres:/m)
  workspace.write('service.yaml', snippets('production.md', 'yaml production')[0]!)
  const { status, stdout, stderr } = run(workspace, `${credentials!}\nsvc token list`, database)
  expect(status, stderr).toBe(0)
  expect(stdout.match(/^rgs_[0-9a-f]{64}$/gm)).toHaveLength(4)
  expect(stdout.match(/^(?:operator\tadmin|ci\twrite|agents\tingest|prometheus\tread)\t/gm)).toHaveLength(4)
})
