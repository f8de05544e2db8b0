import { type Format, type ReportCases, SUMMARY, type Try, sumOf } from './rules_report.ts'
import { fieldsOf, jsonLines, listOf, rowsOf } from './rules_text.ts'
import type { Fields } from '../../models/checks.ts'

/*
 * Written from the documentation of the tools, which need an account, and tested with files that their packages wrote without one.
 */
export const DOCUMENTED = {
  braintrust: {
    read: braintrust,
    own: [
      'span_attributes',
      'root_span_id',
      'experiment_id',
      'experiment_name & scores',
      'exc_info & scores',
    ],
    common: ['scores', 'expected', 'experiment_name', 'exc_info'],
    by: '`braintrust eval --jsonl FILE`',
  },
  langsmith: {
    read: langsmith,
    own: [
      'reference_example_id',
      'example_id & feedback.*',
      'example_id & outputs.*',
      'example_id & execution_time',
      'evaluation_results & example & run',
    ],
    common: ['example_id', 'feedback_stats', 'evaluation_results', 'feedback.*', 'inputs.*', 'outputs.*'],
    by: '`results.to_pandas().to_csv("results.csv")`',
  },
  ragas: {
    read: ragas,
    own: ['user_input', 'retrieved_contexts', 'question & contexts & answer', 'question & ground_truth'],
    common: ['contexts', 'ground_truth', 'faithfulness', 'answer_relevancy', 'context_recall'],
    by: '`result.to_pandas().to_csv("results.csv", index=False)`',
  },
  openai: {
    read: openai,
    own: ['datasource_item', 'data.0.datasource_item'],
    common: ['testing_criteria', 'report_url', 'per_testing_criteria_results', 'eval_id'],
    by: '`to_json(indent=None)` of each item that `output_items.list` gives',
  },
} as const satisfies Readonly<Record<string, Format>>

/**
 * Lines of cases with `scores`, or the summary of an experiment, in which a score is an object and is that of all. Their
 * ids are new in each experiment: what stays is the record of the dataset, or the input.
 */
function braintrust(text: string): ReportCases {
  const warnings = new Set<string>()
  const tries = jsonLines(text).map((line): Try => {
    const scores = Object.entries(fieldsOf(line.scores))
    if (scores.some(([, score]) => typeof score === 'object' && score !== null)) {
      warnings.add(SUMMARY)
      return { scores: scores.map(([name, score]) => [name, fieldsOf(score).score]) }
    }
    const origin = fieldsOf(line.origin)
    const { start, end, tokens, total_tokens, estimated_cost } = fieldsOf(line.metrics)
    return {
      id: origin.object_type === 'dataset' ? origin.id : line.dataset_record_id,
      input: line.input,
      ended: line.error == null ? undefined : 'in_error',
      // Null where it doesn't apply.
      scores: scores.filter(([, score]) => score !== null),
      tags: line.tags,
      duration_ms: sumOf([Number(end) - Number(start)], 1000),
      tokens: tokens ?? total_tokens,
      cost_usd: estimated_cost,
      trace_id: line.root_span_id,
    }
  })
  return { tries, warnings: [...warnings], areShares: true }
}

/**
 * LangSmith: `results.to_pandas()` as CSV or JSON, the rows that `evaluate` gives, or runs of an experiment with their
 * `feedback_stats`. A case is the example of the dataset; repetitions are its epochs.
 */
function langsmith(text: string): ReportCases {
  const tries = rowsOf(text).map((row): Try => {
    const run = fieldsOf(row.run ?? row)
    const id = row.example_id ?? run.reference_example_id ?? fieldsOf(row.example).id
    if (id === undefined) throw new RangeError('a row has no example_id')
    const columns = Object.entries(row).filter(([name]) => name.startsWith('feedback.'))
    const results = listOf(fieldsOf(row.evaluation_results).results ?? [], 'evaluation_results.results')
    return {
      id,
      scores: [
        ...columns.map(([name, value]) => [name.slice('feedback.'.length), value] as const),
        ...Object.entries(fieldsOf(run.feedback_stats)).map(
          ([name, stat]) => [name, fieldsOf(stat).avg] as const,
        ),
        ...results.map(({ key, score }) => [String(key), score] as const),
      ],
      duration_ms: sumOf([row.execution_time], 1000),
      tokens: run.total_tokens,
      cost_usd: run.total_cost,
      trace_id: run.trace_id,
    }
  })
  return { tries }
}

/** Columns of ragas that are no metric, of versions from 0.1 on. */
const RAGAS_TEXTS = new Set([
  '',
  'Unnamed: 0',
  'user_input',
  'response',
  'multi_responses',
  'reference',
  'rubrics',
  'retrieved_contexts',
  'reference_contexts',
  'retrieved_context_ids',
  'reference_context_ids',
  'question',
  'contexts',
  'answer',
  'ground_truth',
  'ground_truths',
])

/** ragas: `result.to_pandas()` as CSV or JSON. What it could not judge is NaN, and missing. */
function ragas(text: string): ReportCases {
  const tries = rowsOf(text).map((row): Try => {
    const input = row.user_input ?? row.question
    if (input === undefined) throw new RangeError('a row has no user_input, nor question')
    return { input, scores: Object.entries(row).filter(([name]) => !RAGAS_TEXTS.has(name)) }
  })
  return { tries }
}

/**
 * OpenAI: the output items of a run of its Evals API, of Azure AI Foundry too. A case is the item of the data source.
 */
function openai(text: string): ReportCases {
  const rows = jsonLines(text)
  const page = rows.length === 1 && rows[0]!.data !== undefined ? rows[0]! : undefined
  if (page?.has_more === true) {
    throw new RangeError('the page is not the last one: write all output items, one to a line')
  }
  const items = page === undefined ? rows : listOf(page.data, 'data')
  const tries = items.map(({ datasource_item, results, status, sample }): Try => {
    if (datasource_item === undefined) throw new RangeError('an output item has no datasource_item')
    const grades = listOf(results ?? [], 'results')
    const outcome = outcomeOf(status, grades)
    return {
      input: datasource_item,
      passed: outcome === true,
      ended: outcome === undefined ? 'in_error' : undefined,
      scores: grades.map(({ name, score }) => [graderName(name), score]),
      tokens: fieldsOf(fieldsOf(sample).usage).total_tokens,
    }
  })
  const at = sumOf([items[0]?.created_at], 1000)
  return { tries, evaluated_at: at === undefined ? undefined : new Date(at).toISOString() }
}

/** Whether an item passed; undefined where it was not judged. Azure's `completed` says only that it was. */
function outcomeOf(status: unknown, grades: readonly Fields[]): boolean | undefined {
  if (status === 'pass' || status === 'fail') return status === 'pass'
  const judged = grades.filter(({ passed }) => typeof passed === 'boolean')
  if (/error/.test(String(status)) || judged.length === 0) return undefined
  return judged.every(({ passed }) => passed)
}

/** The API adds an id of the evaluation to the name of a grader. */
function graderName(name: unknown): string {
  return String(name).replace(/-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, '')
}
