import type { Role } from '../../models/answers/token.ts'
import type { Clock } from '../../rules/clock.ts'

/** What a token is good for. */
export interface Grant {
  readonly name: string
  readonly role: Role
  readonly agents: readonly string[] | null
  readonly environments: readonly string[] | null
  /** The source of which it may send cells, which is all that it may then; null for all others. */
  readonly source: string | null
}

export interface KnownToken extends Grant {
  readonly tokenId: string
  readonly salt: string
  readonly hash: string
  readonly expiresAt: number | null
}

/** The tokens that are good, as one read of the ledger saw them. */
export interface KnownTokens {
  /** When that was, by the time that this process counts, ms. */
  readonly readAt: number
  /** The database's clock then. */
  readonly clock: Clock
  /** By the digits that name them. */
  readonly byDigits: ReadonlyMap<string, KnownToken>
  /** Whether any was made and not revoked, be it over by now. */
  readonly anyLeft: boolean
}

/** What a process remembers of tokens. */
export interface TokenCache {
  known?: KnownTokens | undefined
  /** How often this process changed any. */
  changes: number
  /** When each was last noted as used, by the time that this process counts, ms. */
  readonly used: Map<string, number>
}

/** Lets the next request read them again, because this process changed them. */
export function forgetTokens(cache: TokenCache): void {
  cache.known = undefined
  cache.changes++
}
