import { ServiceError } from '../../base/errors.ts'
import type { Log } from '../../ledger/world/ledger.ts'
import { LATE, SqlError } from '../../sql/port.ts'
import { type Reply, json } from './message.ts'

/** Turns whatever was thrown into an answer. What the caller isn't meant to read is logged and masked. */
export function errorReply(error: unknown, log: Log): Reply {
  if (error instanceof ServiceError) {
    return json({ detail: error.detail }, error.status, error.headers)
  }
  if (error instanceof SqlError && error.kind === 'gone') {
    return json({ detail: 'The client closed the request before it was carried out.' }, CLIENT_CLOSED)
  }
  if (error instanceof SqlError && error.kind in UNAVAILABLE) {
    log('error', 'the ledger is not available', { error })
    return json({ detail: unavailableText(error) }, 503, { 'retry-after': '1' })
  }
  if (error instanceof SqlError && error.kind === 'too_large') {
    log('warn', 'a request is larger than the ledger can hold', { error })
    return json({ detail: `This is more than the ledger can hold: ${error.message}.` }, 413)
  }
  const exhausted = error instanceof Error && 'code' in error ? EXHAUSTED[String(error.code)] : undefined
  if (exhausted !== undefined) {
    log('error', `the server is out of ${exhausted}`, { error })
    return json({ detail: `The server is out of ${exhausted}; try again.` }, 503, { 'retry-after': '1' })
  }
  log('error', 'internal error', { error })
  return json({ detail: 'Internal error; the log of the server says more.' }, 500)
}

/** No status of HTTP, but what servers log for it. Nobody reads the answer. */
const CLIENT_CLOSED = 499

function unavailableText({ kind, reason }: SqlError): string {
  if (kind === 'unavailable' && reason !== undefined) return `The ledger is not available: ${reason}.`
  if (kind === 'busy' && reason === LATE) return TOO_SLOW
  return UNAVAILABLE[kind as keyof typeof UNAVAILABLE]
}

const UNAVAILABLE = {
  busy: 'The ledger is locked by another writer; try again.',
  serialization: 'The ledger is busy with concurrent writes; try again.',
  unavailable: 'The ledger is not available; try again later.',
  uncertain: 'The connection to the ledger was lost while it wrote; look the result up before trying again.',
} as const

const TOO_SLOW =
  'The ledger did not answer in the time that a request has; ask for a shorter window, or try again when it is less busy.'

/** What a server may run out of, for a while, by the code of the system: to load code, say, it opens files. */
const EXHAUSTED: Readonly<Record<string, string>> = {
  EMFILE: 'file handles',
  ENFILE: 'file handles',
  ENOMEM: 'memory',
}
