import type { Signal } from '../../signal.ts'
import type { Format } from '../../format.ts'
import type { ActionRecord } from '../../../models/answers/action.ts'
import { hasMoved } from '../../../rules/evidence.ts'
import { RESULT_WORDS } from '../../../rules/result.ts'

export interface Line {
  readonly name: string
  readonly kind: 'baseline' | 'candidate'
  readonly points: readonly {
    readonly at: number
    readonly value: number | null
    /** What the value may really be. */
    readonly spread?: readonly [low: number, high: number]
  }[]
}

/** A decision, at its time. */
export interface Mark {
  readonly at: number
  readonly label: string
  readonly kind: 'promote' | 'rollback' | 'blocked'
}

export interface ChartProps {
  readonly title: string
  readonly lines: readonly Line[]
  readonly format: Format
  /** Writes where a point is along the axis; times unless given. */
  readonly along?: Format
  readonly limit: number | null
  /** Where the scale begins above 0. Default 0. */
  readonly from?: number
  /** The same of the top: ends of intervals may lie above all values. */
  readonly to?: number
  readonly since: number
  readonly until: number
  readonly marks?: readonly Mark[]
  /** The time that is pointed at, on all charts that share it; epoch ms. */
  readonly pointed: Signal<number | undefined>
}

/** A decision as a mark on an axis of time. */
export function decisionMark(action: ActionRecord): Mark {
  return {
    at: Date.parse(action.created_at),
    label: `${action.action === 'promote' ? 'promotion' : 'rollback'} ${RESULT_WORDS[action.result]}, by ${action.actor}`,
    kind: hasMoved(action) ? action.action : 'blocked',
  }
}

/** Maps a domain onto a range, linearly. */
export function scale(
  [from, to]: readonly [number, number],
  [start, end]: readonly [number, number],
): (value: number) => number {
  const span = to - from || 1
  return function position(value) {
    return Math.round((start + ((value - from) / span) * (end - start)) * 100) / 100
  }
}

/** Three to six round numbers from 0, or from at most `min` where that lies below, to at least `max`. */
export function niceTicks(max: number, min = 0): number[] {
  if (!(max > min)) return [0, 1]
  const rough = (max - min) / 3
  const magnitude = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map(factor => factor * magnitude).find(size => size >= rough)!
  const first = Math.floor(min / step + 1e-9)
  return Array.from({ length: Math.ceil(max / step - 1e-9) - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  )
}
