import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { addressOf } from '../../src/http/access/loopback.ts'
import { type RequestLike, plain } from '../../src/http/wire/message.ts'
import { ServiceError } from '../../src/base/errors.ts'
import type { Called, StreamPlace } from '../../src/http/access/context.ts'
import { unabandoned } from '../../src/sql/deadline.ts'
import { remembering } from '../../src/ledger/world/memo.ts'
import { HEAD } from '../../src/ledger/trail/chain.ts'
import { ask } from '../../src/sql/query.ts'

export default endpoint({
  route: 'GET /v1/stream',
  access: 'read',
  scope: 'shared',
  summary: 'A stream of governed changes',
  takes: 'Stream',
  description:
    'Server-sent events, each with the log_seq of the newest entry of the audit log: one at once, then one within about a second of each change, and a comment every 15 s. It ends after 5 minutes, with the server, or with the credential: connect again. At most 6 per credential, or per address without one, and 200 per process. Workers answer 501.',
  answers: {
    200: {
      type: 'text/event-stream',
      about: '`data: LOG_SEQ` for each change, or `data: {"type": "refetchEvaluation"}` with `for=flags`.',
    },
    429: 'ErrorText',
    501: 'ErrorText',
  },
  handle: async function stream({ query, headers }, context) {
    const dataOf = query.for === 'flags' ? () => REFETCH : String
    return plain(headEvents(context, headers, dataOf), 'text/event-stream')
  },
})

/** What OpenFeature providers ask their flags again for. */
const REFETCH = JSON.stringify({ type: 'refetchEvaluation' })

/** How often the head is read for all streams of a process, ms. */
const BEAT_MS = 1000
/** Beats without a change after which a comment shows that the connection lives. */
const QUIET_BEATS = 15
/** Beats after which a stream ends. */
const MOST_BEATS = 300

/**
 * What `dataOf` makes of the number of the newest entry of the audit log as server-sent events: one at once, and one after each change. Throws
 * 501 where the runtime holds no answers open, and 429 where the caller, or the process, has as many as it may. It ends
 * within a beat or two of the credential. Without one each address counts by itself.
 */
function headEvents(
  context: Called,
  headers: RequestLike['headers'],
  dataOf: (seq: number) => string,
): AsyncIterable<string> {
  const { streams, caller, peer, workspace } = context
  if (streams === undefined) {
    throw new ServiceError(501, 'This runtime has no streams: poll with If-None-Match instead.')
  }
  const request = { method: 'GET', url: 'http://localhost/v1/stream', headers, body: null }
  const who =
    caller.kind === 'nobody'
      ? `at ${addressOf(request, peer, workspace.limits?.client_header)}`
      : `${caller.kind} ${caller.session ?? caller.name}`
  const gone = context.sql.options.deadline?.signal
  const place = streams.enter(who, gone)
  if (place === undefined) throw full()
  // Taken again when the answer begins: one to HEAD never does.
  place.leave()
  const mayRead = async (): Promise<boolean> =>
    (await context.access.readerOf(request, unabandoned(context))) !== undefined
  return events(context, () => streams.enter(who, gone), mayRead, dataOf)
}

const full = (): ServiceError =>
  new ServiceError(429, 'Too many streams are open: poll with If-None-Match instead.', {
    headers: { 'Retry-After': '60' },
  })

async function* events(
  context: Called,
  enter: () => StreamPlace | undefined,
  mayRead: () => Promise<boolean>,
  dataOf: (seq: number) => string,
): AsyncGenerator<string> {
  const place = enter()
  if (place === undefined) return yield 'event: full\ndata: 60\n\n'
  try {
    let known: number | undefined
    let quiet = 0
    for (let beat = 0; beat < MOST_BEATS && !place.signal.aborted; beat++) {
      const head = await newestSeq(context)
      quiet += 1
      if (head !== known) yield `data: ${dataOf(head)}\n\n`
      else if (quiet >= QUIET_BEATS) yield ': quiet\n\n'
      if (head !== known || quiet >= QUIET_BEATS) quiet = 0
      known = head
      await place.pause(BEAT_MS)
      if (!(await mayRead())) return
    }
  } finally {
    place.leave()
  }
}

interface HeadReading {
  readonly at: number
  readonly seq: Promise<number>
}

const lastReading = remembering((): { last?: HeadReading } => ({}))

/** One read serves all streams of a process for a beat. */
function newestSeq(context: Called): Promise<number> {
  const shared = lastReading(context.memo)
  const now = context.elapsed()
  if (shared.last === undefined || now - shared.last.at >= BEAT_MS / 2) {
    const { sql } = unabandoned(context)
    shared.last = { at: now, seq: ask(sql, HEAD).then(head => head.log.seq) }
  }
  return shared.last.seq
}
