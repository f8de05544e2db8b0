import { type Effort, type Section, share } from './effort.ts'
import { EVALUATIONS, comparedEvaluations, floorCoverage } from './evaluations.ts'
import { percent, percents, table } from './markdown.ts'

/** Least share of intervals that hold the truth; less is a fault of the method. */
const LEAST_COVERAGE = 0.93

/** Evaluations of two releases: case by case, and without pairs. Throws where intervals hold the truth too rarely. */
export function evaluationSection(effort: Effort): Section {
  const asked = share(effort, 5)
  const rows = EVALUATIONS.map(evaluation => {
    const [same, worse] = [0, evaluation.drop].map(drop => comparedEvaluations(evaluation, drop, asked)) as [
      ReturnType<typeof comparedEvaluations>,
      ReturnType<typeof comparedEvaluations>,
    ]
    for (const { paired } of [same, worse]) {
      if (asked.reps >= 1000 && paired.covers < LEAST_COVERAGE) {
        throw new Error(`${evaluation.name}: ${percent(paired.covers, 1)} % of the intervals hold the truth`)
      }
    }
    const cell = (kind: 'paired' | 'unpaired'): string =>
      percents([worse[kind].worse, same[kind].worse, same[kind].passes, worse[kind].covers])
    return [evaluation.name, cell('unpaired'), cell('paired')]
  })
  const floor = floorCoverage(asked)
  return {
    text: `## Evaluations, case by case

Two releases that are tried with the same cases. In percent of ${asked.reps} comparisons: \`worse\` found, of a release that is; of an
unchanged one; an unchanged one passes \`max_score_drop\` 0.02; intervals that hold the truth. *Unpaired* compares the means of
both sides.

${table(['', 'unpaired', 'paired'], rows)}

The interval of a pass rate of 60 cases tried five times each holds it in ${percent(floor.cases, 1)} %; if each try counted as a
case of its own, in ${percent(floor.tries, 1)} %.`,
  }
}
