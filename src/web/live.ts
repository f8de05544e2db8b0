import { token } from './access.ts'
import { isLive, isPaused, refreshAll } from './query.ts'

/** How soon a stream that has ended is opened again, ms: after its own end, and after a refusal. */
const [SOON_MS, LATER_MS] = [1000, 60_000]
/** Refusals that will not change: this service has no streams. */
const NEVER = [404, 405, 501]

/**
 * Follows the head of the audit log and reads again what is on show when it moves. EventSource can't send a token, so the
 * events are read by fetch. Where the service refuses, pages are read on their usual beat.
 */
export function startFollowing(): void {
  let known: string | undefined
  let open: AbortController | undefined
  let at = 0
  setInterval(() => {
    const isWanted = !document.hidden && !isPaused.value
    if (!isWanted) open?.abort()
    else if (open === undefined && Date.now() >= at) void follow()
  }, SOON_MS)

  async function follow(): Promise<void> {
    open = new AbortController()
    let waitMs = LATER_MS
    try {
      const response = await fetch('v1/stream', {
        headers: token.value === '' ? {} : { authorization: `Bearer ${token.value}` },
        cache: 'no-store',
        signal: open.signal,
      })
      if (NEVER.includes(response.status)) waitMs = Number.POSITIVE_INFINITY
      if (response.ok && response.body !== null) {
        waitMs = SOON_MS
        await read(response.body)
      }
    } catch {
      // The connection broke, or nobody looks any more.
      waitMs = isLive.value || open.signal.aborted ? SOON_MS : LATER_MS
    }
    isLive.value = false
    open = undefined
    at = Date.now() + waitMs
  }

  async function read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    let text = ''
    const reader = body.getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      isLive.value = true
      text += decoder.decode(value, { stream: true })
      const events = text.split('\n\n')
      text = events.pop()!
      const head = events.findLast(event => event.startsWith('data: '))
      if (head === undefined) continue
      if (known !== undefined && known !== head) refreshAll()
      known = head
    }
  }
}
