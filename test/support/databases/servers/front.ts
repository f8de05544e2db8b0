import { once } from 'node:events'
import { type AddressInfo, type ListenOptions, type Socket, connect, createServer } from 'node:net'
import { TLSSocket } from 'node:tls'
import { onTestFinished } from 'vitest'
import type { Certificate } from '../../processes/certificates.ts'

export interface FrontOptions {
  /** Where it listens; by default a free port of 127.0.0.1. */
  readonly listen?: ListenOptions
  /** Connections are encrypted with it as PostgreSQL's are; without it encryption is declined. */
  readonly certificate?: Certificate
}

/** A server in front of a database that takes encrypted connections, or listens elsewhere. Returns its port. */
export async function databaseFront(databaseUrl: string, options: FrontOptions = {}): Promise<number> {
  const { listen = { port: 0, host: '127.0.0.1' }, certificate } = options
  const target = new URL(databaseUrl)
  const open = new Set<Socket>()
  const server = createServer(client => {
    const database = connect(Number(target.port), target.hostname)
    for (const socket of [client, database]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => (client.destroy(), database.destroy()))
    }
    client.once('data', (first: Buffer) => {
      if (!first.equals(SSL_REQUEST)) {
        database.write(first)
        client.pipe(database).pipe(client)
      } else if (certificate === undefined) {
        client.write('N')
        client.pipe(database).pipe(client)
      } else {
        const secure = new TLSSocket(client, { isServer: true, ...certificate })
        secure.on('error', () => {})
        client.write('S')
        secure.pipe(database).pipe(secure)
      }
    })
  }).listen(listen)
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

/** PostgreSQL, 53.2.10. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
