import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type ScoreFormat,
  formatOf,
  nearestFormat,
  readReport,
} from '../../../../src/features/scores/rules_formats.ts'
import {
  type Report,
  canonicalText,
  passRuleOf,
  passedBy,
} from '../../../../src/features/scores/rules_report.ts'
import { csvRows } from '../../../../src/features/scores/rules_text.ts'
import { ROOT_PATH } from '../../../../src/runtime/root.ts'

const fixture = (file: string): string => readFileSync(join(ROOT_PATH, 'test/fixtures/scores', file), 'utf8')

const read = (format: ScoreFormat, text: string): Report => readReport(format, text)

/** Mean of the means of cases, by score, as the ledger adds them up. */
function figures({ cases }: Report): Record<string, number> {
  const byCase = Map.groupBy(cases, ({ id, input }) => id ?? JSON.stringify(input))
  const names = new Set(cases.flatMap(({ scores }) => Object.keys(scores)))
  const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length
  return Object.fromEntries(
    [...names].map(name => {
      const means = [...byCase.values()].flatMap(tries => {
        const values = tries.flatMap(({ scores }) => scores[name] ?? [])
        return values.length === 0 ? [] : [mean(values)]
      })
      return [name, Number(mean(means).toFixed(9))]
    }),
  )
}

const identities = ({ cases }: Report): unknown[] => cases.map(({ id, input, epoch }) => [id ?? input, epoch])

describe('a report that the tool itself wrote has its figures', () => {
  test('promptfoo: two repeats of three tests, one of which breaks', () => {
    const report = read('promptfoo', fixture('promptfoo.json'))
    const { results } = JSON.parse(fixture('promptfoo.json'))
    const { namedScores, namedScoresCount, cost, tokenUsage } = results.prompts[0].metrics
    const found = figures(report)
    expect(found.faithfulness).toBe(namedScores.Faithfulness / namedScoresCount.Faithfulness)
    expect(found.relevance).toBe(namedScores.relevance / namedScoresCount.relevance)
    expect(found.pass_rate).toBeCloseTo(results.stats.successes / 6, 9)
    const total = (of: 'cost_usd' | 'tokens'): number =>
      report.cases.reduce((sum, { more }) => sum + (more[of] ?? 0), 0)
    expect([total('cost_usd'), total('tokens')]).toEqual([cost, tokenUsage.total])
    expect(identities(report)).toEqual([
      ['refund in italian', 1],
      ['refund in italian', 2],
      [{ question: 'Where is my order?' }, 1],
      [{ question: 'Where is my order?' }, 2],
      [{ question: 'break' }, 1],
      [{ question: 'break' }, 2],
    ])
    expect(report.warnings).toEqual(['2 tries ended in an error'])
    expect(report.evaluated_at).toBe(results.timestamp)
  })

  test('Inspect: two epochs of three samples', () => {
    const report = read('inspect', fixture('inspect.json'))
    const { results, eval: ran } = JSON.parse(fixture('inspect.json'))
    const metric = (index: number, name: string): number => results.scores[index].metrics[name].value
    expect(figures(report)).toEqual({
      match: Number(metric(0, 'accuracy').toFixed(9)),
      relevance: Number(metric(1, 'mean').toFixed(9)),
    })
    expect(new Set(identities(report).map(each => JSON.stringify(each)))).toEqual(
      new Set(['3', 'france', 'spain'].flatMap(id => [1, 2].map(epoch => JSON.stringify([id, epoch])))),
    )
    expect(report).toMatchObject({ warnings: [], evaluated_at: ran.created })
    expect(report.cases.every(({ more }) => more.tokens! > 0 && more.duration_ms! > 0)).toBe(true)
  })

  test('DeepEval: a case with a name, one without, and one whose judge breaks', () => {
    const report = read('deepeval', fixture('deepeval.json'))
    const { testRunData: run } = JSON.parse(fixture('deepeval.json'))
    const [{ scores }] = run.metricsScores
    expect(figures(report)).toEqual({
      pass_rate: Number((run.testPassed / (run.testPassed + run.testFailed)).toFixed(9)),
      answer_relevancy: (scores[0] + scores[1]) / 2,
    })
    expect(identities(report)).toEqual([
      ['refund', 1],
      ['Where is my order?', 1],
      ['broken', 1],
    ])
    expect(report).toMatchObject({
      judge_model: 'stub-judge-1',
      warnings: ['1 try ended in an error'],
      cases: [{ more: { tags: ['money'] } }, {}, {}],
    })
  })

  test.each<[ScoreFormat, string, string]>([
    ['pytest-json', 'pytest.json', 'evaluation_pytest.py::test_refund[it]'],
    ['junit', 'junit.xml', 'evaluation_pytest.test_refund[it]'],
  ])('pytest, as %s: one test of each outcome', (format, file, first) => {
    const report = read(format, fixture(file))
    expect(figures(report)).toEqual({ pass_rate: passRateShown(file) })
    expect(identities(report)[0]).toEqual([first, 1])
    expect(report.warnings).toEqual(['2 cases were skipped, and left out'])
    expect(report.evaluated_at).toMatch(/^2026-/)
  })
})

/** The rate that the counts of pytest's own reports come to, without what was skipped. */
function passRateShown(file: string): number {
  if (file.endsWith('.json')) {
    const { passed, xpassed, failed, error } = JSON.parse(fixture(file)).summary
    return (passed + xpassed) / (passed + xpassed + failed + error)
  }
  const count = (name: string): number =>
    Number(new RegExp(`<testsuite [^>]*${name}="(\\d+)"`).exec(fixture(file))![1])
  const [tests, failed, skipped] = [count('tests'), count('failures') + count('errors'), count('skipped')]
  return (tests - skipped - failed) / (tests - skipped)
}

describe('a report as documented', () => {
  const UUID = '1c94b2b0-0000-4000-8000-000000000001'

  test.each<[ScoreFormat, string, unknown[], number]>([
    [
      'jsonl',
      '{"scores":{"a":0.5},"passed":true}\n\n{"scores":{"a":true,"b":null}}\n',
      [{ pass_rate: 1, a: 0.5 }, { a: 1 }],
      1,
    ],
    ['jsonl', '[{"scores":{"a":1}},\n {"passed":false}]', [{ a: 1 }, { pass_rate: 0 }], 0],
    ['jsonl', '{"other":1}', [{}], 0],
    ['jsonl', '{"id":"a","scores":{"f":NaN,"text":"NaN"}}', [{}], 1],
    ['braintrust', '{"input":"x","scores":{"Factuality":0.6,"Moderation":null}}\n', [{ factuality: 0.6 }], 0],
    [
      'braintrust',
      JSON.stringify({ scores: { Factuality: { name: 'Factuality', score: 0.7, diff: 0.1 } } }, null, 2),
      [{ factuality: 0.7 }],
      1,
    ],
    [
      'inspect',
      '{"status":"success","results":{"scores":[{"name":"match","metrics":{"accuracy":{"value":0.5}}}]}}',
      [{ 'match.accuracy': 0.5 }],
      1,
    ],
    [
      'inspect',
      '{"status":"success","samples":[{"scores":{"s":{"value":{"x":"C","y":2}}}},{"error":{},"scores":{}}]}',
      [{ 's.x': 1, 's.y': 2 }, {}],
      1,
    ],
    ['deepeval', '{"testCases":[{"success":true,"metricsData":[]}]}', [{ pass_rate: 1 }], 0],
    [
      'junit',
      '<testsuite><!-- <testcase/> --><testcase name="a>b"/><testcase><system-out><![CDATA[<failure/>]]></system-out></testcase></testsuite>',
      [{ pass_rate: 1 }, { pass_rate: 1 }],
      0,
    ],
    [
      'ragas',
      'user_input,response,faithfulness,answer_relevancy\n"a, b",x,0.5,\nb,y,nan,0.25\n',
      [{ faithfulness: 0.5 }, { answer_relevancy: 0.25 }],
      1,
    ],
    ['ragas', '[{"question":"q","answer":"a","faithfulness":NaN}]', [{}], 1],
    [
      'langsmith',
      `inputs.question,feedback.correctness,execution_time,example_id,error\nq,True,1.5,${UUID},\nq,0.5,2,${UUID},\n`,
      [{ correctness: 1 }, { correctness: 0.5 }],
      0,
    ],
    [
      'langsmith',
      JSON.stringify({
        run: { trace_id: 't' },
        example: { id: UUID },
        evaluation_results: { results: [{ key: 'exact match', score: 1 }] },
      }),
      [{ exact_match: 1 }],
      0,
    ],
    [
      'langsmith',
      JSON.stringify({ reference_example_id: UUID, feedback_stats: { helpful: { n: 2, avg: 0.5 } } }),
      [{ helpful: 0.5 }],
      0,
    ],
    [
      'openai',
      JSON.stringify({
        object: 'list',
        data: [
          {
            datasource_item: { q: 1 },
            status: 'pass',
            results: [{ name: `grade-${UUID}`, score: 0.9 }],
            sample: { usage: { total_tokens: 7 } },
          },
          { datasource_item: { q: 2 }, status: 'error', results: [] },
        ],
      }),
      [{ pass_rate: 1, grade: 0.9 }, { pass_rate: 0 }],
      1,
    ],
    [
      'csv',
      'id,passed,Faithfulness,note,tags,human_passed\na,yes,0.5,good,"x;y",0\nb,FALSE,,bad,,\n',
      [{ pass_rate: 1, faithfulness: 0.5 }, { pass_rate: 0 }],
      1,
    ],
  ])('of %s: %s', (format, text, cases, warnings) => {
    const report = read(format, text)
    expect(report.cases.map(({ scores }) => scores)).toEqual(cases)
    expect(report.warnings).toHaveLength(warnings)
  })

  test('what tells a case from others stays from one evaluation to the next', () => {
    const rows = [
      {
        id: 'row 1',
        origin: { object_type: 'dataset', id: 'rec' },
        input: 'x',
        scores: { a: 1 },
        root_span_id: 't',
      },
      { id: 'row 2', input: { b: 1, a: 2 }, scores: { a: 1 }, metrics: { start: 1, end: 3, tokens: 4 } },
    ]
    const report = read('braintrust', JSON.stringify(rows))
    expect(report.cases).toMatchObject([
      { id: 'rec', more: { trace_id: 't' } },
      { id: undefined, input: { b: 1, a: 2 }, more: { duration_ms: 2000, tokens: 4 } },
    ])
    expect(canonicalText({ b: [1, { d: 1, c: 2 }], a: 2 })).toBe('{"a":2,"b":[1,{"c":2,"d":1}]}')
    // Two tests with one description, of two prompts each.
    const twice = (description: string, question: string, promptIdx: number) => ({
      testCase: { description },
      vars: { question },
      promptIdx,
      success: true,
    })
    const results = [twice('same', 'q1', 0), twice('same', 'q2', 1), twice('own', 'q3', 1)]
    expect(identities(read('promptfoo', JSON.stringify({ results: { results } })))).toEqual([
      [{ column: 1, input: { question: 'q1' } }, 1],
      [{ column: 2, input: { question: 'q2' } }, 1],
      ['own #2', 1],
    ])
  })

  test('a score may say which tries passed', () => {
    const { cases } = read(
      'jsonl',
      '{"id":"a","scores":{"f":0.8}}\n{"id":"b","scores":{"f":0.79}}\n{"id":"c","scores":{}}',
    )
    const rule = passRuleOf(' f >= 0.8 ')!
    expect(passedBy(cases, rule).map(({ scores }) => scores.pass_rate)).toEqual([1, 0, 0])
    expect(passRuleOf('match')).toEqual({ score: 'match', least: 1 })
    expect(passRuleOf('f > 0.8')).toBeUndefined()
    expect(() => passedBy(cases, { score: 'g', least: 1 })).toThrow('no case has the score g; there are f')
  })

  test.each<[ScoreFormat, string]>([
    ['promptfoo', fixture('promptfoo.json')],
    ['inspect', fixture('inspect.json')],
    ['deepeval', fixture('deepeval.json')],
    ['pytest-json', fixture('pytest.json')],
    ['junit', fixture('junit.xml')],
    ['jsonl', '{"id":"a","scores":{"f":1},"passed":true}'],
    ['braintrust', '{"id":"a","scores":{"f":1},"span_attributes":{},"root_span_id":"r","experiment_id":"e"}'],
    ['ragas', 'user_input,retrieved_contexts,faithfulness\na,b,1\n'],
    ['langsmith', 'example_id,feedback.a\nx,1\n'],
    ['openai', '{"data":[{"datasource_item":{}}]}'],
    ['csv', 'id,passed\na,1\n'],
  ])('%s is found out', (format, text) => {
    expect(formatOf(text)?.format).toBe(format)
  })

  test('nothing known is found in what has no sign of any', () => {
    for (const text of ['', '{}', '[]', 'x', '<html/>', '{"a":']) {
      expect([text, formatOf(text), nearestFormat(text)]).toEqual([text, undefined, undefined])
    }
  })
})

describe('a CSV', () => {
  test.each<[string, Record<string, string>[]]>([
    ['a,b\r\n1,2\r\n', [{ a: '1', b: '2' }]],
    [
      '\uFEFFa,b\n"x ""y"" z","1\n2"\n\n3,',
      [
        { a: 'x "y" z', b: '1\n2' },
        { a: '3', b: '' },
      ],
    ],
    ['a\n""\nx', [{ a: 'x' }]],
  ])('%j', (text, rows) => {
    expect(csvRows(text)).toEqual(rows)
  })

  test.each<[string, string]>([
    ['', 'it is empty'],
    ['a,a\n1,2', 'two columns are named "a"'],
    ['a,b\n1,2\n1\n', 'line 3: it has 1 cells, and the header 2'],
    ['a,b\n"x\ny",1\n"z,1', 'line 4: a quote does not end'],
    ['a\nx"y', 'line 2: a quote'],
  ])('%j is refused', (text, message) => {
    expect(() => csvRows(text)).toThrow(message)
  })
})

describe('what is no report', () => {
  test.each<[ScoreFormat, string, RegExp]>([
    ['promptfoo', '{}', /it has no results\.results/],
    ['promptfoo', '{"results":', /JSON/],
    ['inspect', '{"status":"error","samples":[]}', /its status is "error", not "success"/],
    ['inspect', '{}', /its status is missing/],
    ['deepeval', '[]', /it has no testRunData\.testCases/],
    ['jsonl', '{"scores":{}}\n{', /line 2: /],
    ['jsonl', '{"id":"a","passed":"yes"}', /passed of case "a" is "yes": write true or false/],
    ['jsonl', '{"scores":{"f":1},"passed":1}', /passed of a case is 1: write true or false/],
    ['jsonl', '{"scores":{"A b":1,"a_b":1}}', /"A b" and "a_b" would both be the score a_b/],
    ['jsonl', '{"scores":{"…":1}}', /the score "…" has no name of a-z and 0-9/],
    ['jsonl', '{"id":"a","passed":true}\n{"id":"a","passed":true}', /case "a" is twice in epoch 1/],
    ['jsonl', '{"id":"a","epoch":0,"passed":true}', /the epoch of case "a" is 0; count from 1/],
    ['csv', 'id,epoch,passed\na,2,1\na,2,1', /case "a" is twice in epoch 2/],
    ['csv', 'id,passed\na,maybe', /"maybe" is neither true nor false/],
    ['ragas', 'faithfulness\n1', /no user_input/],
    ['langsmith', '{"a":1}', /no example_id/],
    ['openai', '{"data":[{}]}', /no datasource_item/],
    ['pytest-json', '{}', /it has no tests/],
    ['junit', '<html></html>', /it has no testsuite/],
    ['junit', '<testsuite><testcase><failure>', /cut off/],
    ['jsonl', `{"id":"a","x":${'['.repeat(5000)}${']'.repeat(5000)}}`, /64 levels deep/],
  ])('of %s: %s', (format, text, message) => {
    expect(() => read(format, text)).toThrow(message)
  })

  test.each(['<!--', '<!-- a>', '<a b="', '<a ', '<![CDATA[', '<?a>', "<a b='x' c='"])(
    '%j without an end, many times, is refused at once',
    open => {
      const started = performance.now()
      expect(() => read('junit', `<testsuite>${open.repeat(200_000)}`)).toThrow(/cut off/)
      expect(performance.now() - started).toBeLessThan(20_000)
    },
  )
})
