import { normalCdf } from '../../rules/statistics/distributions.ts'
import { round12 } from '../../base/numbers.ts'

/** Units of both sides that were seen in a step. */
export interface SeenUnits {
  readonly baseline: number
  readonly candidate: number
}

/** Fewest units of a side that are expected by its share, before their number says anything. */
const LEAST_EXPECTED = 50

/** As many units as are counted each in a step. */
export const MOST_UNITS = 200_000

/** Below it a split is not one by chance. Checked again and again, it is wrong in less than 1 % of all rollouts. */
export const BROKEN_P = 0.0005

/**
 * How likely units split as unlike their share as these by chance (χ² with one degree of freedom). Null where too few are
 * expected.
 */
export function unitsP({ baseline, candidate }: SeenUnits, share: number): number | null {
  const units = baseline + candidate
  if (Math.min(share, 1 - share) * units < LEAST_EXPECTED) return null
  const off = candidate - units * share
  const square = (off * off) / (units * share * (1 - share))
  return round12(2 * normalCdf(-Math.sqrt(square)))
}
