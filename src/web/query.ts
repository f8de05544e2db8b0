import { token } from './access.ts'
import { type Signal, signal } from './signal.ts'
import { useEffect } from 'preact/hooks'
import { type ApiCall, ApiError, type Tagged, callApi, readAgain } from './api.ts'

/** What is known of one read: the last good answer stays while a newer one fails. */
export interface Known<T> {
  readonly data: T | undefined
  readonly error: ApiError | undefined
  readonly loading: boolean
  /** When `data` came, epoch ms. */
  readonly at: number | undefined
}

interface Entry {
  readonly call: ApiCall
  readonly known: Signal<Known<unknown>>
  /** Components that show it, and how often each wants it read again. */
  readonly wanted: number[]
  triedAt: number
  run: number
  /** The last answer with its tag. */
  tagged?: Tagged<unknown>
}

const entries = new Map<string, Entry>()
const NOTHING: Known<never> = { data: undefined, error: undefined, loading: false, at: undefined }

/** How often what is on show is read again, ms. */
const REFRESH_MS = 15_000
/** The same while the last read failed. */
const RETRY_MS = 3000
/** Reads that are kept after nothing shows them any more. */
const MOST_KEPT = 60

/** Reads something and keeps it fresh while it is on show and the tab is visible. Null reads nothing. */
export function useRead<T>(call: ApiCall | null, refreshMs = REFRESH_MS): Known<T> {
  const key = call === null ? '' : keyOf(call)
  useEffect(() => {
    if (call === null) return undefined
    const entry = entryOf(key, call)
    entry.wanted.push(refreshMs)
    if (Date.now() - entry.triedAt > 1000) void load(entry)
    return () => {
      entry.wanted.splice(entry.wanted.indexOf(refreshMs), 1)
    }
  }, [key, refreshMs])
  if (call === null) return NOTHING
  const known = entryOf(key, call).known.value as Known<T>
  return known.data === undefined && known.error === undefined ? { ...known, loading: true } : known
}

/** Begins to read what will be shown soon. */
export function readAhead(call: ApiCall): void {
  void load(entryOf(keyOf(call), call))
}

export type QueryParams = Readonly<Record<string, string | number | undefined>>

/** Reads a path with parameters; empty ones are left out. */
export function get(path: string, params: QueryParams = {}): ApiCall {
  const set = Object.entries(params).filter(([, value]) => value !== undefined && value !== '')
  const query = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString()
  return { path: query === '' ? path : `${path}?${query}` }
}

/** Reads everything again that is on show: after a change, and on the user's word. */
export function refreshAll(): void {
  for (const entry of entries.values()) {
    entry.triedAt = 0
    if (entry.wanted.length > 0) void load(entry)
  }
}

/** Whether the service says when something has changed. */
const isLive = signal(false)
/** Whether the user has stopped the beat; an explicit refresh is still read. */
export const isPaused = signal(false)
/** When the last answer to a read came, epoch ms. */
export const updatedAt = signal<number | undefined>(undefined)

/** Reads on a beat, paused while nobody looks. */
export function startRefreshing(): void {
  setInterval(refreshDue, 1000)
  document.addEventListener('visibilitychange', refreshDue)
}

function refreshDue(): void {
  if (document.hidden || isPaused.value) return
  const now = Date.now()
  for (const entry of entries.values()) {
    if (entry.wanted.length === 0) continue
    const every = entry.known.value.error === undefined ? beatOf(entry) : retryAfter(entry)
    if (now - entry.triedAt >= every) void load(entry)
  }
}

/** Paths of the API, and how often what they answer is read while a stream says when the audit log changes, ms. */
type Beat = readonly [paths: RegExp, every: number]

/** Of what changes with the audit log alone, and of what also changes by itself. */
const LOGGED_MS = 600_000
const MOVING_MS = 120_000

const LIVE_BEATS: readonly Beat[] = [
  [/^v1\/board/, MOVING_MS],
  [/^v1\/(?:rollouts|watches|aggregates|webhook-deliveries)/, MOVING_MS],
  [
    /^v1\/(?:actions|audit|promotion-requests|rollout-requests|releases|retirements|policy|pricing|webhooks)/,
    LOGGED_MS,
  ],
]

function beatOf({ call, wanted }: Entry): number {
  const slow = isLive.value ? LIVE_BEATS.find(([path]) => path.test(call.path))?.[1] : undefined
  return Math.max(Math.min(...wanted), slow ?? 0)
}

/** What was refused is refused again; what failed may have been mended. */
function retryAfter({ known, wanted }: Entry): number {
  const status = known.value.error?.status ?? 0
  return status === 0 || status >= 500 ? RETRY_MS : Math.min(...wanted)
}

async function load(entry: Entry): Promise<void> {
  const run = (entry.run += 1)
  entry.triedAt = Date.now()
  const { known } = entry
  known.value = { ...known.value, loading: true }
  try {
    const data = await dataOf(entry)
    if (entry.run !== run) return
    known.value = { data, error: undefined, loading: false, at: Date.now() }
    updatedAt.value = Date.now()
  } catch (error) {
    const problem = error instanceof ApiError ? error : new ApiError(0, String(error))
    // What may not be seen any more is not shown any more.
    const kept = problem.status === 401 || problem.status === 403 ? {} : known.value
    if (entry.run === run) known.value = { ...NOTHING, ...kept, error: problem, loading: false }
  }
}

async function dataOf(entry: Entry): Promise<unknown> {
  const { call } = entry
  if (call.method !== undefined) return callApi(call)
  entry.tagged = await readAgain(call, entry.tagged)
  return entry.tagged.data
}

const keyOf = ({ method = 'GET', path, body }: ApiCall): string =>
  `${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`

function entryOf(key: string, call: ApiCall): Entry {
  const found = entries.get(key)
  if (found !== undefined) return found
  const entry: Entry = { call, known: signal(NOTHING), wanted: [], triedAt: 0, run: 0 }
  entries.set(key, entry)
  for (const [old, { wanted }] of entries) {
    if (entries.size <= MOST_KEPT) break
    if (wanted.length === 0 && old !== key) entries.delete(old)
  }
  return entry
}

/** How soon a stream that has ended is opened again, ms: after its own end, and after a refusal. */
const [SOON_MS, LATER_MS] = [1000, 60_000]
/** Refusals that will not change: this service has no streams. */
const NEVER = [404, 405, 501]

/** How long a window believes what another one read from the stream, ms: a quiet stream says so every 15 s. */
const BELIEVED_MS = 40_000

/**
 * Follows the head of the audit log and reads again what is on show when it moves. EventSource can't send a token, so the
 * events are read by fetch. One window of a browser reads the stream and says the head to the others: a browser has six
 * connections to a host. Where the service refuses, pages are read on their usual beat.
 */
export function startFollowing(): void {
  const others = new BroadcastChannel(`head of ${location.pathname}`)
  let known: string | undefined
  let open: AbortController | undefined
  let at = 0
  let believedUntil = 0
  setInterval(() => {
    const isWanted = !document.hidden && !isPaused.value
    if (open === undefined && Date.now() > believedUntil) isLive.value = false
    if (!isWanted) open?.abort()
    else if (open === undefined && Date.now() >= at) void inTurn(follow)
  }, SOON_MS)
  others.addEventListener('message', ({ data }: MessageEvent<string | undefined>) => {
    believedUntil = Date.now() + BELIEVED_MS
    isLive.value = true
    // What came before this window listened is not known: it reads again then too.
    if (data !== undefined && data !== known) refreshAll()
    known = data ?? known
  })

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
    // Whoever reads the page should see at once that the service is gone, not at the next beat.
    if (isLive.value && !open.signal.aborted) refreshAll()
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
      others.postMessage(head)
      if (head === undefined) continue
      // The first one too: what changed between the reads of the page and the stream is said by nobody else.
      if (known !== head) refreshAll()
      known = head
    }
  }
}

/** Runs in one window of the browser at a time; in the others not at all. Locks are there on secure origins only. */
async function inTurn(run: () => Promise<void>): Promise<void> {
  const { locks } = navigator as { readonly locks?: LockManager }
  if (locks === undefined) return run()
  await locks.request(`stream of ${location.pathname}`, { ifAvailable: true }, lock =>
    lock === null ? undefined : run(),
  )
}
