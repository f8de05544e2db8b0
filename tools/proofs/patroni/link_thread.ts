import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

const target = workerData as number
const sockets = new Set<Socket>()
let isCut = false

const server = createServer(near => {
  const far = connect(target, '127.0.0.1')
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    sockets.add(from)
    if (isCut) from.pause()
    from.on('data', chunk => to.write(chunk))
    from.on('error', () => {})
    from.on('close', () => {
      sockets.delete(from)
      if (!isCut) to.destroy()
    })
  }
}).listen(0, '127.0.0.1', () => parentPort!.postMessage((server.address() as AddressInfo).port))

parentPort!.on('message', (message: 'cut' | 'mend') => {
  isCut = message === 'cut'
  for (const socket of sockets) {
    if (isCut) socket.pause()
    else socket.destroy()
  }
})
