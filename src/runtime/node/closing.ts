import type { Server } from 'node:http'
import { Server as Listener } from 'node:net'
import type { Connections } from './connections.ts'

/**
 * Returns what closes the server: idle connections end at once, others with the answer under way, and what is left
 * after `limitMs` is cut. Node's own close goes on answering a client that asks again and again on one connection.
 */
export function closerOf(server: Server, connections: Connections, limitMs: number): () => Promise<void> {
  return async function close(): Promise<void> {
    const closed = new Promise(resolve => Listener.prototype.close.call(server, resolve))
    connections.end()
    const deadline = setTimeout(() => server.closeAllConnections(), limitMs)
    await closed
    clearTimeout(deadline)
    // Ends Node's own timer of the server.
    server.close()
  }
}
