import { badRequest, unprocessable } from '../../base/errors.ts'
import { fitsBytes, isDisguised } from '../../base/text.ts'
import type { Actor } from '../../ledger/world/ledger.ts'
import type { Called } from '../access/context.ts'
import { isNamed } from '../access/caller.ts'
import type { RequestLike } from '../wire/message.ts'
import { ID_BYTES } from './fields.ts'

/**
 * Who asks (specification, Authentication): headers before the body; the command line says it itself. A caller with a
 * credential of its own is who that says, and what it calls itself besides is kept as a claim.
 */
export function actorOf(
  request: RequestLike,
  { peer, caller }: Pick<Called, 'peer' | 'caller'>,
  body: unknown,
): Actor {
  if (peer.kind === 'cli') return { name: soundName(peer.actor), source: 'cli' }
  const claim = claimOf(request, body)
  if (!isNamed(caller)) return claim ?? { name: 'http', source: 'body' }
  const { identity, session } = caller
  return {
    name: caller.name,
    source: caller.kind === 'oidc' ? 'oidc' : 'token',
    ...(claim === undefined ? {} : { claimed: claim.name }),
    ...(identity === undefined ? {} : { identity }),
    ...(session === undefined ? {} : { isSignedIn: true }),
  }
}

function claimOf({ headers }: RequestLike, body: unknown): Actor | undefined {
  const explicit = headers.get('x-service-actor')?.trim()
  if (explicit)
    return { name: checkedName(['header', 'X-Service-Actor'], utf8Of(explicit)), source: 'header' }
  const forwarded = headers.get('x-forwarded-user')?.trim()
  if (forwarded) {
    return { name: checkedName(['header', 'X-Forwarded-User'], utf8Of(forwarded)), source: 'forwarded' }
  }
  const named = (body as { actor?: unknown } | undefined)?.actor
  if (typeof named !== 'string' || named.trim() === '') return undefined
  return { name: checkedName(['body', 'actor'], named.trim()), source: 'body' }
}

/** A name that may be put on record: not too long, and none that may pass for another. */
function checkedName(loc: readonly string[], name: string): string {
  if (!fitsBytes(name, ID_BYTES)) {
    throw unprocessable([{ loc, msg: `must be at most ${ID_BYTES} bytes long`, type: 'string_too_long' }])
  }
  if (!isDisguised(name)) return name
  throw unprocessable([{ loc, msg: 'must not hold control or invisible characters', type: 'text' }])
}

function soundName(name: string): string {
  if (!isDisguised(name)) return name
  throw badRequest('The actor, which USER or USERNAME names, holds control or invisible characters.')
}

/** Headers come as bytes that are read as Latin-1; proxies write the names of people in UTF-8. */
function utf8Of(value: string): string {
  const bytes = Uint8Array.from(value, char => char.charCodeAt(0))
  const isLatin = [...value].every(char => char.charCodeAt(0) < 256)
  try {
    return isLatin ? new TextDecoder('utf-8', { fatal: true }).decode(bytes) : value
  } catch {
    return value
  }
}
