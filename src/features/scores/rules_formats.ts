import type { Fields } from '../../models/checks.ts'
import { DOCUMENTED } from './rules_formats_documented.ts'
import {
  type Format,
  type ReportCases,
  type Report,
  SUMMARY,
  type Try,
  canonicalText,
  numberOf,
  reportOf,
  sumOf,
} from './rules_report.ts'
import {
  type Tag,
  csvRows,
  fieldsOf,
  jsonLines,
  listOf,
  parsedJson,
  stringOf,
  xmlTags,
} from './rules_text.ts'

/** Reports of evaluation tools. The first five were written from files that the tools wrote. */
const FORMATS = {
  promptfoo: {
    read: promptfoo,
    own: ['evalId', 'results.results'],
    common: ['promptIdx', 'namedScores', 'prompts', 'providers', ',Grader Reason'],
    by: '`promptfoo export eval latest -o results.json`',
  },
  inspect: {
    read: inspect,
    own: ['eval.task', 'eval.eval_id'],
    common: ['samples', 'eval', 'model_usage', 'scorer'],
    by: '`inspect log convert LOG --to json --output-dir DIR`',
  },
  deepeval: {
    read: deepEval,
    own: ['testRunData', 'testCases'],
    common: ['testRunLink', 'metricsData', 'metricsScores', 'hyperparameters'],
    by: '`deepeval logout`, then `deepeval test run`, which writes .deepeval/.latest_test_run.json',
  },
  'pytest-json': {
    read: pytestJson,
    own: ['collectors', 'exitcode & tests'],
    common: ['tests', 'nodeid', 'exitcode'],
    by: '`pytest --json-report`',
  },
  junit: {
    read: junit,
    own: ['<testsuite'],
    common: ['<testcase', '<testng-results', '<TestRun', '<assemblies'],
    by: 'the JUnit reporter of the test runner, such as `pytest --junitxml=FILE`',
  },
  ...DOCUMENTED,
  csv: {
    read: csv,
    own: [',id', ',case', ',case_id', ',passed', ',pass', ',input'],
    common: [],
    by: 'a header with a column id or passed',
  },
  jsonl: {
    read: lines,
    own: ['scores', 'passed'],
    common: ['score', 'case', 'id'],
    by: 'lines such as {"id": "a", "scores": {"faithfulness": 0.9}, "passed": true}',
  },
} as const satisfies Readonly<Record<string, Format>>

export type ScoreFormat = keyof typeof FORMATS
export const FORMAT_NAMES = Object.keys(FORMATS) as ScoreFormat[]

/**
 * What a file says. Throws SyntaxError for what is not written as the format is, RangeError for what is not the report of
 * that tool.
 */
export function readReport(format: ScoreFormat, text: string): Report {
  return reportOf(FORMATS[format].read(text))
}

/** A format and the field that shows it. */
export interface Shown {
  readonly format: ScoreFormat
  readonly field: string
}

/** What wrote a text, by a field that no other tool writes; undefined where there is none. */
export function formatOf(text: string): Shown | undefined {
  const shown = shownIn(text)
  for (const format of FORMAT_NAMES) {
    const { own }: Format = FORMATS[format]
    const field = own.find(shown)
    if (field !== undefined) return { format, field: field.replace(',', '') }
  }
  return undefined
}

/** The format of whose fields a text has the most; undefined where it has none. */
export function nearestFormat(text: string): Shown | undefined {
  const shown = shownIn(text)
  const found = FORMAT_NAMES.flatMap(format => {
    const { common }: Format = FORMATS[format]
    const seen = common.filter(shown)
    return seen.length === 0 ? [] : [{ format, field: seen[0]!.replace(',', ''), fields: seen.length }]
  })
  return found.sort((a, b) => b.fields - a.fields)[0]
}

/** How a file of a format is written. */
export function writtenBy(format: ScoreFormat): string {
  return FORMATS[format].by
}

/** Whether a text has a field as {@link Format} names it. */
function shownIn(text: string): (field: string) => boolean {
  const start = text.trimStart()
  if (start.startsWith('<')) return field => field.startsWith('<') && text.includes(field)
  const isCsv = !/^[{[]/.test(start)
  const first = firstOf(start, isCsv)
  const hasPath = (path: string): boolean => {
    if (path.startsWith(',') && !isCsv) return false
    const names = path.replace(',', '')
    if (names.endsWith('*')) {
      return Object.keys(fieldsOf(first)).some(key => key.startsWith(names.slice(0, -1)))
    }
    let at: unknown = first
    for (const name of names.split('.')) at = (at as Fields | null | undefined)?.[name]
    return at !== undefined
  }
  return field => field.split(' & ').every(hasPath)
}

function firstOf(text: string, isCsv: boolean): unknown {
  try {
    return (isCsv ? csvRows(text) : jsonLines(text))[0]
  } catch {
    return undefined
  }
}

/**
 * `promptfoo eval -o results.json`. A test is known by its description where no other has it, else by its variables; of
 * several prompts or providers each is a case.
 */
function promptfoo(text: string): ReportCases {
  const { results, metadata } = fieldsOf(parsedJson(text))
  const all = listOf(fieldsOf(results).results, 'results.results')
  const described = new Map<string, Set<string>>()
  for (const { testCase, vars } of all) {
    const name = stringOf(fieldsOf(testCase).description)
    if (name === undefined) continue
    described.set(name, (described.get(name) ?? new Set()).add(canonicalText(vars ?? {})))
  }
  const columns = [...new Set(all.map(columnOf))]
  const tries = all.map((result): Try => {
    const name = stringOf(fieldsOf(result.testCase).description)
    const input = result.vars ?? fieldsOf(result.prompt).raw
    const column = columns.length === 1 ? undefined : columns.indexOf(columnOf(result)) + 1
    const isKnown = name !== undefined && described.get(name)!.size === 1
    const isInError = result.failureReason === IN_ERROR
    return {
      id: isKnown ? (column === undefined ? name : `${name} #${column}`) : undefined,
      input: column === undefined || input === undefined ? input : { column, input },
      passed: result.success === true,
      ended: isInError ? 'in_error' : undefined,
      scores: isInError ? [] : [['score', result.score], ...Object.entries(fieldsOf(result.namedScores))],
      duration_ms: result.latencyMs,
      tokens: fieldsOf(result.tokenUsage).total,
      cost_usd: result.cost,
    }
  })
  const { evaluationCreatedAt } = fieldsOf(metadata)
  return { tries, evaluated_at: stringOf(fieldsOf(results).timestamp) ?? stringOf(evaluationCreatedAt) }
}

/** Which prompt, with which provider: models change from release to release, so they count by their order. */
function columnOf({ promptIdx, provider }: Fields): string {
  return `${JSON.stringify(promptIdx)} ${canonicalText(provider ?? null)}`
}

/** `failureReason` of promptfoo where the case itself could not be run. */
const IN_ERROR = 2

/** A log of Inspect as JSON: its samples, or the metrics of its scorers where it was written without them. */
function inspect(text: string): ReportCases {
  const { status, samples, results, eval: ran } = fieldsOf(parsedJson(text))
  if (status !== 'success') {
    throw new RangeError(
      `its status is ${JSON.stringify(status) ?? 'missing'}, not "success": run it to its end`,
    )
  }
  const evaluated_at = stringOf(fieldsOf(ran).created)
  if (samples === undefined || samples === null) {
    const scorers = listOf(fieldsOf(results).scores, 'samples, nor results.scores')
    const scores = scorers.flatMap(({ name, metrics }) =>
      Object.entries(fieldsOf(metrics)).map(
        ([metric, result]) => [`${String(name)}.${metric}`, fieldsOf(result).value] as const,
      ),
    )
    return { tries: [{ scores }], warnings: [SUMMARY], evaluated_at }
  }
  const tries = listOf(samples, 'samples').map(
    ({ id, epoch, scores, error, total_time, model_usage }): Try => ({
      id,
      epoch,
      ended: error == null ? undefined : 'in_error',
      scores: Object.entries(fieldsOf(scores)).flatMap(([scorer, score]) =>
        gradesOf(scorer, fieldsOf(score).value),
      ),
      duration_ms: sumOf([total_time], 1000),
      tokens: sumOf(Object.values(fieldsOf(model_usage)).map(usage => fieldsOf(usage).total_tokens)),
    }),
  )
  return { tries, evaluated_at }
}

/** Correct, partly, incorrect, no answer: as `value_to_float` of Inspect has them. */
const GRADES: Readonly<Record<string, number>> = { C: 1, P: 0.5, I: 0, N: 0 }

/** A scorer may give several values by name. */
function gradesOf(scorer: string, value: unknown): [string, unknown][] {
  const grade = (one: unknown): unknown => (typeof one === 'string' ? (GRADES[one] ?? one) : one)
  return typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, one]) => [`${scorer}.${name}`, grade(one)])
    : [[scorer, grade(value)]]
}

/** `.latest_test_run.json` of DeepEval, which names cases without a name by their order. */
function deepEval(text: string): ReportCases {
  const whole = fieldsOf(parsedJson(text))
  const { testCases, conversationalTestCases = [] } = fieldsOf(whole.testRunData ?? whole)
  const judges = new Set<unknown>()
  const all = [
    ...listOf(testCases, 'testRunData.testCases'),
    ...listOf(conversationalTestCases, 'list of conversationalTestCases'),
  ]
  const tries = all.map(({ name, input, turns, success, metricsData, tags, runDuration }): Try => {
    const metrics = listOf(metricsData ?? [], 'list of metricsData')
    for (const { evaluationModel } of metrics) if (evaluationModel != null) judges.add(evaluationModel)
    return {
      id: /^(?:conversational_)?test_case_\d+$/.test(String(name)) ? undefined : name,
      input: input ?? turns,
      passed: success === true,
      ended: metrics.some(({ error }) => error != null) ? 'in_error' : undefined,
      scores: metrics.flatMap(({ name: metric, score, error }) =>
        error == null ? [[String(metric), score] as const] : [],
      ),
      tags,
      duration_ms: sumOf([runDuration], 1000),
    }
  })
  return { tries, areShares: true, judge_model: judges.size === 1 ? stringOf([...judges][0]) : undefined }
}

/** `pytest --json-report`. What was skipped or is expected to fail doesn't count. */
function pytestJson(text: string): ReportCases {
  const report = fieldsOf(parsedJson(text))
  const tries = listOf(report.tests, 'tests').map(({ nodeid, outcome, setup, call, teardown }): Try => ({
    id: nodeid,
    passed: outcome === 'passed' || outcome === 'xpassed',
    ended: outcome === 'skipped' || outcome === 'xfailed' ? 'skipped' : undefined,
    duration_ms: sumOf(
      [setup, call, teardown].map(phase => fieldsOf(phase).duration),
      1000,
    ),
  }))
  const created = sumOf([report.created], 1000)
  return {
    tries,
    evaluated_at: created === undefined ? undefined : new Date(Math.floor(created)).toISOString(),
  }
}

/**
 * A JUnit report: a test case passed where nothing in it is a failure or an error. It is known by its class and its name.
 */
function junit(text: string): ReportCases {
  const tags = xmlTags(text)
  if (!tags.some(({ name }) => name === 'testsuite' || name === 'testsuites')) {
    throw new RangeError('it has no testsuite')
  }
  const tries: Try[] = []
  let open: { readonly of: Tag; readonly within: string[] } | undefined
  for (const tag of tags) {
    if (tag.name !== 'testcase') {
      if (tag.kind !== 'end') open?.within.push(tag.name)
      continue
    }
    if (tag.kind !== 'end') open = { of: tag, within: [] }
    if (tag.kind !== 'start' && open !== undefined) {
      tries.push(tryOfTag(open.of, open.within))
      open = undefined
    }
  }
  if (open !== undefined) throw new SyntaxError('a testcase does not end: the file is cut off')
  const suite = tags.find(({ name, kind }) => name === 'testsuite' && kind !== 'end')
  return { tries, evaluated_at: suite?.attributes().timestamp }
}

/** GoogleTest says by attributes that a case did not run. */
function tryOfTag(of: Tag, within: readonly string[]): Try {
  const { classname = '', name = '', time, status = '', result = '' } = of.attributes()
  const passed = !within.includes('failure') && !within.includes('error')
  const isSkipped = within.includes('skipped') || NOT_RUN.test(status) || NOT_RUN.test(result)
  return {
    id: [classname, name].filter(part => part !== '').join('.'),
    passed,
    ended: passed && isSkipped ? 'skipped' : undefined,
    duration_ms: sumOf([time], 1000),
  }
}

const NOT_RUN = /^(?:notrun|disabled|skipped|suppressed)$/i

/** A try of a case to a line: `{"id": "refund", "scores": {"faithfulness": 0.9}, "passed": true}`. */
function lines(text: string): ReportCases {
  const tries = jsonLines(text).map(({ scores, passed, ended: _ended, ...more }): Try => {
    if (passed != null && typeof passed !== 'boolean') {
      const whose = more.id == null ? 'a case' : `case ${JSON.stringify(more.id)}`
      throw new RangeError(
        `passed of ${whose} is ${JSON.stringify(passed)}: write true or false, or leave it out`,
      )
    }
    return { ...more, passed: passed ?? undefined, scores: Object.entries(fieldsOf(scores)) }
  })
  return { tries, namesEpochs: true }
}

/** Columns of a CSV that are no score, by what else they are called. */
const CSV_COLUMNS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['id', 'input', 'epoch', 'passed', 'human_passed', 'cluster', 'tags']
      .concat(['duration_ms', 'tokens', 'cost_usd', 'trace_id'])
      .map(name => [name, name]),
  ),
  case: 'id',
  case_id: 'id',
  pass: 'passed',
}

/** A CSV with a header: a try of a case to a row; every other column that holds numbers is a score. */
function csv(text: string): ReportCases {
  const rows = csvRows(text)
  const columns = Object.keys(rows[0] ?? {})
  const fieldOf = (name: string): string | undefined => CSV_COLUMNS[name.toLowerCase()]
  const scores = columns.filter(
    name => fieldOf(name) === undefined && rows.some(row => numberOf(row[name]) !== undefined),
  )
  const tries = rows.map((row): Try => {
    const of: Record<string, string> = {}
    for (const name of columns) {
      const field = fieldOf(name)
      if (field !== undefined && row[name] !== '') of[field] ??= row[name]!
    }
    return {
      ...of,
      passed: truthOf(of.passed),
      human_passed: truthOf(of.human_passed),
      tags: of.tags?.split(/[;,|]/).map(tag => tag.trim()),
      scores: scores.map(name => [name, row[name]]),
    }
  })
  return { tries, namesEpochs: true }
}

const YES = new Set(['true', 'yes', 'pass', 'passed', '1'])
const NO = new Set(['false', 'no', 'fail', 'failed', '0'])

function truthOf(text: string | undefined): boolean | undefined {
  const word = text?.trim().toLowerCase() ?? ''
  if (word === '') return undefined
  if (!YES.has(word) && !NO.has(word)) {
    throw new RangeError(`${JSON.stringify(text)} is neither true nor false`)
  }
  return YES.has(word)
}
