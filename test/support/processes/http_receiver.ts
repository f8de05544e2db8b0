import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { type AddressInfo, type Socket, createServer as createTcpServer } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** A request as a real receiver got it. */
interface Received {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
}

export interface HttpReceiver {
  readonly url: string
  readonly port: number
  readonly received: Received[]
  /** Resolves when so many requests are there. */
  arrived(count: number): Promise<void>
  /** Takes no more connections and drops those that are open. */
  close(): Promise<void>
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void

/** A receiver on a port of 127.0.0.1, gone when the test is over. Without `answer` it takes everything. */
export async function httpReceiver(
  answer: Answer = response => response.end('thanks'),
  port = 0,
): Promise<HttpReceiver> {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  const server = createServer(async (request, response) => {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
    received.push({
      path: request.url ?? '',
      headers: Object.fromEntries(headers) as Record<string, string>,
      body: await readAll(request),
    })
    answer(response, request)
    for (const check of waiting) check()
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const bound = (server.address() as AddressInfo).port
  const close = (): Promise<void> =>
    new Promise(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(close)
  return {
    url: `http://127.0.0.1:${bound}/hook`,
    port: bound,
    received,
    close,
    arrived: count =>
      new Promise(resolve => {
        const check = (): void => {
          if (received.length < count) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
  }
}

/** Something that takes connections and does with them what HTTP would not. Returns its URL. */
export async function tcpReceiver(handle: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createTcpServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    handle(socket)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
