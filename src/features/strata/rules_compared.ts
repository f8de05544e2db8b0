import { round12 } from '../../base/numbers.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import { type CutSide, type MeasureQuestion, comparedTime } from '../../rules/diff_statistics.ts'
import type { StrataKind, StrataPlan } from './rules_strata.ts'

/** What of two sides was compared by tenant or task, and which of these only one side has. */
export function comparedStrata({
  cut,
  match,
  only_baseline,
  only_candidate,
}: StrataPlan): NonNullable<DiffStatistics['compared']> {
  return {
    ...comparedTime({ cut, match }),
    left_out: { candidate: leftOut(only_candidate), baseline: leftOut(only_baseline) },
  }
}

function leftOut({ share, largest }: StrataPlan['only_candidate']): { share: number; largest: number[] } {
  return { share: round12(share), largest: [...largest] }
}

/** The metrics of two sides of which nothing is known by tenant or task, so that nothing is claimed. */
export function notComparable(
  { comparedBy }: MeasureQuestion,
  by: StrataKind,
  sides: Record<'baseline' | 'candidate', CutSide>,
): ReturnType<MeasureQuestion['comparedBy']> {
  return comparedBy({ by, blocks: 0, is_told_apart: false }, sides)
}
