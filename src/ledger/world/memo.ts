import { Buckets, Shares, TimeShare } from '../../base/shares.ts'
import type { Deadline } from '../../sql/port.ts'
import { type Turns, newTurns } from '../../sql/deadline.ts'
import type { KnownUnusable } from '../../rules/left_out.ts'
import type { KnownTokens, TokenCache } from './token_cache.ts'

/**
 * What a process remembers of one database between requests. Nothing rests on it: another process has its own, and
 * the database is read wherever it matters. A database may be restored to an earlier state while the process runs, so
 * whatever was read of it is known to be of the ledger as it is: `ids` are checked by each batch that uses them, `tokens` and `owners` are
 * believed for three seconds. The rest counts requests to the process itself.
 */
export interface Memo {
  /**
   * Of decisions at the same time one would win the head of the chain and the others try again, and again. Other
   * processes are kept out by the guard of the batch alone.
   */
  readonly decisions: Turns
  readonly ids: KnownIds
  /** How often comparisons were requested, to warn of intervals that don't hold for so many checks. */
  readonly comparisons: Comparisons
  /** Questions to the gate that are being answered: controllers ask the same one again and again. */
  readonly gates: Shared<unknown>
  /** Events that were stored, and at how many of them the database's statistics are looked at next. */
  readonly growth: { events: number; evaluatePlace?: number }
  /** Whether what the board found is being written. */
  readonly keptPlaces: { isBusy: boolean }
  /** How long boards may evaluate places: one that is read without a pause takes no more than its share of the process. */
  readonly evaluations: TimeShare
  /** Agents of releases that were looked up since then, epoch ms. */
  readonly owners: { since: number; readonly agents: Map<string, string> }
  /** Until when a release and a model, joined by NUL, are taken to have a price, epoch ms. */
  readonly priced: Map<string, number>
  /** Until when an environment is taken to be no slip, epoch ms. */
  readonly environments: Map<string, number>
  /** Releases that can't be decided on, as they were when last read. */
  readonly unusable: KnownUnusable
  readonly tokens: TokenCache
  readonly limitedRuns: LimitedRuns
  /** Bytes of large bodies that are in hand. */
  readonly bodies: Shares
  /** Foreign names in requests to this server that were logged. */
  readonly foreignHosts: Set<string>
  /** How many requests callers have sent, where that is limited. */
  readonly buckets: Buckets
  /** How far the database's clock was ahead of the time that this process counts, ms, and what was last said of it. */
  readonly clock: { aheadMs?: number; said?: string | undefined }
  /** What parts of the program remember; see {@link remembering}. */
  readonly features: Map<symbol, unknown>
  /** A read of tokens that is under way, and after how many changes it began. */
  readingTokens?: { readonly changes: number; readonly tokens: Promise<KnownTokens> } | undefined
}

/** Costly reads: how many may be under way, by route, and the answers of those that wait, by what they ask. */
export interface LimitedRuns {
  readonly shares: Map<string, Shares>
  readonly waiting: Map<
    string,
    {
      readonly run: Promise<unknown>
      /** Who waits for it. */
      readonly callers: (Deadline | undefined)[]
    }
  >
  /** What part of its time the process has answered the same question, where that is bounded, by what it asks. */
  readonly questions: Map<string, TimeShare>
  /** When a share lapses, ms. */
  readonly lapseMs?: number | undefined
}

/** For how long boards may evaluate places at once, ms, and how much of all time. */
const [BOARD_MS, BOARD_SHARE] = [100, 1 / 20]

/** Two of the largest bodies. What is made of one takes up to ten times as much memory. */
const BODY_BYTES = 32 * 1024 * 1024

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
  /** Undefined until it was read. */
  erasureKey: ErasureKey | 'none' | undefined
}

/** What outlives a request where requests may not wait for one another. */
export type Remembered = Pick<
  Memo,
  | 'ids'
  | 'comparisons'
  | 'owners'
  | 'priced'
  | 'environments'
  | 'unusable'
  | 'evaluations'
  | 'tokens'
  | 'buckets'
  | 'clock'
  | 'features'
  | 'bodies'
> & { readonly limited: Pick<LimitedRuns, 'shares' | 'lapseMs'> }

export function newMemo({ limited, ...rest }: Remembered = newRemembered()): Memo {
  return {
    decisions: newTurns(),
    gates: newShared(),
    ...rest,
    growth: { events: 0 },
    keptPlaces: { isBusy: false },
    foreignHosts: new Set(),
    limitedRuns: { ...limited, waiting: new Map(), questions: new Map() },
  }
}

/** Shares lapse after `lapseMs` where requests may end without a word. */
export function newRemembered(lapseMs?: number): Remembered {
  return {
    limited: { shares: new Map(), lapseMs },
    bodies: new Shares(BODY_BYTES, lapseMs),
    ids: { scopes: new Map(), variants: new Map(), erasureKey: undefined },
    comparisons: new Map(),
    owners: { since: 0, agents: new Map() },
    priced: new Map(),
    environments: new Map(),
    unusable: { releases: [] },
    evaluations: new TimeShare(BOARD_MS, BOARD_SHARE),
    tokens: { changes: 0, used: new Map() },
    buckets: new Buckets(),
    clock: {},
    features: new Map(),
  }
}

/** Returns how something of its own is remembered: what `make` made of it first. Nobody else can reach it. */
export function remembering<T>(make: () => T): (memo: Pick<Memo, 'features'>) => T {
  const own = Symbol('remembered')
  return ({ features }) => {
    if (!features.has(own)) features.set(own, make())
    return features.get(own) as T
  }
}

/** How often each comparison was requested, by what it compares. */
type Comparisons = Map<string, number>

/** Counts a look at a comparison and returns how many there were; the comparisons that were looked at last are kept. */
export function countComparison(comparisons: Comparisons, comparison: readonly (string | null)[]): number {
  const key = comparison.map(part => part ?? '').join('\0')
  const count = (comparisons.get(key) ?? 0) + 1
  keepLatest(comparisons, key, count)
  return count
}

const MOST_KEPT = 1000

/** Puts a value into a map of which the keys that were put there last are kept. */
export function keepLatest<T>(map: Map<string, T>, key: string, value: T, most = MOST_KEPT): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > most) map.delete(map.keys().next().value!)
}

/** Values by key, as many of those that were kept last as their sizes allow. */
export class Sized<T> {
  readonly #kept = new Map<string, { readonly value: T; readonly size: number }>()
  readonly #most: number
  #size = 0

  /** `most` is the sum of all sizes. */
  constructor(most: number) {
    this.#most = most
  }

  get(key: string): T | undefined {
    return this.#kept.get(key)?.value
  }

  keep(key: string, value: T, size: number): void {
    this.#forget(key)
    this.#kept.set(key, { value, size })
    this.#size += size
    while (this.#size > this.#most) this.#forget(this.#kept.keys().next().value!)
  }

  #forget(key: string): void {
    this.#size -= this.#kept.get(key)?.size ?? 0
    this.#kept.delete(key)
  }
}

/** Answers to questions that many ask at the same time, each worked out for all of them at once. */
interface Shared<T> {
  /**
   * The answer to the question `key`, worked out by `answer` after this was called: who asks while it is under way waits
   * for the next one, with all others that do. So no answer is older than its question.
   */
  ask(key: string, answer: () => Promise<T>): Promise<T>
}

export function newShared<T>(): Shared<T> {
  const underWay = new Map<string, Running<T>>()
  const start = (key: string, answer: () => Promise<T>): Promise<T> => {
    const running: Running<T> = { answer: answer(), next: undefined }
    underWay.set(key, running)
    void forget(key, running)
    return running.answer
  }
  const forget = async (key: string, running: Running<T>): Promise<void> => {
    await settled(running.answer)
    if (running.next === undefined) underWay.delete(key)
  }
  return {
    ask: (key, answer) => {
      const running = underWay.get(key)
      if (running === undefined) return start(key, answer)
      return (running.next ??= settled(running.answer).then(() => start(key, answer)))
    },
  }
}

interface Running<T> {
  readonly answer: Promise<T>
  next: Promise<T> | undefined
}

async function settled(promise: Promise<unknown>): Promise<void> {
  await Promise.allSettled([promise])
}
