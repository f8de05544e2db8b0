import type { Random } from '../../../tools/calibration/traffic.ts'

/** What a fake model says of a run. */
export interface TrialRun {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly latency_ms: number
  readonly success: boolean
}

/** Coefficient of variation of tokens and of latency. */
const VARIATION = 0.3
const FAILED = 0.02
const LATENCY_MS = 3_000
const SIGMA = Math.sqrt(Math.log(1 + VARIATION ** 2))

/** A run of a release whose tokens are more by a fraction. The size of a task moves both kinds of tokens. */
export function trialRun(random: Random, rise: number): TrialRun {
  const size = varied(random)
  return {
    input_tokens: Math.round(1_400 * size * (1 + rise)),
    output_tokens: Math.round(300 * size * (1 + rise)),
    latency_ms: Math.round(LATENCY_MS * varied(random)),
    success: random.uniform() >= FAILED,
  }
}

/** Log-normal of mean 1. */
function varied({ normal }: Random): number {
  return Math.exp(SIGMA * normal() - SIGMA ** 2 / 2)
}
