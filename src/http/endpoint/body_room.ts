import { ServiceError } from '../../base/errors.ts'
import type { Called } from '../access/context.ts'
import type { RequestLike } from '../wire/message.ts'
import { type Body, MAX_DISCARDED_BYTES, tooLarge } from './bodies.ts'
import { shareOf, tooMuch } from './limit_concurrency.ts'

/** Bodies up to here wait for nobody: all but large batches of run events and spans, and long documents. */
const SMALL_BYTES = 256 * 1024

/** How long a body that has room may bring nothing, ms. */
const STALL_MS = 10_000

const WHY = 'Too many large bodies at once'

interface Roomed {
  readonly request: RequestLike
  /** To be called when the request is answered. */
  readonly giveBack: () => void
}

/**
 * The same request, whose body takes room once more of it has come than a small one has: eight large ones at once would take
 * a gigabyte. Reading it throws 503 where none comes free, or another credential waits and this one has more than its share;
 * 408 where a body with room brings nothing for ten seconds. Throws 413 for one that declares too much.
 */
export function withRoom(request: RequestLike, spec: Body<unknown> | undefined, context: Called): Roomed {
  const { method, url, headers, signal, body } = request
  // The command line has read its own body already, and is a process of its own.
  if (spec === undefined || body === null || typeof body === 'string' || context.peer.kind === 'cli')
    return { request, giveBack: () => {} }
  const most = mostBytes(spec, context)
  const declared = Number(headers.get('content-length') ?? Number.NaN)
  // Less than that is read to its end, so that the client reads the answer.
  if (declared > most) throw tooLarge(most, declared > most + MAX_DISCARDED_BYTES)
  const isPlain = (headers.get('content-encoding') ?? 'identity') === 'identity'
  // What is compressed, or comes without a length, may become as long as a body may be.
  const amount = isPlain && declared >= 0 ? declared : most
  const { memo, now, caller } = context
  const refused = Promise.withResolvers<never>()
  refused.promise.catch(() => {})
  let isArriving = true
  let giveBack: (() => void) | undefined

  async function take(): Promise<void> {
    giveBack = await shareOf(memo.bodies, amount, now, WHY, {
      key: `${caller.kind} ${caller.name}`,
      giveUp: () => {
        if (isArriving) refused.reject(tooMuch(WHY))
        return isArriving
      },
    })
  }

  /** Leaves the rest to the connection: to end the iteration would end that, and nobody would read the answer. */
  async function* parts(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const iterator = source[Symbol.asyncIterator]()
    for (let came = 0; ;) {
      const next = iterator.next()
      const { done, value } = await (giveBack === undefined ? next : unstalled(next, refused.promise))
      if (done === true) break
      came += value.byteLength
      if (came > SMALL_BYTES && giveBack === undefined) await take()
      yield value
    }
    isArriving = false
    if (!isPlain && giveBack === undefined) await take()
  }

  return {
    request: { method, url, headers, signal, body: parts(body) },
    giveBack: () => giveBack?.(),
  }
}

/** The same, or 408 where it takes too long. */
async function unstalled<T>(next: Promise<T>, refused: Promise<never>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(stalled()), STALL_MS)
  return Promise.race([next, refused, late.promise]).finally(() => clearTimeout(timer))
}

function stalled(): ServiceError {
  return new ServiceError(408, `Nothing of the body came for ${STALL_MS / 1000} s.`, {
    headers: { connection: 'close' },
  })
}

/** The most bytes that a body may have. */
export function mostBytes(
  { maxBytes }: Body<unknown>,
  { maxBodyBytes }: Pick<Called, 'maxBodyBytes'>,
): number {
  return Math.min(maxBodyBytes, maxBytes ?? maxBodyBytes)
}
