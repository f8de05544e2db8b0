import { existsSync, readdirSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { createClient } from '@libsql/client/sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { makeWorkspace, startService } from '../../support/processes/cli.ts'
import { scaled } from '../../support/scale.ts'

/** How long another process holds the lock, and how long the server tries, s. */
const [LOCKED_S, TRIED_S] = scaled([3, 1], [60, 30])

/** Half of the files that a process may have open by default. */
const MOST_HANDLES = 512

test('a server whose ledger another process holds says so, reads on, and writes when it is let go', async () => {
  const workspace = makeWorkspace({})
  const env = { SERVICE_SQLITE_BUSY_TIMEOUT_MS: '500', SERVICE_SQLITE_LOCK_TIMEOUT_S: String(TRIED_S) }
  const service = await startService(workspace, { env, args: ['--log', 'json'] })
  const holder = createClient({ url: pathToFileURL(workspace.path('.service/service.db')).href })
  const lock = await holder.transaction('write')
  const lockedUntil = performance.now() + LOCKED_S * 1000
  const statuses: number[] = []
  let mostHandles = 0
  const watching = setInterval(() => {
    mostHandles = Math.max(mostHandles, handlesOf(service.pid))
  }, 100)
  onTestFinished(() => clearInterval(watching))
  while (performance.now() < lockedUntil) {
    const [read, written] = await Promise.all([fetch(`${service.url}/v1/releases`), setPolicy(service.url)])
    expect(read.status).toBe(200)
    statuses.push(written.status)
    expect(await written.json()).toEqual({ detail: 'The ledger is locked by another writer; try again.' })
  }
  expect([...new Set(statuses)]).toEqual([503])
  expect(service.stderr()).toContain('is locked by another process')
  // Each try has a connection of its own, whose files are closed when V8 collects its object.
  expect(mostHandles).toBeLessThan(MOST_HANDLES)
  lock.close()
  holder.close()
  expect((await setPolicy(service.url)).status).toBe(200)
  process.stdout.write(`${statuses.length} writes refused; at most ${mostHandles} files were open\n`)
  await service.stop()
})

function setPolicy(url: string): Promise<Response> {
  return fetch(`${url}/v1/policy`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ policy_id: 'p' }),
  })
}

/** Files that a process has open; none where the system does not tell. */
function handlesOf(pid: number): number {
  const folder = `/proc/${pid}/fd`
  return existsSync(folder) ? readdirSync(folder).length : 0
}
