import { MILLION, toMillionths } from '../../rules/rollup.ts'
import { round12 } from '../../base/numbers.ts'
import type { Agreed } from './rules_paired.ts'

/** 1 for a try that passed and 0 for others: its mean is the rate. */
export const PASS_RATE = 'pass_rate'

/** One try of a case. */
export interface CaseResult {
  /** A keyed hash of the case's id, or where it has none of its input: `KEY_CHARS` of hex. */
  readonly key: string
  readonly isHashed: boolean
  /** Which try it is, from 1. */
  readonly epoch: number
  /** Cases with the same number hang together. */
  readonly cluster: number | null
  readonly scores: Readonly<Record<string, number>>
  /** Whether a human says that it passes. */
  readonly human: boolean | null
  readonly details: CaseDetails
}

/** What is shown of a try, and decides nothing. */
export interface CaseDetails {
  readonly tags?: readonly string[] | null | undefined
  readonly duration_ms?: number | null | undefined
  readonly tokens?: number | null | undefined
  readonly cost_usd?: number | null | undefined
  readonly trace_id?: string | null | undefined
}

/** Of SHA-256 the first 64 bits: among a million cases two are alike once in 10^7 suites, and such an import is refused. */
export const KEY_CHARS = 16

const DETAILS = ['tags', 'duration_ms', 'tokens', 'cost_usd', 'trace_id'] as const

type Packed = { keys: string; hashed: number } & Partial<
  Record<'epoch' | 'cluster' | 'human', (number | null)[]>
> & {
    scores: Record<string, (number | null)[]>
  }

/** Tries as columns: what decides as one text, what is only shown as another, null where there is nothing to show. */
export function packCases(results: readonly CaseResult[]): { cases: string; details: string | null } {
  const names = [...new Set(results.flatMap(({ scores }) => Object.keys(scores)))].sort()
  const column = <T>(of: (result: CaseResult) => T | null, unless: T | null = null): T[] | undefined => {
    const values = results.map(result => of(result))
    return values.every(value => value === unless) ? undefined : (values as T[])
  }
  const packed = {
    keys: results.map(({ key }) => key).join(''),
    hashed: results.filter(({ isHashed }) => isHashed).length,
    epoch: column(({ epoch }) => epoch, 1),
    cluster: column(({ cluster }) => cluster),
    human: column(({ human }) => (human === null ? null : Number(human))),
    scores: Object.fromEntries(names.map(name => [name, results.map(({ scores }) => toScore(scores[name]))])),
  }
  const shown = DETAILS.flatMap(name => {
    const values = column<unknown>(({ details }) => details[name] ?? null)
    return values === undefined ? [] : [[name, values] as const]
  })
  return {
    cases: JSON.stringify(packed),
    details: shown.length === 0 ? null : JSON.stringify(Object.fromEntries(shown)),
  }
}

/** Six decimals count. */
function toScore(score: number | undefined): number | null {
  return score === undefined ? null : toMillionths(score) / MILLION
}

/** The keys of the cases of a part, a try each. */
export function* keysIn(text: string): Generator<string> {
  const { keys } = JSON.parse(text) as Packed
  for (let at = 0; at < keys.length; at += KEY_CHARS) yield keys.slice(at, at + KEY_CHARS)
}

/** What is shown of the tries of a part, in their order; an empty list where nothing is. */
export function unpackDetails(text: string | null): CaseDetails[] {
  const columns = Object.entries(JSON.parse(text ?? '{}') as Record<string, unknown[]>)
  return Array.from({ length: columns[0]?.[1].length ?? 0 }, (_, index) =>
    Object.fromEntries(columns.map(([name, values]) => [name, values[index]])),
  )
}

const USED = ['duration_ms', 'tokens', 'cost_usd'] as const

/** What tries used together, of those that say so. */
export function usedBy(tries: readonly CaseDetails[]): { [name in (typeof USED)[number]]?: number } {
  const sums = USED.flatMap(name => {
    const values = tries.flatMap(of => of[name] ?? [])
    return values.length === 0 ? [] : [[name, round12(values.reduce((a, b) => a + b, 0))] as const]
  })
  return Object.fromEntries(sums)
}

/** What the tries of each case add up to. Cases are numbered in the order in which they came. */
export interface CaseTable {
  readonly keys: readonly string[]
  /** How many tries are known by their inputs. */
  readonly hashed: number
  readonly numbers: ReadonlyMap<string, number>
  /** Of each part the numbers of its tries' cases. */
  readonly rows: readonly Uint32Array[]
  /** How many tries each case has. */
  readonly epochs: Float64Array
  /** Null for a case that is alone; null where all do. */
  readonly clusters: readonly (number | null)[] | null
  readonly scores: ReadonlyMap<string, CaseScores>
  /** Tries by what the judge and a human say: both pass, only the judge does, only the human does, neither. */
  readonly agreed: Agreed
  /** The first try that is in it twice. */
  readonly doubled: { readonly key: string; readonly epoch: number } | undefined
}

/** One score of each case, in millionths. */
interface CaseScores {
  /** How many tries have it. */
  readonly n: Float64Array
  readonly sum: Float64Array
  /** How many have 1 or more. */
  readonly full: Float64Array
  /** Whether all of them are 0 or 1. */
  readonly isBinary: boolean
}

/** More than the number of any epoch. */
const EPOCH_RANGE = 2 ** 20

/** The cases of an import from the texts of its parts, in their order. */
export function tableOf(texts: readonly string[]): CaseTable {
  const parts = texts.map(text => JSON.parse(text) as Packed)
  const numbers = new Map<string, number>()
  const keys: string[] = []
  const clusters: (number | null)[] = []
  const epochs: number[] = []
  const first: number[] = []
  const others = new Set<number>()
  let doubled: CaseTable['doubled']
  const rows = parts.map(({ keys: all, epoch, cluster }) => {
    const row = new Uint32Array(all.length / KEY_CHARS)
    for (let index = 0; index < row.length; index++) {
      const key = all.slice(index * KEY_CHARS, (index + 1) * KEY_CHARS)
      const at = epoch?.[index] ?? 1
      const known = numbers.get(key)
      const number = known ?? keys.push(key) - 1
      row[index] = number
      if (known === undefined) {
        numbers.set(key, number)
        clusters.push(cluster?.[index] ?? null)
        epochs.push(1)
        first.push(at)
        continue
      }
      epochs[number]! += 1
      const again = number * EPOCH_RANGE + at
      if (first[number] === at || others.has(again)) doubled ??= { key, epoch: at }
      others.add(again)
    }
    return row
  })
  const names = [...new Set(parts.flatMap(({ scores }) => Object.keys(scores)))].sort()
  const scores = new Map(names.map(name => [name, scoresOf(name, parts, rows, keys.length)]))
  return {
    keys,
    hashed: parts.reduce((sum, { hashed }) => sum + hashed, 0),
    numbers,
    rows,
    clusters: clusters.some(cluster => cluster !== null) ? clusters : null,
    epochs: Float64Array.from(epochs),
    scores,
    agreed: agreedOf(parts),
    doubled,
  }
}

function scoresOf(
  name: string,
  parts: readonly Packed[],
  rows: readonly Uint32Array[],
  cases: number,
): CaseScores {
  const [n, sum, full] = [new Float64Array(cases), new Float64Array(cases), new Float64Array(cases)]
  let isBinary = true
  for (const [part, { scores }] of parts.entries()) {
    const values = scores[name] ?? []
    const row = rows[part]!
    for (let index = 0; index < values.length; index++) {
      const value = values[index]
      if (value == null) continue
      const number = row[index]!
      n[number]! += 1
      sum[number]! += toMillionths(value)
      if (value >= 1) full[number]! += 1
      isBinary &&= value === 0 || value === 1
    }
  }
  return { n, sum, full, isBinary }
}

function agreedOf(parts: readonly Packed[]): Agreed {
  const counts: [number, number, number, number] = [0, 0, 0, 0]
  for (const { human = [], scores } of parts) {
    for (const [index, says] of human.entries()) {
      const passed = scores[PASS_RATE]?.[index]
      if (says == null || passed == null) continue
      counts[(passed >= 1 ? 0 : 2) + (says === 1 ? 0 : 1)]! += 1
    }
  }
  return [counts[0], counts[1], counts[2], counts[3]]
}

/** By score how many cases have it, and Σ and Σ² of their means in millionths, which a case counts with once. */
export function sumsOfCases({ scores }: CaseTable): Record<string, readonly [number, number, number]> {
  const sums = Array.from(scores, ([name, { n, sum }]) => {
    let [cases, total, squares] = [0, 0, 0]
    for (let number = 0; number < n.length; number++) {
      if (n[number] === 0) continue
      const mean = Math.round(sum[number]! / n[number]!)
      cases += 1
      total += mean
      squares += mean * mean
    }
    return [name, [cases, total, squares]] as const
  })
  return Object.fromEntries(sums)
}

/** For each case of a table its number in another one. */
export interface Partners {
  /** -1 for a case that the other one lacks. */
  readonly numbers: Int32Array
  /** How many both have. */
  readonly shared: number
}

const KNOWN = new WeakMap<CaseTable, WeakMap<CaseTable, Partners>>()

/** Tables never change, so what they share is found once. */
export function partnersOf(table: CaseTable, other: CaseTable): Partners {
  const known = KNOWN.get(table) ?? new WeakMap<CaseTable, Partners>()
  KNOWN.set(table, known)
  const found = known.get(other) ?? findPartners(table, other)
  known.set(other, found)
  return found
}

function findPartners({ keys }: CaseTable, other: CaseTable): Partners {
  const numbers = new Int32Array(keys.length)
  let shared = 0
  for (let number = 0; number < keys.length; number++) {
    const partner = other.numbers.get(keys[number]!) ?? -1
    numbers[number] = partner
    if (partner >= 0) shared += 1
  }
  return { numbers, shared }
}
