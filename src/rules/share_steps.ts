import { MINUTE_MS } from '../base/time.ts'
import type { BucketRuns } from './common_time.ts'

/** Most runs of the minutes that may hold runs which were under way: so many rows of a side are read to find them. */
export const MOST_RUNS = 20_000

/** Most starts that are left out, and how many times as long as usual the time behind such a one is. */
const [MOST_EARLY, EARLY_GAPS] = [2, 10]

/** When a release began, by starts of its first runs: the earliest one that others follow. Undefined without any. */
export function beganOf(starts: readonly number[]): number | undefined {
  const sorted = starts.toSorted((a, b) => a - b)
  const gaps = sorted.slice(1).map((start, index) => start - sorted[index]!)
  const usual = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0
  const isEarly = (index: number): boolean => gaps[index]! > Math.max(MINUTE_MS, EARLY_GAPS * usual)
  const early = Math.min(MOST_EARLY, Math.floor(gaps.length / 10))
  let first = 0
  for (let index = 0; index < early; index++) if (isEarly(index)) first = index + 1
  return sorted[first]
}

/** Most times that are found. */
const MOST_STEPS = 6
/** How many times the odds of a side change at least, and what the likelihood ratio says of chance. */
const [LEAST_CHANGE, LEAST_G] = [2, 25]

/** Runs of both sides in one bucket of time. */
interface Both {
  readonly bucket: number
  readonly baseline: number
  readonly candidate: number
}

/**
 * The buckets from which on the share of the traffic between two sides is more than twice or less than half of what it was, in
 * their order. The plainest change is found first, then those on either side of it.
 */
export function stepsOf(baseline: readonly BucketRuns[], candidate: readonly BucketRuns[]): number[] {
  const sums = sumsOf(baseline, candidate)
  const parts = [plainest(sums, { from: 0, to: sums.length - 1 })]
  const steps: number[] = []
  while (steps.length < MOST_STEPS) {
    const found = parts.reduce((one, other) => (other.g > one.g ? other : one))
    if (found.g === 0) break
    const { from, at, to } = found
    steps.push(sums[at]!.bucket)
    parts.splice(parts.indexOf(found), 1, plainest(sums, { from, to: at }), plainest(sums, { from: at, to }))
  }
  return steps.sort((a, b) => a - b)
}

/** The runs of both sides before each bucket that has any, and behind the last one. */
function sumsOf(baseline: readonly BucketRuns[], candidate: readonly BucketRuns[]): Both[] {
  const [b, c] = [baseline, candidate].map(side => new Map(side.map(({ bucket, runs }) => [bucket, runs])))
  const buckets = [...new Set([...b!.keys(), ...c!.keys()])].sort((one, other) => one - other)
  const sums: Both[] = []
  let [before, other] = [0, 0]
  for (const bucket of [...buckets, Infinity]) {
    sums.push({ bucket, baseline: before, candidate: other })
    before += b!.get(bucket) ?? 0
    other += c!.get(bucket) ?? 0
  }
  return sums
}

interface Part {
  readonly from: number
  readonly to: number
}

/** Where in a part of the time the share changes most plainly, by as many buckets before as behind; `g` is 0 where nowhere. */
function plainest(
  sums: readonly Both[],
  { from, to }: Part,
): Part & { readonly at: number; readonly g: number } {
  let best = { at: from, g: 0 }
  for (let at = from + 1; at < to; at++) {
    for (let width = 1; ; width *= 2) {
      const [start, end] = [Math.max(from, at - width), Math.min(to, at + width)]
      const g = changeOf(between(sums[start]!, sums[at]!), between(sums[at]!, sums[end]!))
      if (g > best.g) best = { at, g }
      if (start === from && end === to) break
    }
  }
  return { from, to, ...best }
}

type Split = readonly [baseline: number, candidate: number]

function between(start: Both, end: Both): Split {
  return [end.baseline - start.baseline, end.candidate - start.candidate]
}

/** The likelihood ratio (G) of another share against the same; 0 where it changes too little, or by chance. */
function changeOf(before: Split, after: Split): number {
  const odds = (([b, c]) => (c + 0.5) / (b + 0.5)) satisfies (split: Split) => number
  const change = odds(after) / odds(before)
  if (change <= LEAST_CHANGE && change >= 1 / LEAST_CHANGE) return 0
  const all: Split = [before[0] + after[0], before[1] + after[1]]
  const g = 2 * (likelihood(before) + likelihood(after) - likelihood(all))
  return g >= LEAST_G ? g : 0
}

function likelihood([b, c]: Split): number {
  const term = (runs: number): number => (runs === 0 ? 0 : runs * Math.log(runs / (b + c)))
  return term(b) + term(c)
}
