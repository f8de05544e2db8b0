import type { Socket } from 'node:net'

/** Stops parsing what was read when `isWanted` returns false: Node would parse all of it, thousands of requests. */
export function parseWhile(socket: Socket & { readonly parser?: Parser }, isWanted: () => boolean): void {
  const { parser } = socket
  const take = parser?.onIncoming
  if (parser === undefined || take === undefined) return
  parser.onIncoming = (...given) => (isWanted() ? take(...given) : PARSE_NO_MORE)
}

/** Node's own, of a connection. */
interface Parser {
  onIncoming?: (...given: unknown[]) => number
}

const PARSE_NO_MORE = -1

/**
 * What the system has not taken yet. A write counts as such until its last byte is gone, so of one that is under way
 * its handle is checked, as Node's own time-outs do.
 */
export function unsent(socket: Socket): string {
  const { _handle: handle } = socket as { _handle?: { writeQueueSize?: number } | null }
  return `${socket.bytesWritten} ${socket.writableLength} ${handle?.writeQueueSize}`
}
