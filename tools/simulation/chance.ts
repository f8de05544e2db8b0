import { seededRandom } from '../../src/base/numbers.ts'

/** Choices that depend on a seed only. */
export interface Chance {
  /** A whole number from 0 to below `count`. */
  below(count: number): number
  is(probability: number): boolean
  pick<T>(items: readonly T[]): T
  /** `digits` hexadecimal digits. */
  hex(digits: number): string
}

/** A stream of choices per path: reading one stream does not move another. */
export function chanceOf(seed: number, ...path: readonly (string | number)[]): Chance {
  const next = seededRandom(path.reduce<number>((mixed, part) => mix(mixed, String(part)), seed | 0))
  const below = (count: number): number => Math.floor(next() * count)
  return {
    below,
    is: probability => next() < probability,
    pick: items => items[below(items.length)]!,
    hex: digits => Array.from({ length: digits }, () => below(16).toString(16)).join(''),
  }
}

/** FNV-1a over the text (draft-eastlake-fnv), begun at a number. */
function mix(start: number, text: string): number {
  let hash = start ^ 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash | 0
}
