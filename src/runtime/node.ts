import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createServerAdapter } from '@whatwg-node/server'
import { routes } from '../../handlers/index.ts'
import { refused } from '../errors.ts'
import { createRouter } from '../http/router.ts'
import type { Services } from './context.ts'

export interface RunningServer {
  readonly url: string
  /** Refuses new requests, finishes those under way, and closes. */
  close(): Promise<void>
}

/** Serves the API under Node. Throws 400 where the port can't be had. */
export async function startServer(
  services: Services,
  { host, port }: { host: string; port: number },
): Promise<RunningServer> {
  const route = createRouter(routes)
  const adapter = createServerAdapter<{ req: { socket: Socket } }>((request, { req }) =>
    route(request, { ...services, peer: { kind: 'socket', address: req.socket.remoteAddress } }),
  )
  const server = createServer(adapter)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? refused(`Port ${port} on ${host} is in use; choose another with --port.`)
          : error,
      )
    })
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return {
    url: `http://${name}:${address.port}`,
    close: async () => {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeIdleConnections()
      await closed
      await adapter.dispose()
    },
  }
}
