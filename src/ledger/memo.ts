import { Buckets } from '../base/buckets.ts'
import { type Mutex, newMutex } from './chain/mutex.ts'
import type { Gate } from '../models/deploys/gate.ts'
import type { KeptHours } from './cells/kept_hours.ts'
import type { Looks } from './compare/looks.ts'
import type { Pairs } from './compare/pairs.ts'
import { type TreeCache, newTreeCache } from './proofs/tree_cache.ts'
import { type Shared, newShared } from './shared.ts'
import type { KnownTokens, TokenCache } from './tokens/cache.ts'

/**
 * What a process remembers of one database between requests. Nothing rests on it: another process has its own, and
 * the database is asked wherever it matters.
 */
export interface Memo {
  /**
   * Of decisions at the same time one would win the head of the chain and the others try again, and again. Other
   * processes are kept out by the guard of the batch alone.
   */
  readonly decisions: Mutex
  readonly ids: KnownIds
  /** How often comparisons were asked for, to warn of intervals that don't hold for so many looks. */
  readonly looks: Looks
  /** Questions to the gate that are being answered: controllers ask the same one again and again. */
  readonly gates: Shared<Gate>
  /** What the gate compared when it was last asked, by its question: read along when it is asked again. */
  readonly pairs: Pairs
  /** What the gate read of hours that are over. */
  readonly hours: KeptHours
  /** Events that were stored, and at how many of them the database's statistics are looked at next. */
  readonly growth: { events: number; lookAt?: number }
  /** Agents of releases that were asked for: a release is never removed. */
  readonly owners: Map<string, string>
  readonly tokens: TokenCache
  readonly dearRuns: DearRuns
  /** Foreign names under which this server was asked, that were logged. */
  readonly foreignHosts: Set<string>
  /** How much callers have asked for, where that is limited. */
  readonly buckets: Buckets
  /** What was read of the audit log as a Merkle tree. */
  readonly tree: TreeCache
  /** A read of tokens that is under way, and after how many changes it began. */
  readingTokens?: { readonly changes: number; readonly tokens: Promise<KnownTokens> } | undefined
}

/** Costly reads: how many are under way by route, and those that wait for their turn, by what they ask. */
export interface DearRuns {
  readonly running: Map<string, number>
  readonly waiting: Map<
    string,
    { readonly route: string; readonly begin: () => void; readonly run: Promise<unknown> }
  >
}

/** The key that hashes run_ids that were erased. The id is not secret: it says which key hashes were made with. */
export interface ErasureKey {
  readonly id: string
  readonly secret: string
}

/** What each batch of events takes from the database, and makes sure of: it may be another one by then. */
interface KnownIds {
  /** Ids of texts that every event repeats, by those texts joined by NUL. */
  readonly scopes: Map<string, number>
  readonly variants: Map<string, number>
  /** Undefined until it was asked for. */
  erasureKey: ErasureKey | 'none' | undefined
}

/** What outlives a request where requests may not wait for one another. */
export type Remembered = Pick<
  Memo,
  'ids' | 'looks' | 'owners' | 'pairs' | 'hours' | 'tokens' | 'buckets' | 'tree'
>

export function newMemo(remembered: Remembered = newRemembered()): Memo {
  return {
    decisions: newMutex(),
    gates: newShared(),
    ...remembered,
    growth: { events: 0 },
    foreignHosts: new Set(),
    dearRuns: { running: new Map(), waiting: new Map() },
  }
}

export function newRemembered(): Remembered {
  return {
    ids: { scopes: new Map(), variants: new Map(), erasureKey: undefined },
    looks: new Map(),
    owners: new Map(),
    pairs: new Map(),
    hours: new Map(),
    tokens: { changes: 0, used: new Map() },
    buckets: new Buckets(),
    tree: newTreeCache(),
  }
}
