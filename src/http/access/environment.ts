import { digestOf } from '../../base/bytes.ts'
import { EVERYTHING } from '../../ledger/world/scope.ts'
import { ALL_ACCESS, type Access, type Caller } from './caller.ts'

/** Secrets as the operator set them; blank ones count as unset. */
export interface Tokens {
  readonly main?: string | undefined
  /** Accepted beside the main one while it is being rotated. */
  readonly previous?: string | undefined
  /** Good for ingest only. */
  readonly ingest?: string | undefined
  /** Good for reads only. */
  readonly read?: string | undefined
}

interface SharedTokens {
  /** Whether the main one is set; the others are nothing without it. */
  readonly configured: boolean
  callerOf(presented: string): Promise<Caller | undefined>
}

/** The tokens of the server's environment (specification, Authentication). */
export function sharedTokens(tokens: Tokens): SharedTokens {
  const isSet = (token: string | undefined): token is string => token !== undefined && token.trim() !== ''
  if (!isSet(tokens.main)) return { configured: false, callerOf: async () => undefined }
  const grants: readonly [name: string, token: string | undefined, allows: readonly Access[]][] = [
    ['main', tokens.main, ALL_ACCESS],
    ['previous', tokens.previous, ALL_ACCESS],
    ['ingest', tokens.ingest, ['ingest']],
    ['read', tokens.read, ['read']],
  ]
  const known = Promise.all(
    grants
      .filter(([, token]) => isSet(token))
      .map(async ([name, token, allows]) => ({
        name,
        digest: await digestOf(new TextEncoder().encode(token!.trim())),
        allows,
      })),
  )
  return {
    configured: true,
    callerOf: async presented => {
      const digest = await digestOf(new TextEncoder().encode(presented))
      const matches = (await known).filter(token => equalDigests(token.digest, digest))
      if (matches.length === 0) return undefined
      // One secret may be set in several variables.
      const allows = [...new Set(matches.flatMap(match => match.allows))]
      return { kind: 'shared', name: matches[0]!.name, allows, scope: EVERYTHING }
    },
  }
}

/** Takes the same time wherever the digests differ. */
function equalDigests(a: Uint8Array, b: Uint8Array): boolean {
  let difference = 0
  for (const [index, byte] of a.entries()) difference |= byte ^ b[index]!
  return difference === 0
}
