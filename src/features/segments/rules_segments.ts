import { compareTexts } from '../../base/text.ts'
import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import { keepingLast } from './last.ts'
import { SumTable, type Variant, WIDTH, aggregateOf } from './rules_tables.ts'
import type { Cut } from '../../rules/common_time.ts'
import { type Aggregate, NO_FAILED, NO_SUMS, type PartSums } from '../../rules/rollup.ts'
import { LEAST_CANDIDATE_SHARE, type SegmentMatch } from '../../rules/statistics/match.ts'
import { overlapWeight, unitsOf } from '../../rules/statistics/stratified.ts'
import type { Range } from '../../rules/window.ts'

/** What runs are grouped by: whom they were for, or what they were to do. */
export const SEGMENT_KINDS = ['tenant', 'task'] as const
export type SegmentKind = (typeof SEGMENT_KINDS)[number]

/** Most names of a kind, per agent and environment, that get sums of their own. */
export const MOST_SEGMENTS = 500

/** How long sums by tenant and task are kept, and the longest window that is compared by them, ms. */
export const MOST_SEGMENTS_MS = 35 * DAY_MS

/** The segment of all names beyond those that have one of their own. */
export const REST = 0

/** Sums of a side by segment; `block` is the part of the time that the stretches are gathered in. */
export interface SegmentSums {
  /** What {@link aggregates} have of runs, where that is known without them: those of a kind with few runs each are never read. */
  readonly runs?: readonly RunsOfPart[]
  readonly aggregates: readonly (Aggregate & Segment)[]
  readonly parts: readonly (PartSums & Segment)[]
}

interface Segment {
  readonly segment: number
}

type RunsOfPart = Segment & Pick<Aggregate, 'block' | 'runs'>

/** Sums of the runs in one stretch of the hours in which both sides ran, its number. */
export interface StretchSums {
  readonly block: number
  readonly table: SumTable
  /** The variants of the table, by their ids. */
  readonly variants: ReadonlyMap<number, Variant>
}

/** Sums of a side by segment as they are read, the stretches in their order. */
export interface ReadSums {
  readonly runs: readonly StretchSums[]
  readonly parts: readonly (PartSums & Segment)[]
}

/** Stretches of equal length, about, in which the hours in which both sides ran are read. */
const STRETCHES = 24

/** How many hours a stretch has. Stretches begin at multiples of it, so that they stay the same while a window moves on. */
export function stretchHours({ from, to }: Range): number {
  return Math.max(1, Math.ceil((to - from) / STRETCHES))
}

/** Parts of equal weight in which stretches are gathered, before they are joined to fewer. */
export const PARTS = 8

/**
 * Gathers the stretches in which both sides ran in up to {@link PARTS} parts that weigh the same: quiet nights are one part
 * with the hours next to them. Numbers of runs alone decide, never values. A kind that a side lacks sums of is undefined.
 */
export function gathered(sides: OfSides<ReadSums>): OfSides<SegmentSums> {
  return lastGathered(sumsOfSides(sides), '', () => gather(sides))
}

type OfSides<T> = Readonly<Record<'baseline' | 'candidate', ReadonlyMap<SegmentKind, T | undefined>>>

const lastGathered = keepingLast<OfSides<SegmentSums>>()

/** The sums that both sides have of their kinds, by which what was worked out of them is kept. */
function sumsOfSides({ baseline, candidate }: OfSides<ReadSums>): ReadSums[] {
  return [...baseline.values(), ...candidate.values()].filter(sums => sums !== undefined)
}

function gather({ baseline, candidate }: OfSides<ReadSums>): OfSides<SegmentSums> {
  const kind = SEGMENT_KINDS.find(own => baseline.get(own) !== undefined && candidate.get(own) !== undefined)
  const [b, c] = [runsByStretch(kind && baseline.get(kind)), runsByStretch(kind && candidate.get(kind))]
  const blocks = [...b.keys()].filter(block => block >= 0 && c.has(block)).sort((x, y) => x - y)
  const weights = blocks.map(block => overlapWeight(b.get(block)!, c.get(block)!))
  const parts = new Map(unitsOf(weights, PARTS).map((part, index) => [blocks[index]!, part]))
  const question = JSON.stringify([...parts])
  const inParts = (sums: ReadonlyMap<SegmentKind, ReadSums | undefined>) =>
    new Map(
      Array.from(sums, ([own, read]) => [
        own,
        kind && read && lastJoined([read], question, () => joinedSums(parts, read)),
      ]),
    )
  return { baseline: inParts(baseline), candidate: inParts(candidate) }
}

function runsByStretch(sums: ReadSums | undefined): Map<number, number> {
  const runs = new Map<number, number>()
  for (const { block, table } of sums?.runs ?? []) runs.set(block, (runs.get(block) ?? 0) + table.runs)
  return runs
}

/** Of the side that did not change, where one run came to the other. */
const lastJoined = keepingLast<SegmentSums>()

/** Sums of the same segment and variant in the same part, added up; those of the first stretches first, by their names. */
function joinedSums(partOf: ReadonlyMap<number, number>, { runs: stretches, parts }: ReadSums): SegmentSums {
  const all = new SumTable()
  const names = new Map<string, number>()
  const variants: Variant[] = []
  const numberOf = (variant: Variant): number => {
    const name = [variant.agent_id, variant.provider, variant.model].join('\0')
    const known = names.get(name)
    if (known !== undefined) return known
    names.set(name, variants.length)
    return variants.push(variant) - 1
  }
  /** The stretch that each sum is first of. */
  const since: number[] = []
  for (const { block, table, variants: own } of stretches) {
    const part = partOf.get(block)
    if (part === undefined) continue
    const numbers = new Map(Array.from(own, ([id, variant]) => [id, numberOf(variant)]))
    for (const [segment, slots] of table.segments) {
      for (const { variant, at } of slots) {
        const to = all.at(segment * PARTS + part, numbers.get(variant)!)
        if (since.length < all.size) since.push(block)
        for (let index = 0; index < WIDTH; index++) all.sums[to + index]! += table.sums[at + index]!
      }
    }
  }
  const pairs = Array.from(all.segments, ([key, slots]) => ({ key, slots })).sort((a, b) => a.key - b.key)
  const placeOf = (key: number) => ({ segment: Math.floor(key / PARTS), block: key % PARTS })
  let aggregates: SegmentSums['aggregates'] | undefined
  const aggregated = (): SegmentSums['aggregates'] => {
    const ordered = variants.toSorted(compareVariants)
    const ranks = variants.map(variant => ordered.indexOf(variant))
    return pairs.flatMap(({ key, slots }) => {
      const { segment, block } = placeOf(key)
      return slots
        .toSorted(
          (a, b) => since[a.at / WIDTH]! - since[b.at / WIDTH]! || ranks[a.variant]! - ranks[b.variant]!,
        )
        .map(({ variant, at }) => aggregateOf(variants[variant]!, segment, block, all.sums, at))
    })
  }
  return {
    runs: pairs.map(({ key, slots }) => ({ ...placeOf(key), runs: all.runsOf(slots) })),
    get aggregates() {
      return (aggregates ??= aggregated())
    },
    parts: joinedParts(partOf, parts),
  }
}

function compareVariants(a: Variant, b: Variant): number {
  return (
    compareTexts(a.agent_id, b.agent_id) ||
    compareTexts(a.provider, b.provider) ||
    compareTexts(a.model, b.model)
  )
}

type Part = ReadSums['parts'][number]

/** The same of what runs used in addition to their own models, which few runs did. */
function joinedParts(partOf: ReadonlyMap<number, number>, parts: readonly Part[]): Part[] {
  const names = Object.entries(parts[0] ?? {}).flatMap(([name, value]) =>
    typeof value === 'number' && name !== 'block' && name !== 'segment' ? [name] : [],
  )
  type Joined = Part & { block: number; token_products: number[] }
  const sums = new Map<string, Joined>()
  for (const own of parts) {
    const block = partOf.get(own.block)
    if (block === undefined) continue
    const key = [own.segment, block, own.agent_id, own.provider, own.model].join('\0')
    const found = sums.get(key)
    if (found === undefined) {
      sums.set(key, { ...own, block, token_products: [...own.token_products] })
      continue
    }
    const numbers = found as unknown as Record<string, number>
    for (const name of names) numbers[name]! += own[name as keyof Part] as number
    for (const [index, product] of own.token_products.entries()) found.token_products[index]! += product
  }
  return [...sums.values()]
}

/** Numbers of parts that segments are cut into. */
const CUTS = [8, 4, 2, 1] as const
/** Share of the candidate's runs, of those that count in one part, that must count in several. */
const LEAST_KEPT = 0.9
/** Runs per side without which a segment doesn't count. */
const LEAST_RUNS = 2
/** Segments that are named of those that only one side has. */
const MOST_NAMED = 5

/** How two sides are compared by segments, and what of them isn't. */
export interface SegmentPlan {
  readonly cut: Cut
  readonly match: SegmentMatch
  /** Parts of the time that each tenant or task is compared in by itself. */
  readonly parts: number
  /** Share of the candidate's runs in these hours of segments without enough runs of the baseline, and the largest of those. */
  readonly only_candidate: { readonly share: number; readonly largest: readonly number[] }
  /** The same of the baseline. */
  readonly only_baseline: { readonly share: number; readonly largest: readonly number[] }
}

/** A side whose aggregates are those of pairs of part and segment, numbered alike on both sides; the rest is block -1. */
export interface StratifiedSide {
  readonly aggregates: readonly Aggregate[]
  readonly parts: readonly PartSums[]
}

interface SideSums {
  readonly aggregates: readonly Aggregate[]
  readonly parts: readonly PartSums[]
  readonly segments: SegmentSums
}

/**
 * Cuts both sides into segments: each tenant or task within the largest of 8, 4, 2 or 1 parts of the time that keeps 90 % of
 * the candidate's runs that one part keeps. Numbers of runs alone decide, never values.
 */
export function stratified(
  by: SegmentKind,
  hours: Range,
  sides: { readonly baseline: SideSums; readonly candidate: SideSums },
): { readonly plan: SegmentPlan; readonly baseline: StratifiedSide; readonly candidate: StratifiedSide } {
  const keptOf = (parts: number): number => {
    const [b, c] = [joined(sides.baseline.segments, parts), joined(sides.candidate.segments, parts)]
    let kept = 0
    for (const [key, runs] of c) if (runs >= LEAST_RUNS && (b.get(key) ?? 0) >= LEAST_RUNS) kept += runs
    return kept
  }
  const most = keptOf(1)
  const parts = CUTS.find(cut => keptOf(cut) >= LEAST_KEPT * most) ?? 1
  const numbers = new Map<string, number>()
  const numberOf = ({ block, segment }: { readonly block: number } & Segment): number => {
    const key = keyOf(block, segment, parts)
    const known = numbers.get(key)
    if (known !== undefined) return known
    numbers.set(key, numbers.size)
    return numbers.size - 1
  }
  const of = ({ aggregates, parts: own, segments }: SideSums): StratifiedSide => ({
    aggregates: [
      ...segments.aggregates.map(aggregate => ({ ...aggregate, block: numberOf(aggregate) })),
      ...restOf(aggregates, segments.aggregates),
    ],
    parts: [
      ...segments.parts.map(part => ({ ...part, block: numberOf(part) })),
      ...restOf(own, segments.parts),
    ],
  })
  const [baseline, candidate] = [of(sides.baseline), of(sides.candidate)]
  const runs = {
    baseline: bySegment(sides.baseline.segments),
    candidate: bySegment(sides.candidate.segments),
  }
  const all = sum([...runs.candidate.values()])
  const rest = runs.candidate.get(REST) ?? 0
  return {
    plan: {
      cut: {
        from: hours.from * HOUR_MS,
        to: hours.to * HOUR_MS,
        width_ms: ((hours.to - hours.from) * HOUR_MS) / parts,
      },
      match: { by, blocks: numbers.size, is_separable: rest <= (1 - LEAST_CANDIDATE_SHARE) * all },
      parts,
      only_candidate: onlyOf(runs.candidate, runs.baseline),
      only_baseline: onlyOf(runs.baseline, runs.candidate),
    },
    baseline,
    candidate,
  }
}

function keyOf(block: number, segment: number, parts: number): string {
  return `${Math.floor((block * parts) / PARTS)} ${segment}`
}

function joined(sums: SegmentSums, parts: number): Map<string, number> {
  const runs = new Map<string, number>()
  for (const { block, segment, runs: own } of sums.runs ?? sums.aggregates) {
    const key = keyOf(block, segment, parts)
    runs.set(key, (runs.get(key) ?? 0) + own)
  }
  return runs
}

/** Runs by segment. */
export function bySegment(sums: SegmentSums): ReadonlyMap<number, number> {
  return lastBySegment([sums], '', () => {
    const runs = new Map<number, number>()
    for (const { segment, runs: own } of sums.runs ?? sums.aggregates)
      runs.set(segment, (runs.get(segment) ?? 0) + own)
    return runs
  })
}

/** The same of all stretches. */
export function runsBySegment(sums: ReadSums): ReadonlyMap<number, number> {
  return lastBySegment([sums], '', () => {
    const runs = new Map<number, number>()
    for (const { table } of sums.runs) {
      for (const [segment, slots] of table.segments)
        runs.set(segment, (runs.get(segment) ?? 0) + table.runsOf(slots))
    }
    return new Map([...runs].sort(([a], [b]) => a - b))
  })
}

const lastBySegment = keepingLast<ReadonlyMap<number, number>>()

/** The share of a side's runs that is of segments in which the other has too few, and the largest of those. */
function onlyOf(
  own: ReadonlyMap<number, number>,
  other: ReadonlyMap<number, number>,
): SegmentPlan['only_candidate'] {
  const lacking = [...own].filter(([segment]) => (other.get(segment) ?? 0) < LEAST_RUNS)
  const all = sum([...own.values()])
  return {
    share: all === 0 ? 0 : sum(lacking.map(([, runs]) => runs)) / all,
    largest: lacking
      .toSorted(([a, runs], [b, more]) => more - runs || a - b)
      .slice(0, MOST_NAMED)
      .map(([segment]) => segment),
  }
}

/** What the segments lack of all aggregates: the ragged ends of the window, and runs from before there were segments. */
function restOf<T extends Aggregate | PartSums>(all: readonly T[], segments: readonly T[]): T[] {
  const variantOf = ({ agent_id, provider, model }: T): string => [agent_id, provider, model].join('\0')
  const counted = Map.groupBy(segments, variantOf)
  return Array.from(Map.groupBy(all, variantOf), ([variant, aggregates]) => {
    const own = counted.get(variant) ?? []
    // Sums beyond 2^53 are rounded, so what is left of them may be below 0.
    const left = (of: (aggregate: T) => number): number =>
      Math.max(0, sum(aggregates.map(of)) - sum(own.map(of)))
    const numbers = NUMBERS.filter(name => name in aggregates[0]!)
    return {
      ...aggregates[0]!,
      block: -1,
      ...Object.fromEntries(
        numbers.map(name => [name, left(aggregate => Number(aggregate[name as keyof T]))]),
      ),
      token_products: aggregates[0]!.token_products.map((_, index) =>
        left(aggregate => aggregate.token_products[index]!),
      ),
    }
  }).filter(rest => ('parts' in rest ? rest.parts : rest.runs) > 0)
}

const NUMBERS = [...Object.keys(NO_SUMS), ...Object.keys(NO_FAILED), 'latency_sum_ms2', 'parts']

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
