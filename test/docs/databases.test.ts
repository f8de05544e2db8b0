import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { delimiter } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { twoReleases } from '../support/processes/cli.ts'
import { emptyDatabase } from '../support/databases/postgres.ts'
import { ROOT } from '../../src/runtime/root.ts'

const DOCUMENT = readFileSync(new URL('docs/databases.md', ROOT), 'utf8')
const PROGRAM = fileURLToPath(new URL('bin/svc.cjs', ROOT))

test('a ledger moves to PostgreSQL by the commands that docs/databases.md has', async () => {
  const [, commands] = /```sh\n([\s\S]*?)```/.exec(DOCUMENT)!
  const { workspace } = await twoReleases()
  workspace.write('bin/svc', `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`)
  chmodSync(workspace.path('bin/svc'), 0o755)
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', commands!], {
    cwd: workspace.folder,
    encoding: 'utf8',
    env: {
      ...process.env,
      PATH: `${workspace.path('bin')}${delimiter}${process.env.PATH}`,
      SERVICE_DATABASE_URL: await emptyDatabase(),
    },
  })
  expect(status, stderr).toBe(0)
  const [copied, warning, ...more] = stderr.split('\n')
  expect(copied).toMatch(/^svc: copied \.service\/service\.db in postgres:\/\/127\.0\.0\.1:\d+\/\w+$/)
  // The server of the tests is set so, and may be.
  expect(warning).toMatch(/^WARN {2}durability: fsync is off/)
  expect(more).toEqual([''])
  expect(stdout).toContain("equal to the source's")
  expect(stdout).toMatch(/^ok {4}rollups: equal to the raw events$/m)
})
