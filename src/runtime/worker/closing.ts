import type { Reply } from '../../http/wire/message.ts'

/** Work that may go on when the answer is out: Workers' execution context. */
export interface Execution {
  waitUntil(promise: Promise<unknown>): void
}

/** Closes a request's own ledger when the answer is out, which for a streamed one is when it has been read. */
export function closingAfter(reply: Reply, close: () => Promise<void>, execution: Execution): Reply {
  const { body } = reply
  if (typeof body === 'string' || body instanceof Uint8Array) {
    execution.waitUntil(close())
    return reply
  }
  return { ...reply, body: closingAtEnd(body, close) }
}

/** No generator: one that ends before it is first read runs nothing. */
function closingAtEnd(parts: AsyncIterable<string>, close: () => Promise<void>): AsyncIterable<string> {
  const iterator = parts[Symbol.asyncIterator]()
  let closed: Promise<void> | undefined
  const closeOnce = (): Promise<void> => (closed ??= close())
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        try {
          const result = await iterator.next()
          if (result.done === true) await closeOnce()
          return result
        } catch (error) {
          await closeOnce()
          throw error
        }
      },
      return: async () => {
        try {
          await iterator.return?.()
        } finally {
          await closeOnce()
        }
        return { done: true, value: undefined }
      },
    }),
  }
}
