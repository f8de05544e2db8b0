import { type Socket, connect } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { makeWorkspace, startService } from '../../support/processes/cli.ts'

/** More than a server at rest has open, on any machine. */
const MOST_HANDLES = 80

test.skipIf(process.platform === 'win32')(
  'a server that is out of file handles answers as soon as there are some again, in all its parts',
  async () => {
    const workspace = makeWorkspace({})
    const through = ['sh', '-c', `ulimit -n ${MOST_HANDLES}; exec "$@"`, 'sh']
    const service = await startService(workspace, { through, args: ['--log', 'json'] })
    const { hostname, port } = new URL(service.url)
    const sockets: Socket[] = []
    const refused = Promise.withResolvers<void>()
    for (let count = 0; count < MOST_HANDLES + 20; count++) {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => {})
      socket.on('close', refused.resolve)
      sockets.push(socket)
      await once(socket, 'connect')
    }
    // A connection is there before the server takes it: only where it drops one has it no handle left.
    await refused.promise
    const ask = (paths: readonly string[]) =>
      Promise.all(paths.map((path, index) => raw(sockets[index]!, path)))
    // These have a handle, and ask for what needs more: code that was not needed yet.
    const unloaded = await ask(['/docs', '/openapi.json', '/'])
    expect(unloaded.join('')).toContain('The server is out of file handles; try again.')
    // Then a second thread. Where none can be started, the first one ends too, and its handles are free.
    const answers = [...unloaded, ...(await ask(['/v1/doctor?deep=true', '/v1/board']))]
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 (?:200|503) |^$/)
    expect(service.stderr()).toContain('the server is out of file handles')
    for (const socket of sockets) socket.destroy()
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

/** The answer to a GET over a connection that is there, and stays: its handle frees nobody. Nothing where it was closed. */
async function raw(socket: Socket, path: string): Promise<string> {
  let answer = ''
  await new Promise<void>(resolve => {
    socket.once('close', () => resolve())
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1')
      const [head, body] = answer.split('\r\n\r\n', 2) as [string, string?]
      const length = /^content-length: (\d+)$/im.exec(head)?.[1]
      if (body !== undefined && answer.length >= head.length + 4 + Number(length)) resolve()
    })
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    setTimeout(resolve, 5000)
  })
  return answer
}
