import { type Fields, type Report, CaseList, fieldsOf, listOf } from './rules_case.ts'

/** A log of Inspect as JSON: its samples, or the metrics of its scorers where it was written without them. */
export function readInspect(text: string): Report {
  const log = fieldsOf(JSON.parse(text))
  if (log.status !== 'success') {
    throw new RangeError(
      `its status is ${JSON.stringify(log.status) ?? 'missing'}, not "success": run it to its end`,
    )
  }
  return Array.isArray(log.samples) ? ofSamples(listOf(log.samples, 'samples')) : ofMetrics(log)
}

function ofSamples(samples: readonly Fields[]): Report {
  const list = new CaseList()
  let failed = 0
  for (const { scores, error } of samples) {
    if (error != null) failed += 1
    list.add(
      Object.entries(fieldsOf(scores)).flatMap(([scorer, score]) => valuesOf(scorer, fieldsOf(score).value)),
    )
  }
  const few = failed === 1 ? 'sample' : 'samples'
  return {
    cases: list.cases,
    warnings: failed === 0 ? [] : [`${failed} ${few} ended in an error and may lack scores`],
  }
}

/** A scorer may give several values by name. */
function valuesOf(scorer: string, value: unknown): (readonly [string, unknown])[] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).map(([name, one]) => [`${scorer}.${name}`, gradeOf(one)] as const)
  }
  return [[scorer, gradeOf(value)]]
}

/** Correct, partly, incorrect, no answer: as `value_to_float` of Inspect has them. */
const GRADES: Readonly<Record<string, number>> = { C: 1, P: 0.5, I: 0, N: 0 }

function gradeOf(value: unknown): unknown {
  return typeof value === 'string' ? GRADES[value] : value
}

function ofMetrics(log: Fields): Report {
  const list = new CaseList()
  const scorers = listOf(fieldsOf(log.results).scores, 'samples, nor results.scores')
  list.add(
    scorers.flatMap(({ name, metrics }) =>
      Object.entries(fieldsOf(metrics)).map(
        ([metric, result]) => [`${String(name)}.${metric}`, fieldsOf(result).value] as const,
      ),
    ),
  )
  return {
    cases: list.cases,
    warnings: ['it has no samples: each metric counts as one case, of which no interval can be known'],
  }
}
