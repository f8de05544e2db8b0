import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { evalLogText, isZip } from '../../../../src/features/scores/cli_eval_log.ts'
import { formatOf, nearestFormat, readReport } from '../../../../src/features/scores/rules_formats.ts'
import { ROOT_PATH } from '../../../../src/runtime/root.ts'

const bytesOf = (file: string): Buffer => readFileSync(join(ROOT_PATH, 'test/fixtures/scores', file))

/** What an import makes of a text that nobody says the format of. */
function imported(text: string) {
  const { format } = formatOf(text)!
  const { cases, warnings, evaluated_at } = readReport(format, text)
  return {
    format,
    cases: cases.map(({ id, input, epoch, scores }) => [id ?? input, epoch, scores]),
    warnings,
    evaluated_at,
  }
}

describe('what a tool writes by default is read without its format', () => {
  test('Braintrust: the rows of Eval with trials, of which one case breaks', () => {
    expect(imported(bytesOf('braintrust.json').toString())).toMatchObject({
      format: 'braintrust',
      cases: [
        ['a', 1, { scorer_0: 1 }],
        ['a', 2, { scorer_0: 1 }],
        ['b', 1, { scorer_0: 0 }],
        ['b', 2, { scorer_0: 0 }],
        ['break', 1, {}],
        ['break', 2, {}],
      ],
      warnings: ['2 tries ended in an error'],
    })
  })

  test('ragas: the CSV of to_pandas', () => {
    expect(imported(bytesOf('ragas.csv').toString())).toMatchObject({
      format: 'ragas',
      cases: [
        ['Where is my order?', 1, { exact_match: 1 }],
        ['May I return it?', 1, { exact_match: 0 }],
      ],
    })
  })

  test('Azure AI Foundry: the output items that its package makes', () => {
    const { format, cases } = imported(bytesOf('azure.json').toString())
    expect(format).toBe('openai')
    expect(cases.map(([, epoch, scores]) => [epoch, scores])).toEqual([
      [1, { f1: 1, pass_rate: 1 }],
      [1, { f1: 0, pass_rate: 0 }],
    ])
  })

  test('OpenAI: output items as its SDK writes them, a line, a list or the last page', () => {
    const lines = bytesOf('openai.jsonl').toString()
    const items = lines
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as unknown)
    const page = {
      ...(JSON.parse(bytesOf('openai_page.json').toString()) as object),
      data: items,
      has_more: false,
    }
    for (const text of [lines, JSON.stringify(items), JSON.stringify(page, null, 2)]) {
      const { format, cases, warnings, evaluated_at } = imported(text)
      expect({ format, warnings, evaluated_at }).toEqual({
        format: 'openai',
        warnings: ['1 try ended in an error'],
        evaluated_at: '2026-11-28T21:22:12.000Z',
      })
      expect(cases.map(([, epoch, scores]) => [epoch, scores])).toEqual([
        [1, { match: 1, pass_rate: 1 }],
        [1, { match: 0, pass_rate: 0 }],
        [1, { pass_rate: 0 }],
      ])
    }
  })

  test('OpenAI: one page of several is refused, for its cases would be all', () => {
    const page = bytesOf('openai_page.json').toString()
    expect(() => imported(page)).toThrow(
      'the page is not the last one: write all output items, one to a line',
    )
  })

  test.each(['langsmith.csv', 'langsmith_no_index.csv'])('LangSmith: %s of to_pandas, by examples', file => {
    const [first, second] = ['1', '2']
      .map(number => number.padStart(12, '0'))
      .map(end => `00000000-0000-0000-0000-${end}`)
    expect(imported(bytesOf(file).toString())).toMatchObject({
      format: 'langsmith',
      cases: [
        [first, 1, { correct: 1 }],
        [second, 1, { correct: 0 }],
        [first, 2, { correct: 1 }],
        [second, 2, { correct: 0 }],
      ],
    })
  })

  test('Inspect: the log that it writes unless it is told otherwise, packed by zstd', () => {
    const log = bytesOf('inspect.eval')
    expect(isZip(log)).toBe(true)
    const { format, cases, warnings } = imported(evalLogText(log, 'log.eval'))
    expect([format, warnings]).toEqual(['inspect', []])
    expect(cases.map(([id, epoch]) => `${String(id)} ${String(epoch)}`).sort()).toEqual([
      '3 1',
      '3 2',
      'france 1',
      'france 2',
      'spain 1',
      'spain 2',
    ])
    for (const [, , scores] of cases)
      expect(Object.keys(scores as object).sort()).toEqual(['match', 'relevance'])
  })

  test('Azure AI Foundry: an item that completed passed where all its graders say so', () => {
    const of = (q: number, ...passed: (boolean | null)[]) => ({
      datasource_item: { q },
      status: 'completed',
      results: passed.map((each, index) => ({ name: `g${index}`, score: 5, passed: each })),
    })
    const text = JSON.stringify([
      of(1, true, true),
      of(2, true, false),
      of(3, null),
      { ...of(4), status: 'errored' },
    ])
    const { cases, warnings } = imported(text)
    expect(cases.map(([, , scores]) => (scores as Record<string, number>).pass_rate)).toEqual([1, 0, 0, 0])
    expect(warnings).toEqual(['2 tries ended in an error'])
  })

  test('LangSmith: runs of an experiment', () => {
    const run = {
      id: 'r',
      status: 'success',
      reference_example_id: 'e',
      feedback_stats: { ok: { n: 1, avg: 1 } },
    }
    expect(imported(JSON.stringify([run]))).toMatchObject({
      format: 'langsmith',
      cases: [['e', 1, { ok: 1 }]],
    })
  })

  // `node tools/captures/junit.ts` wrote them, with the tools themselves.
  test.each([
    [
      'GoogleTest, of which a disabled test did not run',
      'gtest.xml',
      [
        ['Refunds.AnswersWithinPolicy', 1, { pass_rate: 1 }],
        ['Refunds.AsksForTheOrder', 1, { pass_rate: 0 }],
      ],
      ['2 cases were skipped, and left out'],
    ],
    [
      'Playwright, of which one passed at its second try',
      'playwright.xml',
      [
        ['refunds.spec.js.refunds › answers within policy', 1, { pass_rate: 1 }],
        ['refunds.spec.js.refunds › asks for the order', 1, { pass_rate: 0 }],
        ['refunds.spec.js.refunds › succeeds at the second try', 1, { pass_rate: 1 }],
      ],
      ['1 case was skipped, and left out'],
    ],
  ])('JUnit of %s', (_, file, cases, warnings) => {
    expect(imported(bytesOf(file).toString())).toMatchObject({ format: 'junit', cases, warnings })
  })
})

test.each([
  ['{"testRunLink":"https://app.example/run"}', 'deepeval', 'testRunLink'],
  ['Description,Status,Grader Reason\na,PASS,x\n', 'promptfoo', 'Grader Reason'],
  ['{"samples":[],"model_usage":{}}', 'inspect', 'samples'],
  ['<TestRun id="x"/>', 'junit', '<TestRun'],
])('%s is nearest to one of %s', (text, format, field) => {
  expect(formatOf(text)).toBeUndefined()
  expect(nearestFormat(text)).toMatchObject({ format, field })
})

test.each([
  ['cut off', (log: Buffer) => log.subarray(0, 9_000), /directory is missing: the file is cut off/],
  ['another zip', () => Buffer.from(EMPTY_ZIP, 'base64'), /no header\.json: it is not a log of Inspect/],
])('a zip that is %s is refused', (_, made, message) => {
  expect(() => evalLogText(made(bytesOf('inspect.eval')), 'x.eval')).toThrow(message)
})

/** An end of a central directory without entries. */
const EMPTY_ZIP = 'UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA=='
