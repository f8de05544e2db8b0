import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

export interface TamperingProxy {
  /** The DSN that leads through the proxy. */
  readonly url: string
  /** What it does with what a client sends; returns what the database gets instead. */
  rewrite: (chunk: Buffer) => Buffer
  /** While it is set, nothing passes in either direction, and no connection ends: a host that is gone. */
  isSilent: boolean
  /** Connections that are open. */
  readonly open: number
}

/** A server between a client and a database that changes or keeps what passes, gone when the test is over. */
export async function tamperingProxy(databaseUrl: string): Promise<TamperingProxy> {
  const target = new URL(databaseUrl)
  const clients = new Set<Socket>()
  const proxy = {
    url: '',
    rewrite: (chunk: Buffer) => chunk,
    isSilent: false,
    get open() {
      return clients.size
    },
  }
  const server = createServer(client => {
    const database = connect(Number(target.port), target.hostname)
    clients.add(client)
    for (const socket of [client, database]) socket.on('error', () => {})
    client.on('data', chunk => void (proxy.isSilent || database.write(proxy.rewrite(chunk))))
    database.on('data', chunk => void (proxy.isSilent || client.write(chunk)))
    client.on('close', () => {
      clients.delete(client)
      database.destroy()
    })
    database.on('close', () => void (proxy.isSilent || client.destroy()))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const client of clients) client.destroy()
  })
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  proxy.url = url.toString()
  return proxy
}
