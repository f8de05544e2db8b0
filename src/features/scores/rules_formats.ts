import { CaseList, type Fields, PASS_RATE, type Report, fieldsOf, listOf } from './rules_case.ts'
import { readJunit } from './rules_junit.ts'

/**
 * Reads a report of an evaluation tool. Throws SyntaxError for what is not written as the format is, RangeError for what
 * is not the report of that tool.
 */
export const SCORE_FORMATS = {
  promptfoo: readPromptfoo,
  inspect: readInspect,
  deepeval: readDeepEval,
  braintrust: readBraintrust,
  junit: readJunit,
  jsonl: readJsonLines,
} as const satisfies Readonly<Record<string, (text: string) => Report>>

/** `promptfoo eval -o results.json`. A case that ended in an error did not pass, and has no other score. */
function readPromptfoo(text: string): Report {
  const list = new CaseList()
  let failed = 0
  for (const result of listOf(fieldsOf(fieldsOf(JSON.parse(text)).results).results, 'results.results')) {
    const hasFailed = result.failureReason === FAILED
    if (hasFailed) failed += 1
    const scores = hasFailed ? [] : [['score', result.score] as const, ...entriesOf(result.namedScores)]
    list.add([[PASS_RATE, result.success === true], ...scores])
  }
  return { cases: list.cases, warnings: failedWarnings(failed) }
}

/** `failureReason` of promptfoo where the case itself could not be run. */
const FAILED = 2

/** `.latest_test_run.json` of DeepEval. */
function readDeepEval(text: string): Report {
  const list = new CaseList()
  const run = fieldsOf(JSON.parse(text))
  let failed = 0
  for (const each of listOf(fieldsOf(run.testRunData ?? run).testCases, 'testRunData.testCases')) {
    const metrics = listOf(each.metricsData ?? [], 'metricsData')
    if (metrics.some(({ error }) => error != null)) failed += 1
    list.add([
      [PASS_RATE, each.success === true],
      ...metrics.map(({ name, score }) => [String(name), score] as const),
    ])
  }
  return { cases: list.cases, warnings: failedWarnings(failed) }
}

/** Lines of cases with `scores`, or the summary of an experiment, in which a score is an object with the mean of all. */
function readBraintrust(text: string): Report {
  const list = new CaseList()
  let summaries = 0
  for (const line of jsonLines(text)) {
    const scores = entriesOf(line.scores)
    const isSummary = scores.some(([, score]) => typeof score === 'object' && score !== null)
    if (isSummary) summaries += 1
    list.add(isSummary ? scores.map(([name, score]) => [name, fieldsOf(score).score] as const) : scores)
  }
  return { cases: list.cases, warnings: summaries === 0 ? [] : [SUMMARY] }
}

const SUMMARY =
  'it is a summary without its cases: each mean counts as one case, of which no interval can be known'

/** A case to a line: `{"scores": {"faithfulness": 0.9}, "passed": true}`. */
function readJsonLines(text: string): Report {
  const list = new CaseList()
  for (const { scores, passed } of jsonLines(text)) {
    list.add([...(typeof passed === 'boolean' ? [[PASS_RATE, passed] as const] : []), ...entriesOf(scores)])
  }
  return { cases: list.cases, warnings: [] }
}

/** Lines of JSON objects, or one JSON text. Throws SyntaxError that names the line. */
function jsonLines(text: string): Record<string, unknown>[] {
  const lines = text.split('\n').map((line, index) => [line.trim(), index + 1] as const)
  const filled = lines.filter(([line]) => line !== '')
  const values = isOneText(text)
    ? [JSON.parse(text) as unknown].flat()
    : filled.map(([line, number]) => parsedLine(line, number))
  return values.map(fieldsOf)
}

/** One that is spread over lines: its first line alone is no JSON. */
function isOneText(text: string): boolean {
  const first = text.trimStart().split('\n', 1)[0]!.trim()
  return first === '{' || first.startsWith('[')
}

function parsedLine(line: string, number: number): unknown {
  try {
    return JSON.parse(line) as unknown
  } catch (error) {
    throw new SyntaxError(`line ${number}: ${(error as Error).message}`, { cause: error })
  }
}

function entriesOf(scores: unknown): [string, unknown][] {
  return Object.entries(fieldsOf(scores))
}

function failedWarnings(failed: number): string[] {
  return failed === 0
    ? []
    : [`${failed} ${failed === 1 ? 'case' : 'cases'} ended in an error and did not pass`]
}

/** A log of Inspect as JSON: its samples, or the metrics of its scorers where it was written without them. */
function readInspect(text: string): Report {
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
