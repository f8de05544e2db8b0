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
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 case ended in an error and did not pass')])
    expect(stdout).toMatch(
      /^regression\/faithfulness\t0\.5\t2 cases\nregression\/pass_rate\t0\.333333333333\t3 cases\n[^]*imported 3 cases of regression {2}scr_/,
    )
    const { imports } = JSON.parse((await svc('scores', 'list', release, '--output', 'json')).stdout)
    expect(imports).toMatchObject([
      { format: 'promptfoo', source_sha256: expect.stringMatching(/^[0-9a-f]{64}$/), cases: 3 },
    ])
    expect((await svc('scores', 'list', release)).stdout).toContain(
      '\tregression/score\t0.5625\t2\tpromptfoo\t',
    )
  })

  test('import takes a report of several megabytes', async () => {
    const { write, suite } = await scored()
    const line = `${JSON.stringify({ output: 'x'.repeat(1000), scores: { f: 0.5 } })}\n`
    write('cases.jsonl', line.repeat(3000))
    expect(await suite('cases.jsonl', '--format', 'jsonl')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('imported 3000 cases'),
    })
  })

  test.each([
    ['cases.jsonl', '{"scores":{}}\n', 'jsonl', 'cases.jsonl has no case with a score.'],
    ['cases.jsonl', '{"scores":{"f":1}}\n{\n', 'jsonl', 'cases.jsonl is no report of jsonl: line 2: '],
    ['out.json', '{}', 'promptfoo', 'out.json is no report of promptfoo: it has no results.results.'],
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
      stderr: expect.stringContaining('no scores were imported'),
    })
  })
})
