import type { Sampling } from './decisions.ts'
import { type Shape, independent, sessions, tail } from './traffic.ts'

/** A part of the report: its text, and pictures by name. */
export interface Section {
  readonly text: string
  readonly plots?: Readonly<Record<string, string>>
  readonly bounds?: readonly Bound[]
}

/** A share that a method claims to keep; where it doesn't, the calibration fails. */
export interface Bound {
  readonly of: string
  readonly share: number
  readonly atLeast?: number
  readonly atMost?: number
}

export function isKept({ share: found, atLeast = 0, atMost = 1 }: Bound): boolean {
  return found >= atLeast && found <= atMost
}

/** Repetitions of the cheapest tables; the others take a fixed share of them. */
export interface Effort {
  readonly reps: number
  readonly seed: number
  /** A file with rows of worlds that were drawn before. */
  readonly kept?: string | undefined
}

export const SHAPES: Readonly<Record<string, Shape>> = {
  normal: independent('normal'),
  'log-normal': independent('log-normal'),
  zeros: independent('zeros'),
  sessions: sessions(0.2),
  tail: tail(),
}
export const INDEPENDENT = ['normal', 'log-normal', 'zeros'] as const
export const CHANGES = [0, 0.05, 0.1, 0.2, 0.5]

/** A part of the effort for what takes longer. */
export function share(effort: Effort, divisor: number): Sampling {
  return { reps: Math.max(1, Math.round(effort.reps / divisor)), seed: effort.seed }
}

/** Half the width of the interval within which a share of 95 % is seen in 95 of 100 cases, as percent. */
export function noise(reps: number): string {
  return ((1.96 * Math.sqrt(0.95 * 0.05) * 100) / Math.sqrt(reps)).toFixed(1)
}
