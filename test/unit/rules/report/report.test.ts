import { describe, expect, test } from 'vitest'
import type { DiffStatistics } from '../../../../src/models/answers/statistics.ts'
import type { Gate } from '../../../../src/models/deploys/gate.ts'
import { diffMarkdown, gateMarkdown } from '../../../../src/rules/report/report.ts'
import { gateOf, diffOf } from './facts.ts'

describe('the report of the gate', () => {
  test('tells verdict, reasons, figures, limits, runs, and how to see it again', () => {
    const gate = gateOf({
      verdict: 'block',
      result: 'blocked',
      passed: false,
      reasons: ['candidate cost_per_run_usd 0.014700 exceeds max 0.008000'],
      warnings: ['few runs'],
    })
    expect(gateMarkdown(gate, ['--baseline=rel_a'], 'https://gate.example/x')).toBe(`\
### ⛔ \`support-bot\` \`1.5.0\` → \`prod\`: Blocked by policy: 1 reason

- \`candidate cost_per_run_usd 0.014700 exceeds max 0.008000\`

|  | baseline, all runs | candidate, all runs | change, all runs | 95 % interval | limit | n |
| - | -: | -: | -: | -: | -: | -: |
| cost per run | $0.007100 | $0.014700 | +107 % | +98.0 % to +117 % | $0.008000, +10.0 % | 812, 640 |
| latency, mean | 840 ms | 835 ms | -0.6 % | -100 % to +2.0 % | 1,800 ms | 812, 640 |
| error rate | 1.2 % | 1.1 % | -0.1 points | -0.9 points to +0.7 points | 3.0 % | 812, 640 |

812 and 640 runs, \`7d\`: enough runs (confidence HIGH)

Release \`1.5.0\` (\`rel_b\`), compared with \`1.4.0\` (\`rel_a\`).

- ⚠️ \`few runs\`

<sub>\`svc release gate rel_b --env=prod --window=7d --baseline=rel_a\` · <a href="https://gate.example/x/?view=place&amp;agent=support-bot&amp;env=prod&amp;baseline=rel_a&amp;candidate=rel_b&amp;window=7d">page</a></sub>
`)
  })

  test.each([
    ['passed', '✅', 'Passes the policy', {}],
    ['passed', '⚠️', 'Passes the policy, but slower', { latency_ms: { verdict: 'worse' } }],
    [
      'passed',
      '⚠️',
      'Passes the policy, but worse for 2 groups',
      { segment_regressions: { found_in_all: 2 } },
    ],
    ['first', '✅', 'First promotion: no policy is evaluated', {}],
    ['not_yet', '❔', 'Not yet: too little evidence', {}],
    ['blocked', '⛔', 'Blocked by policy: 0 reasons', {}],
  ] as const)('of the verdict %s begins with %s %s, as the pages do', (result, sign, word, more) => {
    const gate = gateOf({ result })
    const { latency_ms, ...others } = gate.statistics!
    const statistics = {
      ...others,
      ...more,
      latency_ms: { ...latency_ms, ...('latency_ms' in more ? more.latency_ms : {}) },
    } as DiffStatistics
    const report = gateMarkdown({ ...gate, statistics }, [], undefined)
    expect(report.split('\n')[0]).toBe(`### ${sign} \`support-bot\` \`1.5.0\` → \`prod\`: ${word}`)
    expect(report).not.toContain('href')
  })

  test('says of which runs figures and changes are, where these are not the same', () => {
    const gate = gateOf({})
    const { cost_per_run_usd, error_rate, ...others } = gate.statistics!
    const compared = { by: 'common_time', since: '', until: '', block_minutes: 60 } as const
    const matched = { baseline_runs: 200, candidate_runs: 300 } as Exclude<
      typeof error_rate.matched,
      undefined
    >
    const report = (more: Partial<DiffStatistics>): string =>
      gateMarkdown(
        { ...gate, statistics: { ...others, cost_per_run_usd, error_rate, ...more } },
        [],
        undefined,
      )
    const ofHours = report({ compared, error_rate: { ...error_rate, matched } })
    expect(ofHours).toContain('| baseline, all runs | candidate, all runs | change, shared time |')
    expect(ofHours).toContain('| 3.0 % | 200, 300 |')
    const ofSucceeded = { of_succeeded: true } as const
    const succeeded = 'Changes of cost and latency are per run that succeeded.'
    // Where no run failed these are all runs.
    expect(report(ofSucceeded)).not.toContain(succeeded)
    expect(
      report({ ...ofSucceeded, cost_per_run_usd: { ...cost_per_run_usd, candidate_runs: 600 } }),
    ).toContain(succeeded)
  })

  test('of a side without runs shows no data rather than 0', () => {
    const empty = gateOf({ samples: { baseline_runs: 812, candidate_runs: 0 } })
    const row = gateMarkdown(empty, [], undefined)
      .split('\n')
      .find(line => line.startsWith('| cost'))
    expect(row).toContain('| $0.007100 | no data |')
  })

  const ODD = [
    '|<img src=x>',
    '`|<b>`',
    '--help',
    'a\n### b',
    "it's $(rm -rf /)",
    'v'.repeat(1000),
    '@all #1',
    '</sub>',
  ]
  test.each(ODD)('of what is called %j holds it in code spans alone, and stays short', name => {
    const odd: Partial<Gate> = {
      agent_id: name,
      environment: name,
      version: name,
      baseline_version: name,
      reasons: Array.from({ length: 200 }, (_, index) => `${name} ${index}`),
      warnings: [name],
    }
    const report = gateMarkdown(gateOf(odd), [], 'https://gate.example')
    expect(report.length).toBeLessThan(20_000)
    const plain = withoutCode(report)
    for (const part of ['<img', '<b>', '### b', 'rm -rf', 'vvv', '@all', '</sub></sub>', '--help']) {
      expect(plain).not.toContain(part)
    }
    const table = report.split('\n').filter(line => line.startsWith('|'))
    expect(table.map(line => line.split('|').length)).toEqual([9, 9, 9, 9, 9])
    expect(report.split('\n').filter(line => line.startsWith('#'))).toHaveLength(1)
  })
})

describe('the report of a diff', () => {
  test('says which tenant and task it is about, and repeats them in its command', () => {
    const report = diffMarkdown(diffOf({ environment: 'prod', tenant_id: '|<img>', task_id: 'a b' }), {
      agent: 'support-bot',
      baseline: { release_id: 'rel_a', version: '1.4.0' },
      candidate: { release_id: 'rel_b', version: '1.5.0' },
      limits: [],
      url: undefined,
    })
    expect(report).toContain(
      '812 and 640 runs, `7d`, tenant `|<img>`, task `a b`: enough runs (confidence HIGH)',
    )
    expect(report).toContain(
      "`svc release diff rel_a rel_b --env=prod --window=7d '--tenant=|<img>' '--task=a b'`",
    )
    expect(withoutCode(report)).not.toContain('<img')
  })
})

/** What a reader of Markdown does not take for code, and the words of ours within addresses. */
function withoutCode(markdown: string): string {
  return markdown.replaceAll(/(`+)(?!`)(?:.*?[^`])\1(?!`)/g, '').replaceAll(/href="[^"<>]*"/g, '')
}
