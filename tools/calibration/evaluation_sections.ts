import { type Bound, type Effort, type Section, share } from './effort.ts'
import { EVALUATIONS, comparedEvaluations, floorCoverage } from './evaluations.ts'
import { percent, percents, table } from './markdown.ts'

/** Evaluations of two releases: case by case, and without pairs. */
export function evaluationSection(effort: Effort): Section {
  const given = share(effort, 5)
  const bounds: Bound[] = []
  const rows = EVALUATIONS.map(evaluation => {
    const [same, worse] = [0, evaluation.drop].map(drop => comparedEvaluations(evaluation, drop, given)) as [
      ReturnType<typeof comparedEvaluations>,
      ReturnType<typeof comparedEvaluations>,
    ]
    for (const { paired } of [same, worse]) {
      bounds.push({ of: `${evaluation.name}: holds the truth`, share: paired.covers, atLeast: 0.93 })
    }
    const cell = (kind: 'paired' | 'unpaired'): string =>
      percents([worse[kind].worse, same[kind].worse, same[kind].passes, worse[kind].covers])
    return [evaluation.name, cell('unpaired'), cell('paired')]
  })
  const floor = floorCoverage(given)
  return {
    bounds,
    text: `## Evaluations, case by case

Two releases that are tried with the same cases. In percent of ${given.reps} comparisons: \`worse\` found, of a release that is; of an
unchanged one; an unchanged one passes \`max_score_drop\` 0.02; intervals that hold the truth. *Unpaired* compares the means of
both sides.

${table(['', 'unpaired', 'paired'], rows)}

The interval of a pass rate of 60 cases tried five times each holds it in ${percent(floor.cases, 1)} %; if each try counted as a
case of its own, in ${percent(floor.tries, 1)} %.`,
  }
}
