import { readCsv, readLangfuse, readLangsmith, readOpenai, readRagas } from './rules_formats_documented.ts'
import { readJunit } from './rules_junit.ts'
import {
  CaseList,
  type Fields,
  PASS_RATE,
  type Report,
  amountOf,
  canonicalText,
  fieldsOf,
  listOf,
  stringOf,
} from './rules_report.ts'
import { csvRows, jsonLines, parsedJson } from './rules_text.ts'

/**
 * The report of a tool: how it is read, and the fields that show it, of the whole or of its first row; behind a comma,
 * columns of a CSV.
 */
interface Format {
  readonly read: (text: string) => Report
  readonly signs: readonly string[]
}

/**
 * Reports of evaluation tools. Reading throws SyntaxError for what is not written as the format is, RangeError for what is
 * not the report of that tool.
 */
export const SCORE_FORMATS = {
  promptfoo: { read: readPromptfoo, signs: ['results.results', 'evalId'] },
  inspect: { read: readInspect, signs: ['samples', 'eval.task', 'status'] },
  deepeval: { read: readDeepEval, signs: ['testRunData.testCases', 'testCases'] },
  'pytest-json': { read: readPytest, signs: ['tests', 'exitcode', 'collectors'] },
  junit: { read: readJunit, signs: ['<testsuite'] },
  braintrust: { read: readBraintrust, signs: ['scores', 'span_attributes', 'root_span_id', 'experiment_id'] },
  langfuse: { read: readLangfuse, signs: ['datasetRunItems', 'item_results', 'itemResults'] },
  langsmith: { read: readLangsmith, signs: ['example_id', 'reference_example_id', 'evaluation_results'] },
  ragas: { read: readRagas, signs: ['user_input', 'retrieved_contexts', 'ground_truth'] },
  openai: { read: readOpenai, signs: ['data.0.datasource_item', 'datasource_item', 'spec'] },
  csv: { read: readCsv, signs: [',id', ',passed'] },
  jsonl: { read: readJsonLines, signs: ['scores', 'passed'] },
} as const satisfies Readonly<Record<string, Format>>

export type ScoreFormat = keyof typeof SCORE_FORMATS
export const FORMAT_NAMES = Object.keys(SCORE_FORMATS) as ScoreFormat[]

/** The format that a text looks most like, and what shows it; undefined where nothing does. */
export function nearestFormat(
  text: string,
): { readonly format: ScoreFormat; readonly sign: string } | undefined {
  const shown = shownIn(text)
  const found = FORMAT_NAMES.map(format => {
    const { signs }: Format = SCORE_FORMATS[format]
    const seen = signs.filter(sign => shown(sign))
    return { format, sign: seen[0]!, share: seen.length / signs.length }
  })
  return found.filter(({ share }) => share > 0).sort((a, b) => b.share - a.share)[0]
}

/** Whether a text has a field, by its path. */
function shownIn(text: string): (path: string) => boolean {
  const start = text.trimStart()
  if (start.startsWith('<')) return path => path.startsWith('<') && text.includes(path)
  const isCsv = !/^[{[]/.test(start)
  const first = firstOf(start, isCsv)
  return path => {
    if (path.startsWith(',') && !isCsv) return false
    let at: unknown = first
    for (const name of path.replace(',', '').split('.')) at = (at as Fields | null | undefined)?.[name]
    return at !== undefined
  }
}

function firstOf(text: string, isCsv: boolean): unknown {
  try {
    if (isCsv) return csvRows(text)[0]
    return text.startsWith('[') ? fieldsOf((parsedJson(text) as unknown[])[0]) : jsonLines(text)[0]
  } catch {
    return undefined
  }
}

/**
 * `promptfoo eval -o results.json`. A case that ended in an error did not pass, and has no other score. A test is known by
 * its description where no other has it, else by its variables; of several prompts or providers each is a case.
 */
function readPromptfoo(text: string): Report {
  const list = new CaseList()
  const { results, metadata } = fieldsOf(parsedJson(text))
  const all = listOf(fieldsOf(results).results, 'results.results')
  const described = new Map<string, Set<string>>()
  for (const { testCase, vars } of all) {
    const name = stringOf(fieldsOf(testCase).description)
    if (name === undefined) continue
    described.set(name, (described.get(name) ?? new Set()).add(canonicalText(vars ?? {})))
  }
  const columns = [...new Set(all.map(columnOf))]
  let failed = 0
  for (const result of all) {
    const hasFailed = result.failureReason === FAILED
    if (hasFailed) failed += 1
    const scores = hasFailed ? [] : [['score', result.score] as const, ...entriesOf(result.namedScores)]
    const column = columns.length === 1 ? undefined : columns.indexOf(columnOf(result)) + 1
    const name = stringOf(fieldsOf(result.testCase).description)
    const input = result.vars ?? fieldsOf(result.prompt).raw
    const known = name !== undefined && described.get(name)!.size === 1
    list.add(
      {
        id: known ? (column === undefined ? name : `${name} #${column}`) : undefined,
        input: known || input === undefined ? undefined : column === undefined ? input : { column, input },
        duration_ms: amountOf(result.latencyMs),
        tokens: amountOf(fieldsOf(result.tokenUsage).total),
        cost_usd: amountOf(result.cost),
      },
      [[PASS_RATE, result.success === true], ...scores],
    )
  }
  const { evaluationCreatedAt } = fieldsOf(metadata)
  return {
    cases: list.cases,
    warnings: failedWarnings(failed),
    evaluated_at: stringOf(fieldsOf(results).timestamp) ?? stringOf(evaluationCreatedAt),
  }
}

/** Which prompt, with which provider: models change from release to release, so they count by their order. */
function columnOf({ promptIdx, provider }: Fields): string {
  return `${JSON.stringify(promptIdx)} ${canonicalText(provider ?? null)}`
}

/** `failureReason` of promptfoo where the case itself could not be run. */
const FAILED = 2

/** `.latest_test_run.json` of DeepEval, which names cases without a name by their order. */
function readDeepEval(text: string): Report {
  const list = new CaseList()
  const whole = fieldsOf(parsedJson(text))
  const run = fieldsOf(whole.testRunData ?? whole)
  const judges = new Set<string>()
  let failed = 0
  const cases = listOf(run.testCases, 'testRunData.testCases')
  const conversations =
    run.conversationalTestCases === undefined ? [] : listOf(run.conversationalTestCases, '')
  for (const each of [...cases, ...conversations]) {
    const metrics = listOf(each.metricsData ?? [], 'metricsData')
    if (metrics.some(({ error }) => error != null)) failed += 1
    for (const { evaluationModel } of metrics) {
      if (typeof evaluationModel === 'string') judges.add(evaluationModel)
    }
    const name = stringOf(each.name)
    const isNamed = name !== undefined && !/^(?:conversational_)?test_case_\d+$/.test(name)
    list.add(
      {
        id: isNamed ? name : undefined,
        input: isNamed ? undefined : (each.input ?? each.turns),
        tags: tagsOf(each.tags),
        duration_ms: amountOf(each.runDuration, 1000),
      },
      [
        [PASS_RATE, each.success === true],
        ...metrics.map(({ name: metric, score }) => [String(metric), score] as const),
      ],
    )
  }
  const [judge_model] = judges
  return {
    cases: list.cases,
    warnings: failedWarnings(failed),
    ...(judges.size === 1 ? { judge_model } : {}),
  }
}

function tagsOf(tags: unknown): string[] | undefined {
  const known = Array.isArray(tags) ? tags.filter(tag => typeof tag === 'string' && tag !== '') : []
  return known.length === 0 ? undefined : (known as string[]).map(tag => tag.slice(0, 64)).slice(0, 20)
}

/** `pytest --json-report`. What was skipped or is expected to fail doesn't count. */
function readPytest(text: string): Report {
  const list = new CaseList()
  const report = fieldsOf(parsedJson(text))
  let skipped = 0
  for (const { nodeid, outcome, setup, call, teardown } of listOf(report.tests, 'tests')) {
    if (outcome === 'skipped' || outcome === 'xfailed') {
      skipped += 1
      continue
    }
    const seconds = [setup, call, teardown].map(phase => amountOf(fieldsOf(phase).duration) ?? 0)
    list.add(
      {
        id: nodeid,
        duration_ms: amountOf(
          seconds.reduce((a, b) => a + b, 0),
          1000,
        ),
      },
      [[PASS_RATE, outcome === 'passed' || outcome === 'xpassed']],
    )
  }
  const created = amountOf(report.created, 1000)
  return {
    cases: list.cases,
    warnings: skippedWarnings(skipped),
    evaluated_at: created === undefined ? undefined : new Date(Math.floor(created)).toISOString(),
  }
}

function skippedWarnings(skipped: number): string[] {
  return skipped === 0
    ? []
    : [`${skipped} ${skipped === 1 ? 'case was' : 'cases were'} skipped, and left out`]
}

/**
 * Lines of cases with `scores`, or the summary of an experiment, in which a score is an object and is that of all. Their
 * ids are new in each experiment: what stays is the record of the dataset, or the input.
 */
function readBraintrust(text: string): Report {
  const list = new CaseList()
  let summaries = 0
  for (const line of jsonLines(text)) {
    const scores = entriesOf(line.scores)
    const isSummary = scores.some(([, score]) => typeof score === 'object' && score !== null)
    if (isSummary) {
      summaries += 1
      list.add(
        {},
        scores.map(([name, score]) => [name, fieldsOf(score).score] as const),
      )
      continue
    }
    const { origin, dataset_record_id, metrics, root_span_id, tags, input } = line
    const record = fieldsOf(origin).object_type === 'dataset' ? fieldsOf(origin).id : dataset_record_id
    const { start, end, tokens, total_tokens, estimated_cost } = fieldsOf(metrics)
    list.add(
      {
        id: record,
        input: stringOf(record) === undefined ? (input ?? undefined) : undefined,
        tags: tagsOf(tags),
        duration_ms: amountOf(Number(end) - Number(start), 1000),
        tokens: amountOf(tokens ?? total_tokens),
        cost_usd: amountOf(estimated_cost),
        trace_id: stringOf(root_span_id),
      },
      scores,
    )
  }
  return { cases: list.cases, warnings: summaries === 0 ? [] : [SUMMARY] }
}

const SUMMARY =
  'it is a summary without its cases: each mean counts as one case, of which no interval can be known'

/** A try of a case to a line: `{"id": "refund", "scores": {"faithfulness": 0.9}, "passed": true}`. */
function readJsonLines(text: string): Report {
  const list = new CaseList({ numbersRepeats: false })
  for (const { id, input, epoch, scores, passed, tags, ...more } of jsonLines(text)) {
    const known = entriesOf(scores).filter(([name]) => passed == null || name !== PASS_RATE)
    list.add(
      {
        id,
        input: textless(id) ? (input ?? undefined) : undefined,
        epoch: epoch ?? undefined,
        tags: tagsOf(tags),
        human_passed: typeof more.human_passed === 'boolean' ? more.human_passed : undefined,
        cluster: stringOf(more.cluster),
        duration_ms: amountOf(more.duration_ms),
        tokens: amountOf(more.tokens),
        cost_usd: amountOf(more.cost_usd),
        trace_id: stringOf(more.trace_id),
      },
      [...(isPassOrFail(passed, id) ? [[PASS_RATE, passed] as const] : []), ...known],
    )
  }
  return { cases: list.cases, warnings: [] }
}

/** Whether a try says that it passed or failed. Throws RangeError where it says something else: it would count as neither. */
function isPassOrFail(passed: unknown, id: unknown): passed is boolean {
  if (typeof passed === 'boolean' || passed === undefined || passed === null)
    return typeof passed === 'boolean'
  const whose = textless(id) ? 'a case' : `case ${JSON.stringify(id)}`
  throw new RangeError(
    `passed of ${whose} is ${JSON.stringify(passed)}: write true or false, or leave it out`,
  )
}

function textless(id: unknown): boolean {
  return id === undefined || id === null || id === ''
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
  const log = fieldsOf(parsedJson(text))
  if (log.status !== 'success') {
    throw new RangeError(
      `its status is ${JSON.stringify(log.status) ?? 'missing'}, not "success": run it to its end`,
    )
  }
  const report = Array.isArray(log.samples) ? ofSamples(listOf(log.samples, 'samples')) : ofMetrics(log)
  return { ...report, evaluated_at: stringOf(fieldsOf(log.eval).created) }
}

function ofSamples(samples: readonly Fields[]): Report {
  const list = new CaseList()
  let failed = 0
  for (const { id, epoch, scores, error, total_time, model_usage } of samples) {
    if (error != null) failed += 1
    const tokens = Object.values(fieldsOf(model_usage)).map(
      usage => amountOf(fieldsOf(usage).total_tokens) ?? 0,
    )
    list.add(
      {
        id,
        epoch: epoch ?? undefined,
        duration_ms: amountOf(total_time, 1000),
        tokens: tokens.length === 0 ? undefined : tokens.reduce((a, b) => a + b, 0),
      },
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
    {},
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
