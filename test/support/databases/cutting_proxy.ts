import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

export interface CuttingProxy {
  /** The DSN that leads through the proxy. */
  readonly url: string
  /** The connection ends at the next client message that holds this text: before it arrives, or before its answer. */
  cutAt(text: string, what: 'message' | 'answer'): void
  /** How often it was cut. */
  readonly cuts: number
}

/** A server between a client and a database that can lose a statement or its answer, gone when the test is over. */
export async function cuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let next: { readonly text: string; readonly what: 'message' | 'answer' } | undefined
  let cuts = 0
  const server = createServer(client => {
    const database = connect(Number(target.port), target.hostname)
    let isCut = false
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    client.on('data', chunk => {
      if (next !== undefined && chunk.includes(next.text)) {
        cuts += 1
        isCut = true
        if (next.what === 'message') database.destroy()
        next = undefined
      }
      database.write(chunk)
    })
    database.on('data', chunk => {
      // The database has answered, so it is done there.
      if (isCut) client.destroy()
      else client.write(chunk)
    })
    client.on('close', () => database.destroy())
    database.on('close', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.toString(),
    cutAt: (text, what) => void (next = { text, what }),
    get cuts() {
      return cuts
    },
  }
}
