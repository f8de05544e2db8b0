import { compareTexts } from '../../base/text.ts'
import { HOUR_MS } from '../../base/time.ts'
import { BLOCKS } from '../../rules/comparability.ts'
import type { CellSums } from '../../rules/rollup.ts'
import type { Window } from '../../rules/window.ts'
import type { Result, Statement } from '../../sql/port.ts'
import { type Query, allRows } from '../../sql/query.ts'
import { nullable } from '../../sql/row.ts'
import { cellSegmentsOf } from '../events/rollups.ts'
import { keepLatest } from '../latest.ts'
import { type CellPart, TOTALS, allCellsStatement, hourTotalsStatement, toCellSums } from './cells.ts'

/**
 * Sums of whole hours by block of time that were read once, with their totals, by release and hours. They are taken
 * again only where the same snapshot that reads the rest finds the same totals by variant, and the ledger that they were
 * read from: hours that are over change seldom.
 */
export type KeptHours = Map<string, HourCells>

interface HourCells {
  /** The rows of {@link hourTotalsStatement} that were read with them. */
  readonly totals: string
  /** The newest event then. */
  readonly markSeq: number | undefined
  readonly cells: readonly CellSums[]
  /** Where the sums of a variant and block are among them. */
  readonly places: ReadonlyMap<string, number>
}

/** Most releases and hours of which sums are kept, and most sums of each. */
const MOST_HOURS = 100
const MOST_CELLS = 500

/**
 * What {@link allCellsStatement} reads, for a window of which questions are asked repeatedly; undefined where what was kept
 * is out of date. `anew` takes nothing that was kept.
 */
export function repeatedCells(
  kept: KeptHours,
  releaseId: string,
  environment: string,
  window: Window,
  anew: boolean,
): Query<CellSums[] | undefined> {
  const cells = (part: CellPart): Statement => allCellsStatement(releaseId, environment, window, { part })
  const { from, to } = cellSegmentsOf(window).hours
  if (from === to) {
    return allRows(cells('all'), toCellSums)
  }
  const key = [releaseId, environment, from, to, ...blockStarts(window)].join('\0')
  const known = anew ? undefined : kept.get(key)
  const statements = [
    hourTotalsStatement(releaseId, environment, window, { markSeq: known?.markSeq, most: MOST_CELLS + 1 }),
    cells('rest'),
    ...(known === undefined ? [cells('hours')] : []),
  ]
  return {
    statements,
    read: ([totals, rest, hours]) => {
      const now = JSON.stringify(totals!.rows)
      if (known !== undefined && known.totals !== now) return undefined
      const whole = known ?? toHourCells(totals!, hours!)
      if (mayKeep(totals!, whole.cells)) keepLatest(kept, key, whole, MOST_HOURS)
      return merged(whole, rest!.rows.map(toCellSums))
    },
  }
}

/** The first hour of each block of time: while they are the same, so are the blocks of all hours. */
function blockStarts({ since, until }: Window): number[] {
  return Array.from({ length: BLOCKS }, (_, block) =>
    Math.ceil((since + (block * (until - since)) / BLOCKS) / HOUR_MS),
  )
}

/** Sums beyond 2^53 don't change with each event, and many models make one block of all of them. */
function mayKeep(totals: Result, cells: readonly CellSums[]): boolean {
  return (
    cells.length <= MOST_CELLS &&
    totals.rows.every(
      row =>
        Number(row.blocks) === BLOCKS && TOTALS.every(name => Number(row[name]) <= Number.MAX_SAFE_INTEGER),
    )
  )
}

function toHourCells(totals: Result, hours: Result): HourCells {
  const cells = hours.rows.map(toCellSums)
  return {
    totals: JSON.stringify(totals.rows),
    markSeq: nullable(totals.rows[0]?.mark_seq, Number) ?? undefined,
    cells,
    places: new Map(cells.map((cell, index) => [keyOf(cell), index])),
  }
}

/** Adds up the sums of the same variant and block of time, in the order in which they are read at once. */
function merged({ cells, places }: HourCells, others: readonly CellSums[]): CellSums[] {
  const all = [...cells]
  for (const other of others) {
    const place = places.get(keyOf(other))
    if (place === undefined) all.push(other)
    else all[place] = added(all[place]!, other)
  }
  return all.length === cells.length ? all : all.sort(inOrder)
}

function keyOf({ agent_id, provider, model, block }: CellSums): string {
  return `${agent_id}\0${provider}\0${model}\0${block}`
}

function inOrder(a: CellSums, b: CellSums): number {
  return (
    compareTexts(a.agent_id, b.agent_id) ||
    compareTexts(a.provider, b.provider) ||
    compareTexts(a.model, b.model) ||
    a.block - b.block
  )
}

function added(a: CellSums, b: CellSums): CellSums {
  return {
    ...a,
    runs: a.runs + b.runs,
    errors: a.errors + b.errors,
    latency_count: a.latency_count + b.latency_count,
    latency_sum_ms: a.latency_sum_ms + b.latency_sum_ms,
    latency_sum_ms2: a.latency_sum_ms2 + b.latency_sum_ms2,
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cached_input_tokens: a.cached_input_tokens + b.cached_input_tokens,
    token_products: a.token_products.map((product, index) => product + b.token_products[index]!),
  }
}
