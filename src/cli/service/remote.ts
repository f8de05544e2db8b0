import { ServiceError, badRequest } from '../../base/errors.ts'
import { isNamedToken, tokenDigits } from '../../base/token_text.ts'
import type { Log } from '../../ledger/world/ledger.ts'
import { factsOf } from '../../sdk/call.ts'
import { ClientError } from '../../sdk/errors.ts'
import { type ClientOptions, checkUrl } from '../../sdk/options.ts'
import { Transport } from '../../sdk/transport.ts'
import type { Api } from './api.ts'

/** What a person gives, where a program gives options. */
const WORDING = {
  url: '--url or SERVICE_URL',
  token: 'SERVICE_LOCAL_API_TOKEN',
  timeout: 'check what the service has done before you try again',
}

/** Longest wait for an answer: checks and repairs of a large ledger take minutes. */
const TIMEOUT_MS = 300_000
/** After which a person sees a note that there is a wait. */
const NOTE_MS = 10_000

/** Sends the same requests over HTTP. Names the target before the first one that writes. */
export function remoteApi(
  base: string,
  token: string | undefined,
  actor: string,
  log: Log,
  { noteMs = NOTE_MS } = {},
): Api {
  refuseMistyped(token)
  const transport = openTransport(base, { token, actor, timeoutMs: TIMEOUT_MS })
  const target = transport.base
  let named = false
  return {
    target,
    send: async (route, call) => {
      if (!named && factsOf(route).readsOnly !== true) {
        log('info', `sending to ${target}`)
        named = true
      }
      const note = setTimeout(() => log('info', waitText(target)), noteMs)
      return transport
        .ask(route, call)
        .catch((error: unknown) => rethrow(error, route))
        .finally(() => clearTimeout(note))
    },
    backup: async () => {
      throw badRequest('--backup works only on the machine of the ledger, without --url.')
    },
    close: async () => {},
  }
}

function waitText(target: string): string {
  return `${target} has not answered yet; this waits up to ${TIMEOUT_MS / 60_000} minutes, Ctrl-C ends it`
}

/** A named credential holds a checksum, so that a typing mistake is reported before anything is sent. */
function refuseMistyped(token: string | undefined): void {
  if (token === undefined || !isNamedToken(token) || tokenDigits(token) !== undefined) return
  throw badRequest('The token is mistyped or cut off: its checksum is wrong.')
}

/** The URL of a service as requests begin with it. Throws 400 for an invalid URL, and for one with credentials, query or fragment. */
export function checkedUrl(given: string): string {
  try {
    return checkUrl(given, { ...WORDING, url: '--url', token: 'stdin' })
  } catch (error) {
    return rethrow(error)
  }
}

function openTransport(base: string, options: ClientOptions): Transport {
  try {
    return new Transport(base, options, factsOf, WORDING)
  } catch (error) {
    return rethrow(error)
  }
}

/** What OpenSSL says of an answer that begins as HTTP does. */
const NO_TLS = /\([^()]*wrong version number[^()]*\)/

/** Throws an error in words for a person, to whom the route of a request says nothing. */
function rethrow(error: unknown, route = ''): never {
  if (!(error instanceof ClientError)) throw error
  const text = error.message.replace(`${route}: `, '').replace(NO_TLS, '(it speaks HTTP, not HTTPS)')
  throw new ServiceError(503, text, { cause: error })
}
