import { MAX_ANSWER_BYTES, SEND_TIMEOUT_MS, type Send } from '../../ledger/world/send.ts'
import { hostProblem } from '../../rules/webhook_target.ts'

interface FetchSenderOptions {
  /** Whether private and loopback addresses are refused as well. */
  readonly denyPrivate: boolean
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
}

/**
 * Sends with fetch, where there is nothing else (Workers). It can't see what a name resolves to, so only addresses
 * in the URL itself are checked.
 */
export function fetchSender(options: FetchSenderOptions): Send {
  const { denyPrivate, timeoutMs = SEND_TIMEOUT_MS, fetch: send = globalThis.fetch } = options
  return async function sendByFetch({ url, headers, body }) {
    const problem = hostProblem(new URL(url).hostname, denyPrivate)
    if (problem !== undefined) return { problem: `refused to connect to ${problem}` }
    try {
      const response = await send(url, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      return { status: response.status, text: await startOfBody(response) }
    } catch (error) {
      const { name, message, cause } = error as Error
      if (name === 'TimeoutError') return { problem: `no whole answer within ${timeoutMs / 1000} s` }
      return { problem: `no answer: ${cause instanceof Error ? cause.message : message}` }
    }
  }
}

async function startOfBody({ body }: Response): Promise<string> {
  if (body === null) return ''
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ''
  let left = MAX_ANSWER_BYTES
  while (left > 0) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    text += decoder.decode(value.subarray(0, left), { stream: true })
    left -= value.byteLength
  }
  await reader.cancel()
  return text
}
