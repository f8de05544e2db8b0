import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A receiver of webhooks that misbehaves in the way that its argument names. */
const behaviour = process.argv[2]!
const huge = Buffer.alloc(100 * 1024 * 1024, 'x')
const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    if (behaviour === 'answers 500') response.writeHead(500).end('no')
    else if (behaviour === 'resets') request.socket.resetAndDestroy()
    else if (behaviour === 'sends 100 MB') response.end(huge)
    else if (behaviour === 'redirects') response.writeHead(302, { location: '/elsewhere' }).end()
    else if (behaviour === 'takes it') response.end('ok')
    // Otherwise it hangs.
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
