import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How far a connection had got, and when it was seen to get on. */
interface Progress {
  sent: number
  at: number
}

/**
 * Ends connections whose client does not read its answer: for so long that nothing went out, what waits for it is only
 * a cost. Node has time-outs for requests, none for answers.
 */
export function dropStalled(server: Server, stallMs: number): void {
  const open = new Map<Socket, Progress>()
  server.on('connection', socket => {
    open.set(socket, { sent: 0, at: performance.now() })
    socket.once('close', () => open.delete(socket))
  })
  const timer = setInterval(() => {
    const now = performance.now()
    for (const [socket, progress] of open) {
      // What is written but not taken by the system counts as not sent.
      const sent = socket.bytesWritten - socket.writableLength
      if (socket.writableLength === 0 || sent > progress.sent) open.set(socket, { sent, at: now })
      else if (now - progress.at > stallMs) socket.destroy()
    }
  }, stallMs / 4)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}
