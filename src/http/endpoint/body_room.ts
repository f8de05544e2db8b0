import type { Called } from '../access/context.ts'
import type { RequestLike } from '../wire/message.ts'
import type { Body } from './bodies.ts'
import { shareOf } from './share.ts'

/** Bodies up to here wait for nobody: all but large batches of run events and spans, and long documents. */
const SMALL_BYTES = 256 * 1024

/**
 * Waits until there is room for the body of a request, of which nothing is read before: eight large ones at once would
 * take a gigabyte. Returns what gives the room back when the request is answered. Throws 503 where none came free.
 */
export async function roomFor(
  { headers, body }: RequestLike,
  spec: Body<unknown> | undefined,
  context: Called,
): Promise<() => void> {
  // The command line has read its own body already, and is a process of its own.
  if (spec === undefined || body === null || context.peer.kind === 'cli') return () => {}
  const most = mostBytes(spec, context)
  const declared = Number(headers.get('content-length') ?? Number.NaN)
  const isPlain = (headers.get('content-encoding') ?? 'identity') === 'identity'
  // What is compressed, or comes without a length, may become as long as a body may be.
  const bytes = isPlain && declared >= 0 ? Math.min(declared, most) : most
  if (bytes <= SMALL_BYTES) return () => {}
  return shareOf(context.memo.bodies, bytes, context.now, 'Too many large bodies at once')
}

/** The most bytes that a body may have. */
export function mostBytes(
  { maxBytes }: Body<unknown>,
  { maxBodyBytes }: Pick<Called, 'maxBodyBytes'>,
): number {
  return Math.min(maxBodyBytes, maxBytes ?? maxBodyBytes)
}
