import type { Row } from '../../../src/sql/port.ts'
import type { Evidence } from '../../../src/rules/evidence.ts'
import type { Decision } from './trail.ts'
import { type Rows, holds, same } from './invariant.ts'

interface Stored {
  readonly row: Row
  readonly place: string
  readonly ts: number
}

/** What was sent of an event, by what of it is compared. */
interface Sent {
  readonly run_id: string
  readonly release_id: string
  readonly environment: string
  readonly timestamp: string
  readonly usage: { readonly model: { readonly input_tokens: number; readonly output_tokens: number } }
}

const ONCE = 'events are stored once, as they were sent'
const SUMMED = [
  'runs',
  'errors',
  'latency_count',
  'latency_sum',
  'latency_sq',
  'input_sum',
  'output_sum',
  'input_sq',
  'input_output',
] as const

/** Every event that was ever stored, in the order of their commits. */
export class Events {
  readonly #rows: Rows
  readonly #stored: Stored[] = []
  readonly #byRun = new Map<string, Stored>()
  #seq = 0

  constructor(rows: Rows) {
    this.#rows = rows
  }

  /** How many were stored until now. */
  get count(): number {
    return this.#stored.length
  }

  follow(): void {
    const rows = this.#rows(
      `SELECT e.*, s.release_id, s.environment FROM run_events e JOIN scopes s ON s.id = e.scope
      WHERE e.seq > ? ORDER BY e.seq`,
      this.#seq,
    )
    for (const row of rows) {
      same(
        ONCE,
        `the other event of run ${row.run_id}`,
        this.#byRun.get(String(row.run_id))?.row.seq,
        undefined,
      )
      const stored = { row, place: `${row.release_id} ${row.environment}`, ts: Number(row.ts) }
      this.#stored.push(stored)
      this.#byRun.set(String(row.run_id), stored)
      this.#seq = Number(row.seq)
    }
  }

  /** Events that were answered for are stored, or are of a time that was pruned. */
  requireStored(events: readonly Sent[]): void {
    for (const { run_id, release_id, environment, timestamp, usage } of events) {
      const stored = this.#byRun.get(run_id)
      if (stored === undefined && Date.parse(timestamp) < this.#prunedBefore()) continue
      const { row } = stored ?? {}
      const { input_tokens, output_tokens } = usage.model
      same(
        stored === undefined ? 'what was acknowledged is there' : ONCE,
        `run ${run_id}`,
        row && [row.release_id, row.environment, row.ts, row.input_tokens, row.output_tokens],
        [release_id, environment, Date.parse(timestamp), input_tokens, output_tokens],
      )
    }
  }

  /** A decision rests on all runs that were stored when it was asked for, and on none that came after it. */
  requireCounted({ record }: Decision, countWhenAsked: number): void {
    const { evaluation, window } = record.evidence as Evidence
    for (const side of evaluation === null ? [] : [evaluation.baseline, evaluation.candidate]) {
      const place = `${side.release_id} ${record.environment}`
      const [since, until] = [Date.parse(window.since), Date.parse(window.until)]
      const matching = (events: readonly Stored[]): number =>
        events.filter(event => event.place === place && event.ts >= since && event.ts < until).length
      const [least, most] = [matching(this.#stored.slice(0, countWhenAsked)), matching(this.#stored)]
      const runs = side.variants.reduce((sum, variant) => sum + variant.runs, 0)
      holds(
        'the runs are those of its time',
        runs >= least && runs <= most,
        () => `${record.action_id} counts ${runs} of ${side.release_id}, not ${least} to ${most}`,
      )
    }
  }

  /** Compares rows and roll-ups with all that was ever stored. */
  reckon(): void {
    const before = this.#prunedBefore()
    const there = new Set(this.#rows('SELECT run_id FROM run_events').map(row => String(row.run_id)))
    const missing = this.#stored.find(({ row, ts }) => ts >= before && !there.has(String(row.run_id)))
    same('what was acknowledged is there', 'a run that is gone', missing?.row.run_id, undefined)
    for (const [table, width] of [
      ['rollup_minutes', 60_000],
      ['rollup_hours', 3_600_000],
    ] as const) {
      const rows = this.#rows(`SELECT * FROM ${table}`)
      const found = rows.map(row => [keyOf(row, Number(row.bucket)), ...SUMMED.map(column => row[column])])
      const sums = new Map<string, number[]>()
      for (const { row, ts } of this.#stored) {
        const key = keyOf(row, Math.floor(ts / width))
        sums.set(key, added(sums.get(key), row))
      }
      const expected = Array.from(sums, ([key, values]) => [key, ...values])
      same('roll-ups are the sums of events', table, found.sort(byKey), expected.sort(byKey))
    }
  }

  #prunedBefore(): number {
    return Number(this.#rows('SELECT events_before FROM retention WHERE id = 1')[0]!.events_before)
  }
}

function keyOf({ scope, variant }: Row, bucket: number): string {
  return `${scope} ${bucket} ${variant}`
}

function byKey(one: readonly unknown[], other: readonly unknown[]): number {
  return String(one[0]) < String(other[0]) ? -1 : 1
}

function added(sums: readonly number[] = SUMMED.map(() => 0), row: Row): number[] {
  const latency = Number(row.latency_ms ?? 0)
  const [input, output] = [Number(row.input_tokens), Number(row.output_tokens)]
  const of = [
    1,
    1 - Number(row.success),
    row.latency_ms === null ? 0 : 1,
    latency,
    latency ** 2,
    input,
    output,
    input ** 2,
    input * output,
  ]
  return sums.map((sum, index) => sum + of[index]!)
}
