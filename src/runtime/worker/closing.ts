import type { Reply } from '../../http/message.ts'

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

async function* closingAtEnd(
  parts: AsyncIterable<string>,
  close: () => Promise<void>,
): AsyncGenerator<string> {
  try {
    yield* parts
  } finally {
    await close()
  }
}
