import type { Row } from '../../../src/sql/port.ts'
import type { Decision } from './trail.ts'
import { type Rows, holds, same } from './invariant.ts'

interface Stored {
  /** As it was first stored. */
  readonly row: Row
  readonly tenant: string
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

/** Erasures of a tenant: how many are under way, and of how many events that were stored first any may be gone. */
interface Erasures {
  underWay: number
  upTo: number
}

/** Every event that was ever stored, in the order of their commits. */
export class Events {
  readonly #rows: Rows
  readonly #erasures = new Map<string, Erasures>()
  /** Runs that are gone for good. */
  readonly #erased = new Set<string>()
  readonly #stored: Stored[] = []
  readonly #byRun = new Map<string, Stored>()
  #seq = 0

  constructor(rows: Rows) {
    this.#rows = rows
  }

  /** How many were put back, and how many runs are gone for good. */
  back = 0
  get erased(): number {
    return this.#erased.size
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
      this.#seq = Number(row.seq)
      const known = this.#byRun.get(String(row.run_id))
      if (known !== undefined) {
        this.#requireBack(known, row)
        continue
      }
      const stored = {
        row,
        tenant: String(row.tenant_id),
        place: `${row.release_id} ${row.environment}`,
        ts: Number(row.ts),
      }
      this.#stored.push(stored)
      this.#byRun.set(String(row.run_id), stored)
    }
  }

  /** A run that is stored again comes from an archive, as it was: it was pruned, and not erased. */
  #requireBack({ row: first }: Stored, row: Row): void {
    const { run_id, ts } = row
    holds('what was erased never comes back', !this.#erased.has(String(run_id)), () => `run ${run_id}`)
    holds('what comes back was pruned', Number(ts) < this.#prunedBefore(), () => `run ${run_id}`)
    same(ONCE, `run ${run_id} as it came back`, { ...row, seq: first.seq }, { ...first })
    this.back += 1
  }

  hasErased(tenant: string): boolean {
    return this.#erasures.has(tenant)
  }

  /** What is pruned at the same time may be erased or not. */
  erasing(tenant: string): (isDone: boolean) => void {
    const erasures = this.#erasures.get(tenant) ?? { underWay: 0, upTo: 0 }
    this.#erasures.set(tenant, erasures)
    erasures.underWay += 1
    const stored = this.#rows('SELECT run_id FROM run_events WHERE tenant_id = ?', tenant)
    const there = stored.map(({ run_id }) => String(run_id))
    return isDone => {
      erasures.underWay -= 1
      erasures.upTo = this.#stored.length
      if (!isDone) return
      for (const run_id of there) this.#erased.add(run_id)
      const rows = this.#rows('SELECT run_id FROM run_events')
      const left = rows.map(({ run_id }) => String(run_id)).find(run_id => this.#erased.has(run_id))
      same('what was erased never comes back', 'a run that is there', left, undefined)
    }
  }

  /** Whether an erasure may have taken an event: one that was stored after it has ended is there. */
  #mayBeErased({ tenant }: Stored, index: number): boolean {
    const erasures = this.#erasures.get(tenant)
    return erasures !== undefined && (erasures.underWay > 0 || index < erasures.upTo)
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

  /** A decision rests on all runs that were stored at its request, and on none that came after it. */
  requireCounted({ record }: Decision, countAtRequest: number): void {
    const { evaluation, window: requested, window_used: window = requested } = record.evidence
    for (const side of evaluation === null ? [] : [evaluation.baseline, evaluation.candidate]) {
      const place = `${side.release_id} ${record.environment}`
      const [since, until] = [Date.parse(window.since), Date.parse(window.until)]
      const matching = (events: readonly Stored[]): number =>
        events.filter(event => event.place === place && event.ts >= since && event.ts < until).length
      const [least, most] = [matching(this.#stored.slice(0, countAtRequest)), matching(this.#stored)]
      const runs = side.variants.reduce((sum, variant) => sum + variant.runs, 0)
      holds(
        'the runs are those of its time',
        runs >= least && runs <= most,
        () => `${record.action_id} counts ${runs} of ${side.release_id}, not ${least} to ${most}`,
      )
    }
  }

  /** Compares rows and rollups with all that was ever stored. */
  reckon(): void {
    const before = this.#prunedBefore()
    const there = new Set(this.#rows('SELECT run_id FROM run_events').map(row => String(row.run_id)))
    const missing = this.#stored.find(
      (event, index) =>
        event.ts >= before && !there.has(String(event.row.run_id)) && !this.#mayBeErased(event, index),
    )
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
      same('rollups are the sums of events', table, found.sort(byKey), expected.sort(byKey))
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
