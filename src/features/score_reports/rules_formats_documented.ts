import {
  CaseList,
  PASS_RATE,
  type Fields,
  type Report,
  amountOf,
  fieldsOf,
  listOf,
  stringOf,
} from './rules_report.ts'
import { csvRows, jsonLines, parsedJson } from './rules_text.ts'

/*
 * Reports that were written from the documentation of their tools, and not from one that a tool wrote: these need an
 * account, or a model, that a machine without secrets has not.
 */

/**
 * Langfuse: the result of `run_experiment` as JSON, or a dataset run of its API (`datasetRunItems`) with the scores of its
 * traces beside it (`scores`). A case is the item of the dataset.
 */
export function readLangfuse(text: string): Report {
  const list = new CaseList()
  const whole = fieldsOf(parsedJson(text))
  const results = whole.item_results ?? whole.itemResults
  if (results !== undefined) {
    for (const { item, evaluations, trace_id, traceId } of listOf(results, 'item_results')) {
      const { id, input } = fieldsOf(item)
      list.add(
        {
          id,
          input: stringOf(id) === undefined ? (input ?? undefined) : undefined,
          trace_id: stringOf(trace_id ?? traceId),
        },
        listOf(evaluations ?? [], 'evaluations').map(({ name, value }) => [String(name), value] as const),
      )
    }
    return { cases: list.cases, warnings: [] }
  }
  const items = listOf(whole.datasetRunItems, 'item_results, nor datasetRunItems')
  const scores = listOf(whole.scores ?? whole.data, 'scores beside datasetRunItems')
  const byTrace = Map.groupBy(scores, ({ traceId }) => traceId)
  for (const { datasetItemId, traceId } of items) {
    const of = byTrace.get(traceId) ?? []
    list.add(
      { id: datasetItemId, trace_id: stringOf(traceId) },
      of.map(({ name, value, dataType }) => [
        String(name),
        dataType === 'BOOLEAN' && typeof value === 'number' ? value === 1 : value,
      ]),
    )
  }
  return { cases: list.cases, warnings: [], evaluated_at: stringOf(whole.createdAt) }
}

/**
 * LangSmith: `results.to_pandas()` as CSV or JSON, the rows that `evaluate` gives, or runs of an experiment with their
 * `feedback_stats`. A case is the example of the dataset; repetitions are its epochs.
 */
export function readLangsmith(text: string): Report {
  const list = new CaseList()
  const rows = rowsOf(text)
  for (const row of rows) {
    const [run, example] = [fieldsOf(row.run ?? row), fieldsOf(row.example)]
    const id = row.example_id ?? run.reference_example_id ?? example.id
    if (id === undefined) throw new RangeError('a row has no example_id')
    const results = fieldsOf(row.evaluation_results).results
    const columns = Object.entries(row).flatMap(([name, value]) =>
      name.startsWith('feedback.') ? [[name.slice('feedback.'.length), value] as const] : [],
    )
    const stats = Object.entries(fieldsOf(run.feedback_stats)).map(
      ([name, stat]) => [name, fieldsOf(stat).avg] as const,
    )
    const given =
      results === undefined
        ? []
        : listOf(results, 'evaluation_results.results').map(({ key, score }) => [String(key), score] as const)
    list.add(
      {
        id,
        duration_ms: amountOf(row.execution_time, 1000),
        tokens: amountOf(run.total_tokens),
        cost_usd: amountOf(run.total_cost),
        trace_id: stringOf(run.trace_id),
      },
      [...columns, ...stats, ...given].map(([name, value]) => [name, scoreOf(value)] as const),
    )
  }
  return { cases: list.cases, warnings: [] }
}

/** Columns of ragas that are no metric, of versions from 0.1 on. */
const RAGAS_TEXTS = new Set([
  'user_input',
  'retrieved_contexts',
  'reference_contexts',
  'retrieved_context_ids',
  'reference_context_ids',
  'response',
  'multi_responses',
  'reference',
  'rubrics',
  'question',
  'contexts',
  'answer',
  'ground_truth',
  'ground_truths',
])

/** ragas: `result.to_pandas()` as CSV or JSON. What it could not judge is NaN, and missing. */
export function readRagas(text: string): Report {
  const list = new CaseList()
  let missing = 0
  for (const row of rowsOf(text)) {
    const input = row.user_input ?? row.question
    if (input === undefined) throw new RangeError('a row has no user_input, nor question')
    const scores = Object.entries(row)
      .filter(([name]) => !RAGAS_TEXTS.has(name) && name !== '' && name !== 'Unnamed: 0')
      .map(([name, value]) => [name, scoreOf(value)] as const)
    missing += scores.filter(([, score]) => score === undefined).length
    list.add({ input }, scores)
  }
  return {
    cases: list.cases,
    warnings: missing === 0 ? [] : [`${missing} ${missing === 1 ? 'score is' : 'scores are'} missing (NaN)`],
  }
}

/**
 * OpenAI: the output items of a run of its Evals API, or the log of `oaieval`. A case is the item of the data source, or the
 * sample.
 */
export function readOpenai(text: string): Report {
  const rows = jsonLines(text)
  const items = rows.length === 1 && rows[0]!.data !== undefined ? listOf(rows[0]!.data, 'data') : rows
  if (items.some(({ sample_id }) => sample_id !== undefined)) return ofOaieval(items)
  const list = new CaseList()
  let failed = 0
  let at: number | undefined
  for (const { datasource_item, results, status, sample, created_at } of items) {
    if (datasource_item === undefined) throw new RangeError('an output item has no datasource_item')
    if (status === 'error') failed += 1
    at ??= amountOf(created_at)
    list.add({ input: datasource_item, tokens: amountOf(fieldsOf(fieldsOf(sample).usage).total_tokens) }, [
      [PASS_RATE, status === 'pass'],
      ...listOf(results ?? [], 'results').map(({ name, score }) => [graderName(name), score] as const),
    ])
  }
  return {
    cases: list.cases,
    warnings:
      failed === 0 ? [] : [`${failed} ${failed === 1 ? 'case' : 'cases'} ended in an error and did not pass`],
    evaluated_at: at === undefined ? undefined : new Date(at * 1000).toISOString(),
  }
}

/** The API adds an id of the evaluation to the name of a grader. */
function graderName(name: unknown): string {
  return String(name).replace(/-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, '')
}

function ofOaieval(events: readonly Fields[]): Report {
  const list = new CaseList()
  const judged = events.filter(({ type }) => type === 'match' || type === 'metrics')
  for (const { sample_id, type, data } of judged) {
    const fields = fieldsOf(data)
    list.add(
      { id: sample_id },
      type === 'match'
        ? [[PASS_RATE, fields.correct]]
        : Object.entries(fields).map(([name, value]) => [name, value]),
    )
  }
  const created = events.map(({ created_at }) => stringOf(created_at)).find(text => text !== undefined)
  return { cases: list.cases, warnings: [], evaluated_at: created?.replace(' ', 'T') }
}

/** Columns of a CSV that are no score, by what they are called. */
const CSV_COLUMNS: Readonly<Record<string, string>> = {
  id: 'id',
  case: 'id',
  case_id: 'id',
  input: 'input',
  epoch: 'epoch',
  passed: 'passed',
  pass: 'passed',
  human_passed: 'human_passed',
  cluster: 'cluster',
  tags: 'tags',
  duration_ms: 'duration_ms',
  tokens: 'tokens',
  cost_usd: 'cost_usd',
  trace_id: 'trace_id',
}

/** A CSV with a header: a try of a case to a row; every other column that holds numbers is a score. */
export function readCsv(text: string): Report {
  const list = new CaseList({ numbersRepeats: false })
  const rows = csvRows(text)
  const columns = Object.keys(rows[0] ?? {})
  const scores = columns.filter(
    name => CSV_COLUMNS[name.toLowerCase()] === undefined && isOfNumbers(rows, name),
  )
  for (const row of rows) {
    const of: Record<string, string | undefined> = {}
    for (const name of columns) {
      const field = CSV_COLUMNS[name.toLowerCase()]
      if (field !== undefined && row[name] !== '') of[field] ??= row[name]
    }
    const tags = of.tags
      ?.split(/[;,|]/)
      .map(tag => tag.trim())
      .filter(tag => tag !== '')
    list.add(
      {
        id: of.id,
        input: of.id === undefined ? of.input : undefined,
        epoch: of.epoch === undefined ? undefined : Number(of.epoch),
        human_passed: truthOf(of.human_passed),
        cluster: of.cluster,
        tags,
        duration_ms: amountOf(of.duration_ms),
        tokens: amountOf(of.tokens),
        cost_usd: amountOf(of.cost_usd),
        trace_id: of.trace_id,
      },
      [[PASS_RATE, truthOf(of.passed)], ...scores.map(name => [name, scoreOf(row[name])] as const)],
    )
  }
  const missing = scores.flatMap(name => rows.filter(row => scoreOf(row[name]) === undefined))
  return {
    cases: list.cases,
    warnings:
      missing.length === 0 ? [] : [`${missing.length} cells of scores hold no number, and are missing`],
  }
}

function isOfNumbers(rows: readonly Record<string, string>[], name: string): boolean {
  return name !== '' && rows.some(row => scoreOf(row[name]) !== undefined)
}

const TRUTHS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  pass: true,
  passed: true,
  '1': true,
  false: false,
  no: false,
  fail: false,
  failed: false,
  '0': false,
}

function truthOf(text: string | undefined): boolean | undefined {
  const word = text?.trim().toLowerCase() ?? ''
  if (word === '') return undefined
  const truth = TRUTHS[word]
  if (truth === undefined) throw new RangeError(`${JSON.stringify(text)} is neither true nor false`)
  return truth
}

/** Rows of JSON, or of a CSV. */
function rowsOf(text: string): Fields[] {
  return /^\s*[{[]/.test(text) ? jsonLines(text) : csvRows(text)
}

/** A score of a cell: a number, or True and False as pandas writes them. */
function scoreOf(value: unknown): number | boolean | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value !== 'string') return undefined
  const word = value.trim()
  if (/^(?:true|false)$/i.test(word)) return word.toLowerCase() === 'true'
  return word === '' || !Number.isFinite(Number(word)) ? undefined : Number(word)
}
