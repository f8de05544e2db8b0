import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SCORE_FORMATS } from '../../../../src/features/scores/rules_formats.ts'
import { ROOT_PATH } from '../../../../src/runtime/root.ts'

type Format = keyof typeof SCORE_FORMATS

const fixture = (file: string): string => readFileSync(join(ROOT_PATH, 'test/fixtures/scores', file), 'utf8')

describe('a report that the tool itself wrote', () => {
  test.each<[Format, string, unknown[], string[]]>([
    [
      'promptfoo',
      'promptfoo.json',
      [
        { pass_rate: 1, score: 0.875, faithfulness: 1, relevance: 0.75 },
        { pass_rate: 0, score: 0.25, faithfulness: 0, relevance: 0.5 },
        { pass_rate: 0 },
      ],
      ['1 case ended in an error and did not pass'],
    ],
    [
      'inspect',
      'inspect.json',
      [
        { match: 1, relevance: 0.75 },
        { match: 0, relevance: 0.25 },
        { match: 1, relevance: 0.75 },
      ],
      [],
    ],
    [
      'deepeval',
      'deepeval.json',
      [{ pass_rate: 1, answer_relevancy: 0.9 }, { pass_rate: 0, answer_relevancy: 0.2 }, { pass_rate: 0 }],
      ['1 case ended in an error and did not pass'],
    ],
    [
      'junit',
      'junit.xml',
      [{ pass_rate: 1 }, { pass_rate: 0 }, { pass_rate: 0 }],
      ['1 case was skipped, and left out'],
    ],
  ])('of %s', (format, file, cases, warnings) => {
    expect(SCORE_FORMATS[format](fixture(file))).toEqual({ cases, warnings })
  })
})

describe('a report as documented', () => {
  test.each<[Format, string, unknown[], number]>([
    [
      'jsonl',
      '{"scores":{"a":0.5},"passed":true}\n\n{"scores":{"a":true,"b":null}}\n',
      [{ pass_rate: 1, a: 0.5 }, { a: 1 }],
      0,
    ],
    ['jsonl', '[{"scores":{"a":1}},\n {"passed":false}]', [{ a: 1 }, { pass_rate: 0 }], 0],
    ['jsonl', '{"other":1}', [{}], 0],
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
  ])('of %s: %s', (format, text, cases, warnings) => {
    const report = SCORE_FORMATS[format](text)
    expect(report.cases).toEqual(cases)
    expect(report.warnings).toHaveLength(warnings)
  })
})

describe('what is no report', () => {
  test.each<[Format, string, RegExp]>([
    ['promptfoo', '{}', /it has no results\.results/],
    ['promptfoo', '{"results":', /JSON/],
    ['inspect', '{"status":"error","samples":[]}', /its status is "error", not "success"/],
    ['inspect', '{}', /its status is missing/],
    ['deepeval', '[]', /it has no testRunData\.testCases/],
    ['jsonl', '{"scores":{}}\n{', /line 2: /],
    ['jsonl', '{"scores":{"A b":1,"a_b":1}}', /"A b" and "a_b" would both be the score a_b/],
    ['jsonl', '{"scores":{"…":1}}', /the score "…" has no name of a-z and 0-9/],
    ['junit', '<html></html>', /it has no testsuite/],
    ['junit', '<testsuite><testcase><failure>', /cut off/],
  ])('of %s: %s', (format, text, message) => {
    expect(() => SCORE_FORMATS[format](text)).toThrow(message)
  })

  test.each(['<!--', '<a b="', '<a ', '<![CDATA[', "<a b='x' c='"])(
    '%j without an end, many times, is refused at once',
    open => {
      const started = performance.now()
      expect(() => SCORE_FORMATS.junit(`<testsuite>${open.repeat(200_000)}`)).toThrow(/cut off/)
      expect(performance.now() - started).toBeLessThan(2000)
    },
  )
})
