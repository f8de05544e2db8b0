import type { Aggregate } from '../../rules/rollup.ts'

/** The names of a variant. */
export interface Variant {
  readonly agent_id: string
  readonly provider: string
  readonly model: string
}

/** Sums of a segment and variant, in the order of `SUM_COLUMNS`. */
export const WIDTH = 21
/** The sums of failed runs are behind all others. */
const OF_ALL = 14

interface Slot {
  readonly variant: number
  /** Where the sums begin. */
  readonly at: number
}

/** Sums of runs by segment and variant in one array of numbers: as many objects would take ten times as long. */
export class SumTable {
  readonly #slots = new Map<number, Slot[]>()
  sums = new Float64Array(16 * WIDTH)
  /** How many pairs of segment and variant there are. */
  size = 0

  /** Where the sums of a segment and variant begin; they are 0 at first. */
  at(segment: number, variant: number): number {
    let slots = this.#slots.get(segment)
    if (slots === undefined) this.#slots.set(segment, (slots = []))
    for (const slot of slots) if (slot.variant === variant) return slot.at
    const at = this.size * WIDTH
    slots.push({ variant, at })
    this.size += 1
    if (at + WIDTH > this.sums.length) {
      const larger = new Float64Array(2 * this.sums.length)
      larger.set(this.sums)
      this.sums = larger
    }
    return at
  }

  get segments(): ReadonlyMap<number, readonly Slot[]> {
    return this.#slots
  }

  /** Runs of all segments. */
  get runs(): number {
    let runs = 0
    for (let at = 0; at < this.size * WIDTH; at += WIDTH) runs += this.sums[at]!
    return runs
  }

  /** Runs of a segment. */
  runsOf(slots: readonly Slot[]): number {
    let runs = 0
    for (const { at } of slots) runs += this.sums[at]!
    return runs
  }
}

/** Characters of a packed text: each has five bits of a number, the lowest first, and one that says whether more follow. */
const FIRST = 48
const MORE = 32

/** Segment, variant and their sums, in the order of segments. */
export type PackedRow = readonly [segment: number, variant: number, ...sums: number[]]

/**
 * The sums of an hour as one text: reading it takes a twentieth of the time of its rows. Undefined where a sum is no number
 * from 0 on without a fraction, which a text would not hold.
 */
export function packedText(rows: readonly PackedRow[]): string | undefined {
  const codes: number[] = []
  let last = 0
  for (const [segment, variant, ...sums] of rows) {
    const hasFailed = sums.some((sum, index) => index >= OF_ALL && sum !== 0)
    const numbers = [segment - last, variant, ...sums.slice(0, OF_ALL), hasFailed ? 1 : 0]
    if (hasFailed) numbers.push(...sums.slice(OF_ALL))
    for (const number of numbers) {
      if (!Number.isInteger(number) || number < 0) return undefined
      let left = number
      for (; left >= MORE; left = Math.floor(left / MORE)) codes.push(FIRST + MORE + (left % MORE))
      codes.push(FIRST + left)
    }
    last = segment
  }
  return new TextDecoder().decode(Uint8Array.from(codes))
}

/** Adds what a text of {@link packedText} holds to a table. Reads numbers where it needs them: there are millions. */
export function addPacked(text: string, table: SumTable): void {
  const bytes = new TextEncoder().encode(text)
  let [at, segment] = [0, 0]
  while (at < bytes.length) {
    let row = 0
    for (let end = OF_ALL, index = -2; index < end; index++) {
      let code = bytes[at++]! - FIRST
      let value = code
      if (code >= MORE) {
        value -= MORE
        for (let scale = MORE; code >= MORE; scale *= MORE) {
          code = bytes[at++]! - FIRST
          value += (code % MORE) * scale
        }
      }
      if (index >= 0) table.sums[row + index]! += value
      else if (index === -2) segment += value
      else row = table.at(segment, value)
      // Behind the sums of all runs it says whether those of failed ones follow.
      if (index === OF_ALL - 1 && bytes[at++] !== FIRST) end = WIDTH
    }
  }
}

/** An event as it is summed: its variant, 1 if it succeeded, and the segments of its tenant and task, null of names without. */
export type UnsummedEvent = readonly [
  variant: number,
  success: number,
  latency_ms: number | null,
  input: number,
  output: number,
  cached: number,
  tenant: number | null,
  task: number | null,
]

/** Adds an event to a segment, as `SUMMED_EVENTS` does in the database. Taking an array apart by a pattern takes ten times as long. */
export function addEvent(event: UnsummedEvent, segment: number, table: SumTable): void {
  const latency_ms = event[2]
  const input = event[3]
  const output = event[4]
  const cached = event[5]
  const at = table.at(segment, event[0])
  const { sums } = table
  const latency = latency_ms ?? 0
  const counted = latency_ms === null ? 0 : 1
  sums[at]! += 1
  sums[at + 2]! += counted
  sums[at + 3]! += latency
  sums[at + 4]! += latency * latency
  sums[at + 5]! += input
  sums[at + 6]! += output
  sums[at + 7]! += cached
  sums[at + 8]! += input * input
  sums[at + 9]! += input * output
  sums[at + 10]! += input * cached
  sums[at + 11]! += output * output
  sums[at + 12]! += output * cached
  sums[at + 13]! += cached * cached
  if (event[1] === 1) return
  sums[at + 1]! += 1
  sums[at + 14]! += 1
  sums[at + 15]! += counted
  sums[at + 16]! += latency
  sums[at + 17]! += latency * latency
  sums[at + 18]! += input
  sums[at + 19]! += output
  sums[at + 20]! += cached
}

export function aggregateOf(
  { agent_id, provider, model }: Variant,
  segment: number,
  block: number,
  sums: Float64Array,
  at: number,
): Aggregate & { readonly segment: number } {
  return {
    agent_id,
    provider,
    model,
    segment,
    block,
    runs: sums[at]!,
    errors: sums[at + 1]!,
    latency_count: sums[at + 2]!,
    latency_sum_ms: sums[at + 3]!,
    latency_sum_ms2: sums[at + 4]!,
    input_tokens: sums[at + 5]!,
    output_tokens: sums[at + 6]!,
    cached_input_tokens: sums[at + 7]!,
    token_products: Array.from(sums.subarray(at + 8, at + OF_ALL)),
    failed_count: sums[at + 14]!,
    failed_latency_count: sums[at + 15]!,
    failed_latency_sum_ms: sums[at + 16]!,
    failed_latency_sum_ms2: sums[at + 17]!,
    failed_input_tokens: sums[at + 18]!,
    failed_output_tokens: sums[at + 19]!,
    failed_cached_input_tokens: sums[at + 20]!,
  }
}
