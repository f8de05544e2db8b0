import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT_PATH } from '../../../../src/runtime/root.ts'
import { releaseOf } from '../../../support/services/builders.ts'
import { makeWorkspace } from '../../../support/processes/cli.ts'

async function scored() {
  const workspace = makeWorkspace({})
  const { svc, write } = workspace
  write('release.yaml', releaseOf({ version: '1.5.0' }))
  const { stdout } = await svc('release', 'register', 'release.yaml')
  const suite = (...args: string[]) =>
    svc('scores', 'import', ...args, '--release', '1.5.0', '--suite', 'regression')
  return { ...workspace, suite, release: stdout.trim() }
}

describe.concurrent('svc scores', () => {
  test('import stores a report by the version of the release, tells what it lacks, and list has it', async () => {
    const { svc, write, suite, release } = await scored()
    write('results.json', readFileSync(join(ROOT_PATH, 'test/fixtures/scores/promptfoo.json')))
    const { code, stdout, stderr } = await suite('results.json', '--format', 'promptfoo')
    expect([code, stderr]).toEqual([0, expect.stringContaining('2 tries ended in an error')])
    expect(stdout).toMatch(
      /^regression\/faithfulness\t0\.5\t2 cases\nregression\/pass_rate\t0\.333333333333\t3 cases\n[^]*imported 3 cases in 6 tries of regression, identified by their ids and inputs {2}scr_/,
    )
    const { imports } = JSON.parse((await svc('scores', 'list', release, '--output', 'json')).stdout)
    expect(imports).toMatchObject([
      {
        format: 'promptfoo',
        source_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        cases: 3,
        evaluation: { case_ids: 'mixed', results: 6, tokens: 480, cost_usd: 0.0048 },
      },
    ])
    expect((await svc('scores', 'list', release)).stdout).toContain(
      '\tregression/score\t0.5625\t2\tpromptfoo\t',
    )
  })

  test('import reads the log that Inspect writes by default', async () => {
    const { suite, write } = await scored()
    write('log.eval', readFileSync(join(ROOT_PATH, 'test/fixtures/scores/inspect.eval')))
    const { code, stdout, stderr } = await suite('log.eval')
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('warning')])
    expect(stdout).toContain('imported 3 cases in 6 tries of regression, identified by their ids')
  })

  test('import says how a file that it does not know is written, and refuses a time that is none', async () => {
    const { suite, write } = await scored()
    write('link.json', '{"testRunLink":"https://app.example/run"}')
    expect(await suite('link.json')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'link.json is not a known report. It is nearest to one of deepeval (it has testRunLink), which comes ' +
          'from `deepeval logout`, then `deepeval test run`, which writes .deepeval/.latest_test_run.json. Otherwise name',
      ) as string,
    })
    write('junit.xml', '<testsuite timestamp="yesterday"><testcase name="a"/></testsuite>')
    expect(await suite('junit.xml')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: "svc: The report's time is 'yesterday', which is not a time such as 2026-01-31T12:00:00Z.\n",
    })
  })

  test('import takes a report of several megabytes', async () => {
    const { write, suite } = await scored()
    const line = `${JSON.stringify({ output: 'x'.repeat(1000), scores: { f: 0.5 } })}\n`
    write('cases.jsonl', line.repeat(3000))
    expect(await suite('cases.jsonl', '--format', 'jsonl')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('imported 3,000 cases'),
    })
  })

  test('import finds out what wrote a file, names the bundle and the judge, and says which cases broke', async () => {
    const { svc, write, suite, release } = await scored()
    write('judge.md', 'Judge it.')
    write('v2.yaml', releaseOf({ version: '1.6.0' }))
    await svc('release', 'register', 'v2.yaml')
    const lines = (failing: number): string =>
      Array.from(
        { length: 12 },
        (_, n) =>
          `${JSON.stringify({ id: `case ${n}`, scores: { f: n === failing ? 0.2 : 0.9 }, trace_id: `t${n}` })}\n`,
      ).join('')
    const judged = [
      '--pass-by',
      'f>=0.5',
      '--judge-model',
      'm',
      '--judge-prompt',
      'judge.md',
      '--judge-rubric',
      '2',
    ]
    write('a.jsonl', lines(-1))
    const { code, stdout } = await suite('a.jsonl', '--bundle', 'release.yaml', ...judged)
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/imported 12 cases of regression, identified by their ids/),
    ])
    const [kept] = JSON.parse((await svc('scores', 'list', release, '--output', 'json')).stdout).imports
    const { checksum } = JSON.parse((await svc('release', 'show', release, '--output', 'json')).stdout)
    expect(kept).toMatchObject({
      format: 'jsonl',
      evaluation: {
        case_ids: 'given',
        bundle_checksum: checksum,
        judge: { model: 'm', prompt_sha256: expect.stringMatching(/^[0-9a-f]{64}$/), rubric_version: '2' },
      },
    })
    write('b.jsonl', lines(3))
    await svc('scores', 'import', 'b.jsonl', '--release', '1.6.0', '--suite', 'regression', ...judged)
    const diff = await svc('scores', 'diff', release, '1.6.0', '--suite', 'regression')
    expect(diff.stdout).toMatch(/pass_rate +1\.0000 → 0\.9167, -0\.0833 \[.*12 pairs, McNemar p 1/)
    expect(diff.stdout).toContain('cases       1 newly failing, 0 newly passing, 0 still failing, 0 flaky\n')
    expect(diff.stdout).toContain('newly failing\tcase 3\tpass\tfail\tt3\n')
    const history = await svc('scores', 'suites', 'bot', '--suite', 'regression')
    expect(history.stdout).toMatch(/1\.5\.0 +f +0\.9000[^]*\nPF {2}case 3\n$/)
    expect((await svc('scores', 'suites', 'bot')).stdout).toMatch(
      /^regression\t2\trel_[0-9a-f]{12}\t1\.6\.0\t/,
    )
    const none = await svc('scores', 'suites', 'nobody')
    expect([none.code, none.stdout, none.stderr]).toEqual([0, '', expect.stringContaining('was evaluated')])
  })

  test('import sends as many cases as there may be in parts, and what has neither id nor input as sums', async () => {
    const { write, suite } = await scored()
    const rows = Array.from({ length: 2500 }, (_, n) => `${n},${n % 5 === 0 ? 0 : 1}`)
    write('cases.csv', `id,passed\n${rows.join('\n')}\n`)
    expect(await suite('cases.csv')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        'regression/pass_rate\t0.8\t2,500 cases\nimported 2,500 cases of regression, identified by their ids',
      ),
    })
    write('mixed.jsonl', '{"id":"a","passed":true}\n{"passed":true}\n')
    expect(await suite('mixed.jsonl')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        "1 of 2 cases have neither an id nor an input, so cases can't be identified",
      ),
      stdout: expect.stringMatching(/imported 2 cases of regression {2}scr_/),
    })
  })

  test.each([
    [
      'out.json',
      '{"testCases":[]}',
      ['--format', 'promptfoo'],
      'It looks like one of deepeval (it has testCases): --format deepeval.',
    ],
    ['out.txt', 'hello', [], 'out.txt is not a known report; name its tool with --format (promptfoo, '],
    ['a.jsonl', '{"id":"a","passed":true}', ['--pass-by', 'f > 1'], '--pass-by must be the name of a score'],
    [
      'a.jsonl',
      '{"id":"a","passed":true}',
      ['--pass-by', 'f'],
      'a.jsonl: no case has the score f; there are pass_rate.',
    ],
    ['a.jsonl', '{"id":"a","passed":true}', ['--bundle', 'nowhere'], 'nowhere'],
    ['a.jsonl', '{"id":"a","passed":true}\n{"id":"a","passed":true}', [], 'case "a" is twice in epoch 1'],
  ])('import of %s, %j with %j says what mends it', async (file, text, options, message) => {
    const { write, suite } = await scored()
    write(file, text)
    expect(await suite(file, ...options)).toMatchObject({ code: 1, stderr: expect.stringContaining(message) })
  })

  test.each([
    ['cases.jsonl', '{"scores":{}}\n', 'jsonl', 'cases.jsonl has no case with a score.'],
    ['cases.jsonl', '{"scores":{"f":1}}\n{\n', 'jsonl', 'cases.jsonl is not a report of jsonl: line 2: '],
    ['out.json', '{}', 'promptfoo', 'out.json is not a report of promptfoo: it has no results.results.'],
    ['out.xml', '<a/>', 'html', '--format must be '],
    ['big.jsonl', '{"scores":{"f":2000000}}\n', 'jsonl', 'at most 1000000'],
  ])('import refuses %s with %j as %s', async (file, text, format, message) => {
    const { svc, write, suite, release } = await scored()
    write(file, text)
    const { code, stdout, stderr } = await suite(file, '--format', format)
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)])
    expect(await svc('scores', 'list', release)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('it has no scores'),
    })
  })
})
