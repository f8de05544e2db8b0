import { chanceOf } from './chance.ts'

/** What can go wrong, by where; the number is how much of the faults of that place it makes up. */
export const FAULTS = {
  read: { 'read refused: connection lost': 3, 'server killed before a read': 1 },
  batch: {
    'batch refused: busy': 3,
    'batch refused: serialization': 3,
    'batch refused: connection lost': 3,
    'batch rolled back, answer lost': 4,
    'batch committed, answer lost': 6,
    'batch committed later, answer lost': 4,
    'server killed before a batch': 1,
    'server killed between two statements': 3,
    'server killed after a commit': 3,
  },
  follower: { 'stale read from the standby': 8, 'standby lost': 1 },
  request: { 'request lost': 1, 'caller gave up waiting': 1 },
  answer: { 'answer lost': 1 },
  receiver: {
    'receiver unreachable': 3,
    'receiver answered 500': 2,
    'delivery taken, its answer lost': 2,
  },
  world: {
    "database's clock set forward": 5,
    "database's clock set back": 2,
    'clock of a server moved': 3,
    'server killed while it waits': 3,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, number>>>>

export type Place = keyof typeof FAULTS
type FaultsOf = { [P in Place]: keyof (typeof FAULTS)[P] }
export type Fault = FaultsOf[Place]

export const ALL_FAULTS: readonly Fault[] = Object.values(FAULTS).flatMap(
  kinds => Object.keys(kinds) as Fault[],
)

/** A fault that was injected: the how manieth opportunity it was, and what. */
export interface Injected {
  readonly opportunity: number
  readonly fault: Fault
}

/** Decides at each opportunity by its number alone, so that leaving one fault out leaves the others as they are. */
export class Faults {
  readonly injected: Injected[] = []
  /** No more once the world heals. */
  healed = false
  readonly #seed: number
  readonly #rates: Readonly<Record<Place, number>>
  readonly #only: ReadonlySet<number> | undefined
  #opportunities = 0

  /** `only` are the opportunities that are taken; all that the seed says unless given. */
  constructor(seed: number, only?: readonly number[]) {
    this.#seed = seed
    const chance = chanceOf(seed, 'rates')
    const rate = (...rates: number[]): number => chance.pick(rates)
    this.#rates = {
      read: rate(0, 0.005, 0.02),
      batch: rate(0, 0.02, 0.06, 0.15),
      follower: rate(0.2, 0.6),
      request: rate(0, 0.01, 0.05),
      answer: rate(0, 0.02, 0.1),
      receiver: rate(0, 0.1, 0.4),
      world: rate(0, 0.002, 0.01),
    }
    this.#only = only === undefined ? undefined : new Set(only)
  }

  at<P extends Place>(place: P): FaultsOf[P] | undefined {
    if (this.healed) return undefined
    const opportunity = ++this.#opportunities
    const chance = chanceOf(this.#seed, 'fault', opportunity)
    if (!chance.is(this.#rates[place])) return undefined
    const kinds = Object.entries(FAULTS[place]) as [FaultsOf[P], number][]
    const fault = weighted(kinds, chance.below(kinds.reduce((sum, [, weight]) => sum + weight, 0)))
    if (this.#only?.has(opportunity) === false) return undefined
    this.injected.push({ opportunity, fault: fault as Fault })
    return fault
  }
}

function weighted<T>(items: readonly (readonly [T, number])[], at: number): T {
  let left = at
  for (const [item, weight] of items) {
    if (left < weight) return item
    left -= weight
  }
  throw new Error('at lies beyond the weights')
}
