import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How far a connection had got, and how often since it was seen not to get on. */
interface Progress {
  readonly left: string
  readonly stalls: number
}

/** So often a connection is looked at within the time. By a clock, a server that was busy itself would count that. */
const LOOKS = 4

/**
 * Ends connections whose client does not read its answer: for so long that nothing went out, what waits for it is only
 * a cost. Node has time-outs for requests, none for answers.
 */
export function dropStalled(server: Server, stallMs: number): void {
  const open = new Map<Socket, Progress>()
  server.on('connection', socket => {
    open.set(socket, { left: '', stalls: 0 })
    socket.once('close', () => open.delete(socket))
  })
  const timer = setInterval(() => {
    for (const [socket, progress] of open) {
      const left = unsent(socket)
      const isStalled = socket.writableLength > 0 && left === progress.left
      open.set(socket, { left, stalls: isStalled ? progress.stalls + 1 : 0 })
      if (isStalled && progress.stalls >= LOOKS) socket.destroy()
    }
  }, stallMs / LOOKS)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

/**
 * What the system has not taken yet. A write counts as such until its last byte is gone, so of one that is under way
 * its handle is checked, as Node's own time-outs do.
 */
function unsent(socket: Socket): string {
  const { _handle: handle } = socket as { _handle?: { writeQueueSize?: number } | null }
  return `${socket.bytesWritten} ${socket.writableLength} ${handle?.writeQueueSize}`
}
