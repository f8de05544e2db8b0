import type { Ledger } from '../ledger.ts'
import type { Sent } from '../send.ts'
import { type Signable, signedRequest } from './signing.ts'

/** How one attempt went. `problem` is null where the receiver took the payload. */
export interface AttemptFacts {
  readonly response_code: number | null
  readonly duration_ms: number
  readonly response_text: string | null
  readonly problem: string | null
}

/** Characters of an answer that are kept. */
const KEPT_CHARS = 200

/** Signs and sends a payload once. Only a 2xx answer counts as taken. */
export async function deliverOnce(
  { send, now }: Pick<Ledger, 'send' | 'now'>,
  signable: Signable,
): Promise<AttemptFacts> {
  const startedAt = now()
  const sent = await send(await signedRequest(signable, startedAt))
  const endedAt = now()
  return {
    response_code: 'status' in sent ? sent.status : null,
    duration_ms: Math.max(0, endedAt - startedAt),
    response_text: 'status' in sent ? startOf(sent.text) : null,
    problem: problemOf(sent),
  }
}

function problemOf(sent: Sent): string | null {
  if ('problem' in sent) return sent.problem
  const { status } = sent
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400
    ? `the receiver answered ${status}; redirects are not followed, so use the address itself`
    : `the receiver answered ${status}`
}

/** Whole characters only, and none that a database would refuse. */
function startOf(text: string): string {
  return Array.from(text.slice(0, KEPT_CHARS * 2))
    .slice(0, KEPT_CHARS)
    .join('')
    .toWellFormed()
    .replaceAll('\0', '\uFFFD')
}
