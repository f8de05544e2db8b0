import { type Socket, connect } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { makeWorkspace, startService } from '../../support/processes/cli.ts'

/** What a server at rest has open, and a few more. */
const MOST_HANDLES = 48

test.skipIf(process.platform === 'win32')(
  'a server that is out of file handles answers as soon as there are some again, in all its parts',
  async () => {
    const workspace = makeWorkspace({})
    const through = ['sh', '-c', `ulimit -n ${MOST_HANDLES}; exec "$@"`, 'sh']
    const service = await startService(workspace, { through, args: ['--log', 'json'] })
    const { hostname, port } = new URL(service.url)
    const held: Socket[] = []
    for (let count = 0; count < MOST_HANDLES + 20; count++) {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => {})
      held.push(socket)
      await once(socket, 'connect')
    }
    // One of them has a handle, and asks for what needs more: code that was not needed yet, and a second thread.
    const answers = await Promise.all(
      ['/v1/doctor?deep=true', '/docs', '/openapi.json', '/', '/v1/board'].map((path, index) =>
        raw(held[index]!, path),
      ),
    )
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 (?:200|503) |^$/)
    // Who finds none depends on how soon others are let go: the server, a file of its ledger, or a thread.
    expect(answers.join('')).toMatch(
      /The server is out of file handles; try again\.|it can't be opened: check|its thread failed, and is started again/,
    )
    expect(service.stderr()).toMatch(
      /the server is out of file handles|can't be opened|thread of the ledger failed/,
    )
    for (const socket of held) socket.destroy()
    for (const path of ['/ready', '/v1/doctor?deep=true', '/docs', '/openapi.json', '/', '/v1/board']) {
      await expect
        .poll(async () => {
          const answer = await fetch(service.url + path).catch(() => undefined)
          await answer?.text()
          return answer?.status
        })
        .toBe(200)
    }
    const written = await fetch(`${service.url}/v1/policy`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ policy_id: 'p' }),
    })
    expect(written.status).toBe(200)
    await service.stop()
  },
)

/** The answer to a GET over a connection that is there; nothing where it was closed. */
async function raw(socket: Socket, path: string): Promise<string> {
  let answer = ''
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  await new Promise<void>(resolve => {
    socket.once('close', () => resolve())
    setTimeout(resolve, 5000)
  })
  return answer
}
