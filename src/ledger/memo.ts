import { type Mutex, newMutex } from './chain/mutex.ts'

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
}

/** Ids of texts that every event repeats, by those texts joined by NUL. */
export interface KnownIds {
  readonly scopes: Map<string, number>
  readonly variants: Map<string, number>
}

export function newMemo(ids: KnownIds = newIds()): Memo {
  return { decisions: newMutex(), ids }
}

export function newIds(): KnownIds {
  return { scopes: new Map(), variants: new Map() }
}
