import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { ServiceClient } from '../../src/sdk/index.ts'
import { makeWorkspace, twoReleases } from '../support/processes/cli.ts'
import { type Ended, type Examples, installExamples, serve } from '../support/processes/examples.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'

let project: Examples

beforeAll(() => {
  project = installExamples()
})

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly env?: Record<string, string>
}

describe('the gate', () => {
  async function gated() {
    const { workspace, baseline, candidate } = await twoReleases()
    const SERVICE_URL = await serve(workspace)
    const gate = (...args: string[]): Promise<Ended> =>
      project.end('ci/gate.sh', args, { SERVICE_URL, REASON: 'test', USER: 'ann' })
    const client = new ServiceClient(SERVICE_URL)
    return { gate, client, baseline, candidate }
  }
  const said = (part: string) => expect.stringContaining(part) as string

  test('passes, passes again, blocks, wants evidence, and tells all that from an error', async () => {
    const { gate, client, baseline, candidate } = await gated()
    expect(await gate(baseline, 'local', '1h')).toMatchObject({ code: 0, stdout: said('promoted: {') })
    await client.setPolicy({ require_high_diff_confidence: false })
    expect(await gate(baseline, 'local', '1h')).toMatchObject({ code: 0, stdout: said('live already: {') })
    await client.setPolicy({ max_cost_per_run_usd: 0 })
    expect(await gate(candidate, 'local', '1h')).toMatchObject({
      code: 3,
      stdout: said('blocked by the policy: {'),
    })
    await client.setPolicy({ min_candidate_runs: 100_000 })
    expect(await gate(candidate, 'local', '1h')).toMatchObject({
      code: 4,
      stdout: said('too little evidence: {'),
    })
    const unknown = await gate('rel_00000000', 'local', '1h')
    expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: said('Unknown release') })
    const { actions } = await client.listActions()
    expect(actions.map(({ actor, reason, policy_passed }) => [actor, reason, policy_passed])).toEqual([
      ['ann', 'test', false],
      ['ann', 'test', false],
      ['ann', 'test', true],
      ['ann', 'test', true],
    ])
  })

  test.each([
    [[]],
    [['rel_0123456789ab']],
    [['--help', 'local']],
    [['-h', 'local']],
    [['--help=x', 'local']],
    [['--url=http://127.0.0.1:9', 'local']],
    [['rel_0123456789ab --help', 'local']],
    [['rel_0123456789ab', '']],
    [['rel_0123456789ab', '--help']],
    [['rel_0123456789ab', 'local', '--help']],
    [['rel_0123456789ab', 'local', '1h', 'more']],
  ])('given %j it promotes nothing and exits 1', async args => {
    const { gate, client } = await gated()
    expect(await gate(...args)).toMatchObject({ code: 1, stdout: '' })
    expect((await client.listActions()).actions).toEqual([])
  })

  test('without the address of a service it exits 1', async () => {
    const ended = await project.end('ci/gate.sh', ['rel_0123456789ab', 'local'], { SERVICE_URL: '' })
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: said('SERVICE_URL') })
  })

  test.each([
    ['agent/agent.mjs', ['node', 'agent/agent.mjs']],
    ['webhook-receiver/receiver.mjs', ['node', 'webhook-receiver/receiver.mjs']],
    ['ci/gate.sh', ['ci/gate.sh']],
    ['ci/release.sh', ['ci/release.sh']],
  ])('%s without arguments says how it is used and exits 1', async (_name, [program, ...args]) => {
    const ended = await project.end(program!, args, {})
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: said('usage: ') })
  })

  describe('release.sh', () => {
    /** Prints ten runs of the release, or fails where it is told to. */
    const TRY = `if (process.env.SERVICE_LOCAL_API_TOKEN !== undefined || process.argv.length > 1) process.exit(9)
      for (let run = 0; run < 10; run++) console.log(JSON.stringify({
        timestamp: new Date().toISOString(), agent_id: 'support-bot', release_id: process.env.RELEASE_ID,
        run_id: process.env.RELEASE_ID + run, tenant_id: 'ci', task_id: 'smoke', environment: process.env.ENVIRONMENT,
        usage: { model: { provider: 'openai', model: 'gpt-4.1-mini', input_tokens: 100, output_tokens: 10 } },
      }))`

    test('registers, tries, sends, compares and promotes, or says why not', async () => {
      const workspace = makeWorkspace({})
      cpSync(join(ROOT_PATH, 'examples/quickstart'), workspace.folder, { recursive: true })
      await workspace.ok('pricing', 'import', 'prices.yaml')
      const token = 'of-the-release'
      const SERVICE_URL = await serve(workspace, { SERVICE_LOCAL_API_TOKEN: token })
      const client = new ServiceClient(SERVICE_URL, { token })
      const released = (bundle: string, ...more: string[]): Promise<Ended> =>
        project.end('ci/release.sh', [`quickstart/${bundle}`, 'prod', '1h', 'node', '-e', TRY, ...more], {
          SERVICE_URL,
          SERVICE_LOCAL_API_TOKEN: token,
          USER: 'ann',
        })
      const first = await released('candidate')
      expect(first).toMatchObject({ code: 0, stdout: said('promoted: {') })
      expect(first.stdout).toContain('run events: 10\n')
      expect(first.stdout).not.toContain('diff over')
      expect(await released('candidate')).toMatchObject({ code: 4, stdout: said('too little evidence') })
      await client.setPolicy({ require_high_diff_confidence: false })
      const second = await released('candidate')
      expect(second).toMatchObject({ code: 0, stdout: said('promoted: {') })
      expect(second.stdout).toContain('diff over 1h in prod')
      await client.setPolicy({ max_cost_per_run_usd: 0, require_high_diff_confidence: false })
      expect(await released('candidate')).toMatchObject({ code: 3, stdout: said('blocked by the policy') })
      expect(await released('candidate', 'fail')).toMatchObject({
        code: 1,
        stderr: said('nothing was promoted'),
      })
      expect(await released('nothing')).toMatchObject({
        code: 1,
        stdout: '',
        stderr: said('there is no bundle'),
      })
      const { actions } = await client.listActions()
      expect(actions.map(({ policy_passed }) => policy_passed)).toEqual([false, true, false, true])
    })
  })

  test('the steps of the workflow do the same', async () => {
    const { workspace, baseline } = await twoReleases()
    const token = 'of-the-gate'
    const url = await serve(workspace, { SERVICE_LOCAL_API_TOKEN: token })
    const workflow = parse(readFileSync(join(ROOT_PATH, 'examples/ci/github.yml'), 'utf8')) as {
      jobs: { promote: { env: Record<string, string>; steps: Step[] } }
    }
    const values: Record<string, string> = {
      'vars.SERVICE_URL': url,
      'secrets.SERVICE_LOCAL_API_TOKEN': token,
      'github.actor': 'ann',
      'github.run_id': '17',
      'github.workflow': 'Promote',
      'inputs.release_id': baseline,
      'inputs.environment': 'local',
    }
    const { env, steps } = workflow.jobs.promote
    const filled = (variables: Record<string, string> = {}): Record<string, string> =>
      Object.fromEntries(
        Object.entries(variables).map(([name, value]) => [
          name,
          value.replaceAll(/\$\{\{ ([\w.]+) \}\}/g, (_, key: string) => values[key]!),
        ]),
      )
    const commands = steps.filter(step => step.run !== undefined)
    // It is installed here already.
    const { version } = JSON.parse(readFileSync(join(ROOT_PATH, 'package.json'), 'utf8')) as {
      version: string
    }
    expect(commands.shift()!.run).toBe(`npm install --global ./ci/release-governance-${version}.tgz`)
    // Others may move a tag, but not a commit.
    for (const { uses } of steps) expect(uses ?? `a@${'0'.repeat(40)}`).toMatch(/@[0-9a-f]{40}$/)
    for (const step of commands) {
      const ended = await project.end('bash', ['-e', '-c', step.run!], {
        ...filled(env),
        ...filled(step.env),
      })
      expect(ended).toMatchObject({ code: 0, stderr: expect.any(String) as string })
    }
    // What decides has the token, and nothing else.
    const withToken = steps.filter(step => filled(step.env).SERVICE_LOCAL_API_TOKEN === token)
    expect(withToken.map(step => step.run)).toEqual([commands.at(-1)!.run])
    expect(Object.values(filled(env))).not.toContain(token)
    const { actions } = await new ServiceClient(url, { token }).listActions()
    expect(actions).toMatchObject([{ actor: 'ann', reason: 'run 17 of Promote', policy_passed: true }])
  })
})
