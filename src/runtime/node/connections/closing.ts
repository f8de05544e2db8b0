import type { Server, ServerResponse } from 'node:http'
import { Server as Listener, type Socket } from 'node:net'

/** What a connection has in hand. */
interface Connection {
  readonly answers: Set<ServerResponse>
  /** Bytes that had come when the last answer was out; more of them are the beginning of a request. */
  read: number
}

/**
 * Returns what closes the server: idle connections end at once, others with the answers under way, and what is left
 * after `limitMs` is cut. Node's own close goes on answering a client that asks again and again on one connection. Call
 * it before the server takes its first connection.
 */
export function closerOf(server: Server, limitMs: number): () => Promise<void> {
  const open = new Map<Socket, Connection>()
  let ending = false

  function endIfIdle(socket: Socket): void {
    const { answers, read } = open.get(socket)!
    if (answers.size === 0 && socket.bytesRead === read) socket.destroySoon()
  }

  server.on('connection', socket => {
    open.set(socket, { answers: new Set(), read: 0 })
    socket.once('close', () => open.delete(socket))
  })
  server.prependListener('request', ({ socket }, response) => {
    const connection = open.get(socket)!
    connection.answers.add(response)
    if (ending) announceEnd(response)
    response.once('close', () => {
      connection.answers.delete(response)
      connection.read = socket.bytesRead
      if (ending && open.has(socket)) endIfIdle(socket)
    })
  })
  return async function close(): Promise<void> {
    ending = true
    const closed = new Promise(resolve => Listener.prototype.close.call(server, resolve))
    for (const [socket, { answers }] of open) {
      for (const response of answers) announceEnd(response)
      endIfIdle(socket)
    }
    const deadline = setTimeout(() => server.closeAllConnections(), limitMs)
    await closed
    clearTimeout(deadline)
    // Ends Node's own timer of the server.
    server.close()
  }
}

/** Tells the client, and Node, that this is the last answer of its connection. */
function announceEnd(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}
