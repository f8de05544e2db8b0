import { once } from 'node:events'
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { makeWorkspace, spawnSvc, writeEvents } from '../../support/processes/cli.ts'

/** Answers of a service that this test gives itself, in its own time: one for each request that comes. */
const server = createServer()
server.listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const env = { SERVICE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }

function answer(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const STOPPING = 'svc: stopping after the current request; press Ctrl-C again to stop at once'

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s in an ingest ends it with what is on its way, and says how much that is',
  async (signal, code) => {
    const workspace = makeWorkspace()
    writeEvents(workspace, 'many.jsonl', 5000, { release_id: 'rel_1' })
    const waiting: ServerResponse[] = []
    const full = new Promise<void>(resolve => {
      server.removeAllListeners('request').on('request', (request, response) => {
        request.resume()
        if (waiting.push(response) === 4) resolve()
      })
    })
    const child = spawnSvc(['runs', 'ingest', 'many.jsonl'], { cwd: workspace.folder, env })
    const stdout = text(child.stdout)
    const lines: string[] = []
    const stopping = new Promise<void>(resolve => {
      createInterface({ input: child.stderr }).on('line', line => {
        lines.push(line)
        if (line === STOPPING) resolve()
      })
    })
    await full
    child.kill(signal)
    await stopping
    for (const [index, response] of waiting.entries()) {
      answer(response, index === 0 ? { inserted: 490, skipped: 10 } : { inserted: 500, skipped: 0 })
    }
    expect(await once(child, 'close')).toEqual([code, null])
    expect(await stdout).toBe('')
    expect(waiting).toHaveLength(4)
    expect(lines.at(-1)).toBe(
      'svc: stopped: 2,000 of 5,000 events are stored (1,990 new, 10 stored before); ingest the same file again for the rest',
    )
  },
)

test('a second signal does not wait', async () => {
  const workspace = makeWorkspace()
  writeEvents(workspace, 'one.jsonl', 1, { release_id: 'rel_1' })
  const questionShown = new Promise<void>(resolve => {
    server.removeAllListeners('request').on('request', () => resolve())
  })
  const child = spawnSvc(['runs', 'ingest', 'one.jsonl'], { cwd: workspace.folder, env })
  const lines = createInterface({ input: child.stderr })
  await questionShown
  child.kill('SIGINT')
  for await (const line of lines) if (line === STOPPING) break
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([130, null])
})

test('while the file is read, nothing is ingested', async () => {
  const workspace = makeWorkspace({})
  const child = spawnSvc(['runs', 'ingest', '-'], { cwd: workspace.folder })
  const stderr = text(child.stderr)
  // Two pipes full: what was taken by then went through the command.
  for (let sent = 0; sent < 4; sent++) {
    if (!child.stdin.write('\n'.repeat(1 << 16))) await once(child.stdin, 'drain')
  }
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([130, null])
  expect(await stderr).toBe('svc: stopped: nothing was ingested\n')
})

test('a failure says how much is in', async () => {
  const workspace = makeWorkspace()
  writeEvents(workspace, 'two.jsonl', 700, { release_id: 'rel_1' })
  let requests = 0
  server.removeAllListeners('request').on('request', (request, response) => {
    request.resume()
    requests += 1
    if (requests === 1) answer(response, { inserted: 500, skipped: 0 })
    else answer(response, { detail: 'the disk is full' }, 503)
  })
  const child = spawnSvc(['runs', 'ingest', 'two.jsonl'], { cwd: workspace.folder, env })
  const stderr = text(child.stderr)
  expect(await once(child, 'close')).toEqual([1, null])
  expect(await stderr).toMatch(
    /svc: 500 of 700 events are stored \(500 new\); ingest the same file again for the rest\nsvc: the disk is full\n$/,
  )
})
