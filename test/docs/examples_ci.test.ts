import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ServiceClient } from '../../src/sdk/index.ts'
import { makeWorkspace, twoReleases } from '../support/processes/cli.ts'
import { type Ended, type Examples, installExamples, serve } from '../support/processes/examples.ts'
import { releaseOf } from '../support/services/builders.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'

let project: Examples

beforeAll(async () => {
  project = await installExamples()
})

describe('the gate', () => {
  async function gated(config?: unknown) {
    const { workspace, baseline, candidate } = await twoReleases(config)
    const SERVICE_URL = await serve(workspace)
    const runScript = (env: Record<string, string>, ...args: string[]): Promise<Ended> =>
      project.end('ci/gate.sh', args, { SERVICE_URL, GATE_REASON: 'test', GATE_ACTOR: 'ann', ...env })
    const gate = (...args: string[]): Promise<Ended> => runScript({ GATE_MODE: 'promote' }, ...args)
    const client = new ServiceClient(SERVICE_URL)
    return { workspace, runScript, gate, client, baseline, candidate }
  }
  const said = (part: string) => expect.stringContaining(part) as string

  test('promotes, promotes again, is blocked, wants evidence, and tells all that from an error', async () => {
    const { gate, client, baseline, candidate } = await gated()
    expect(await gate(baseline, 'local', '1h')).toMatchObject({ code: 0, stdout: said('promote: act_') })
    await client.setPolicy({ require_high_diff_confidence: false })
    expect(await gate(baseline, 'local', '1h')).toMatchObject({ code: 0, stdout: said('promote: act_') })
    await client.setPolicy({ max_cost_per_run_usd: 0 })
    const blocked = await gate(candidate, 'local', '1h')
    expect(blocked).toMatchObject({ code: 3, stdout: said('`local`: Blocked by policy: 1 reason\n') })
    expect(blocked.stdout).not.toContain('promote:')
    await client.setPolicy({ min_candidate_runs: 100_000 })
    expect(await gate(candidate, 'local', '1h')).toMatchObject({
      code: 4,
      stdout: said('`local`: Not yet: too little evidence\n'),
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

  test('asked only, it writes nothing to the trail, and its report and its results to files', async () => {
    const { workspace, runScript, client, baseline, candidate } = await gated()
    await client.promote({ release_id: baseline, environment: 'local', window: '1h', reason: 'r' })
    const files = { GATE_REPORT: workspace.path('report.md'), GATE_RESULT: workspace.path('result') }
    const check = (env: Record<string, string> = {}) =>
      runScript({ ...files, ...env }, candidate, 'local', '1h')
    const passed = await check()
    expect(passed).toMatchObject({ code: 0, stderr: '', stdout: said('`local`: Passes the policy\n') })
    expect(passed.stdout).toBe(workspace.read('report.md'))
    expect(workspace.read('result')).toBe(`verdict=pass\nrelease_id=${candidate}\n`)
    await client.setPolicy({ max_cost_per_run_usd: 0 })
    expect((await check()).code).toBe(3)
    expect((await check({ GATE_FAIL_ON: 'blocked' })).code).toBe(3)
    expect((await check({ GATE_FAIL_ON: 'never' })).code).toBe(0)
    await client.setPolicy({ min_candidate_runs: 11 })
    expect((await check()).code).toBe(4)
    expect((await check({ GATE_FAIL_ON: 'blocked' })).code).toBe(0)
    expect((await check({ GATE_BASELINE: candidate })).stdout).toContain(`--baseline=${candidate}`)
    expect((await client.listActions()).actions).toHaveLength(1)
  })

  test('requests what somebody is to approve', async () => {
    const { workspace, runScript, client, candidate } = await gated({
      diff: { min_candidate_runs: 10, min_baseline_runs: 10, min_low_runs: 5 },
      promotion_requires_approval: true,
    })
    const reason = `it's "done" \\ $(id) \`id\`\nand 100 % ok`
    const env = { GATE_MODE: 'request', GATE_REASON: reason, GATE_RESULT: workspace.path('result') }
    expect(await runScript(env, candidate, 'local', '1h')).toMatchObject({
      code: 0,
      stdout: said('request: prq_'),
    })
    const [request] = (await client.call('GET /v1/promotion-requests')).requests
    expect(request).toMatchObject({ actor: 'ann', reason: reason.replace('\n', ' ') })
    expect(workspace.read('result')).toContain(`request_id=${request!.request_id}\n`)
    // A caller that may only promote by approval gets a message that says so.
    expect(await runScript({ GATE_MODE: 'promote' }, candidate, 'local', '1h')).toMatchObject({
      code: 1,
      stderr: said('requires approval'),
    })
  })

  test('asks of an environment by its name, and of no other', async () => {
    const { runScript, client, baseline } = await gated()
    const names = ['|<img src=x>', 'a b/c?d=e&f#g%', '日本語 🚀', "it's $(id) `id`", '-x', '--help']
    for (const environment of names) {
      await client.promote({ release_id: baseline, environment, window: '1h', reason: 'r' })
      const { code, stdout, stderr } = await runScript({ GATE_MODE: 'promote' }, baseline, environment, '1h')
      expect({ code, stderr }).toEqual({ code: 4, stderr: '' })
      expect(stdout).toContain('confidence')
    }
    const { actions } = await client.listActions()
    const asOnce = names.toReversed().flatMap(name => [name, name])
    expect(actions.map(action => action.environment)).toEqual(asOnce)
  })

  test('of a version as long as may be it prints a short report', async () => {
    const { runScript, client } = await gated()
    const version = `\n::error::##[set-output name=a]b##vso[task.setvariable]${'x'.repeat(400)}`
    const { release_id } = await client.registerRelease({
      artifact: { ...releaseOf({ version }), metadata: { name: 'odd', version } },
      checksum: 'a'.repeat(64),
      environment: 'local',
    })
    const { code, stdout } = await runScript({}, release_id, 'local', '1h')
    expect(code).toBe(0)
    expect(stdout.length).toBeLessThan(2000)
    expect(stdout).not.toMatch(/^::/m)
    // GitHub and Azure find these within a line, too.
    expect(stdout).toContain('[set-output')
    expect(stdout).not.toMatch(/##(?:vso)?\[/)
  })

  test('believes a verdict of the service alone', async () => {
    const answers = createServer((_request, response) => {
      response.end('<html>::error::please log in</html>\n::set-output name=x::y\n##[set-output name=x]y')
    }).listen(0, '127.0.0.1')
    await once(answers, 'listening')
    onTestFinished(() => void answers.close())
    const SERVICE_URL = `http://127.0.0.1:${(answers.address() as AddressInfo).port}`
    for (const GATE_MODE of ['check', 'promote', 'request']) {
      const ended = await project.end('ci/gate.sh', ['rel_0123456789ab', 'local'], { SERVICE_URL, GATE_MODE })
      expect(ended).toMatchObject({ code: 1, stdout: '' })
      expect(ended.stderr).not.toMatch(/^::|##\[/m)
    }
    answers.close()
    const gone = await project.end('ci/gate.sh', ['rel_0123456789ab', 'local'], {
      SERVICE_URL: 'http://127.0.0.1:1',
    })
    expect(gone).toMatchObject({ code: 1, stdout: '', stderr: said("can't be reached") })
  })

  test.each([
    [{ GATE_MODE: 'deploy' }, 'MODE'],
    [{ GATE_FAIL_ON: 'no' }, 'FAIL_ON'],
    [{ GATE_BASELINE: '--help' }, 'BASELINE'],
    [{ SERVICE_URL: 'file:///etc/passwd' }, 'SERVICE_URL'],
    [{ SERVICE_URL: '-x' }, 'SERVICE_URL'],
  ])('given %j it exits 1', async (env, name) => {
    const given = { SERVICE_URL: 'http://127.0.0.1:1', ...env } as Record<string, string>
    expect(await project.end('ci/gate.sh', ['rel_0123456789ab', 'local'], given)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: said(name),
    })
  })

  test('of arguments that are none it promotes nothing and exits 1', async () => {
    const { gate, client } = await gated()
    for (const args of [
      [],
      ['rel_0123456789ab'],
      ['--help', 'local'],
      ['-h', 'local'],
      ['--help=x', 'local'],
      ['--url=http://127.0.0.1:9', 'local'],
      ['rel_0123456789ab --help', 'local'],
      ['rel_0123456789ab', ''],
      ['rel_0123456789ab\nrel_0123456789ab', 'local'],
      ['rel_0123456789ab', 'a\nb'],
      ['rel_0123456789ab', '--help'],
      ['rel_0123456789ab', 'local', '--help'],
      ['rel_0123456789ab', 'local', '1h', 'more'],
    ]) {
      expect({ args, ...(await gate(...args)) }).toMatchObject({ args, code: 1, stdout: '' })
    }
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
    ['ci/trial.sh', ['ci/trial.sh']],
  ])('%s without arguments says how it is used and exits 1', async (_name, [program, ...args]) => {
    const ended = await project.end(program!, args, {})
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: said('usage: ') })
  })

  describe('trial.sh', () => {
    const trial = (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
      project.end('ci/trial.sh', ['ci', ...args], env)
    const folders = ['rel_a', 'ci', 'rel_b', 'agent']

    test('runs both sides of a round at once, each in its folder, and round after round', async () => {
      // A pipe is opened when somebody reads it and somebody writes to it: one side alone would wait for ever.
      const meet = `[ "$RELEASE_ID" = rel_a ] && echo "$ROUND" >../meet || read -r other <../meet
        echo "$ROUND/$ROUNDS $RELEASE_ID $ENVIRONMENT $(basename "$PWD") \${other:-}"`
      spawnSync('mkfifo', [join(project.folder, 'meet')])
      expect(await trial([...folders, '--', 'sh', '-c', meet], { ROUNDS: '2' })).toEqual({
        code: 0,
        stderr: '',
        stdout: '1/2 rel_a ci ci \n1/2 rel_b ci agent 1\n2/2 rel_a ci ci \n2/2 rel_b ci agent 2\n',
      })
    })

    test('fails with the side and the round that failed', async () => {
      const program = '[ "$ROUND $RELEASE_ID" != "2 rel_b" ] && echo "$ROUND $RELEASE_ID"'
      expect(await trial([...folders, '--', 'sh', '-c', program])).toEqual({
        code: 1,
        stdout: '1 rel_a\n1 rel_b\n',
        stderr: 'trial: sh failed for rel_b in round 2\n',
      })
    })

    test.each([
      [['rel_a', '--', 'true', 'more'], {}, 'usage: '],
      [['rel_a', 'ci', 'true', 'more'], {}, 'usage: '],
      [['rel_a', 'nowhere', '--', 'true'], {}, 'there is no folder nowhere'],
      [['1.0', 'ci', '--', 'true'], {}, "'1.0' is no release id"],
      [['rel_a', 'ci', '--', 'true'], { ROUNDS: '0' }, "not '0'"],
    ])('given %j and %j it exits 1', async (args, env, text) => {
      expect(await trial(args, env as Record<string, string>)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: said(text),
      })
    })
  })

  describe('release.sh', () => {
    /** Prints a run of the release in each of ten rounds, or fails on demand. */
    const TRY = `if (process.env.SERVICE_LOCAL_API_TOKEN !== undefined || process.env.SERVICE_INGEST_TOKEN !== undefined || process.argv.length > 1) process.exit(9)
      console.log(JSON.stringify({
        timestamp: new Date().toISOString(), agent_id: 'support-bot', release_id: process.env.RELEASE_ID,
        run_id: process.env.RELEASE_ID + process.pid, tenant_id: 'ci', task_id: 'smoke', environment: process.env.ENVIRONMENT,
        usage: { model: { provider: 'openai', model: 'gpt-4.1-mini', input_tokens: 100, output_tokens: 10 } },
      }))`

    test('registers, tries, sends, compares and promotes, or says why not', async () => {
      const workspace = makeWorkspace({})
      cpSync(join(ROOT_PATH, 'examples/quickstart'), workspace.folder, { recursive: true })
      await workspace.ok('pricing', 'import', 'prices.yaml')
      const token = 'of-the-release'
      const SERVICE_URL = await serve(workspace, { SERVICE_LOCAL_API_TOKEN: token })
      const client = new ServiceClient(SERVICE_URL, { token })
      const env: Record<string, string> = { SERVICE_URL, SERVICE_LOCAL_API_TOKEN: token, USER: 'ann' }
      const released = (bundle: string, ...more: string[]): Promise<Ended> =>
        project.end('ci/release.sh', [`quickstart/${bundle}`, 'prod', '1h', 'node', '-e', TRY, ...more], env)
      const first = await released('candidate')
      expect(first).toMatchObject({ code: 0, stdout: said('promote: act_') })
      expect(first.stdout).toContain('run events: 10\n')
      expect(first.stdout).not.toContain('diff over')
      expect(await released('candidate')).toMatchObject({ code: 4, stdout: said('too little evidence') })
      await client.setPolicy({ require_high_diff_confidence: false })
      const second = await released('candidate')
      expect(second).toMatchObject({ code: 0, stdout: said('promote: act_') })
      expect(second.stdout).toContain('diff over 1h in prod')
      // A pipeline that runs again goes on with the release that it registered, and with its runs.
      expect(second.stdout.split('\n')[0]).toBe(first.stdout.split('\n')[0])
      expect(await client.releases()).toHaveLength(1)
      await client.setPolicy({ max_cost_per_run_usd: 0, require_high_diff_confidence: false })
      expect(await released('candidate')).toMatchObject({
        code: 3,
        stdout: said('`prod`: Blocked by policy'),
      })
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
      // In addition to the live release, which has a folder of its own.
      env.LIVE_FOLDER = 'quickstart'
      const other = await released('baseline')
      expect(other.stdout).toContain('run events: 20\n')
    })

    test('sends runs with a token of their own, and no other tries a release', async () => {
      const workspace = makeWorkspace({})
      cpSync(join(ROOT_PATH, 'examples/quickstart'), workspace.folder, { recursive: true })
      await workspace.ok('pricing', 'import', 'prices.yaml')
      const tokenOf = async (role: string): Promise<string> =>
        (await workspace.ok('token', 'create', role, '--role', role, '--env', 'ci', '--yes')).trim()
      const [write, ingest] = [await tokenOf('write'), await tokenOf('ingest')]
      const SERVICE_URL = await serve(workspace)
      const released = (window: string, tokens: Record<string, string>): Promise<Ended> =>
        project.end('ci/release.sh', ['quickstart/candidate', 'ci', window, 'node', '-e', TRY], {
          SERVICE_URL,
          ...tokens,
        })
      expect(await released('24', { SERVICE_LOCAL_API_TOKEN: write })).toMatchObject({
        code: 1,
        stdout: '',
        stderr: said('it looks like 24h'),
      })
      expect(await released('24h', { SERVICE_LOCAL_API_TOKEN: write })).toMatchObject({
        code: 1,
        stderr: said('may not send run events. That needs the role ingest or admin.'),
      })
      expect(
        await released('24h', { SERVICE_LOCAL_API_TOKEN: write, SERVICE_INGEST_TOKEN: ingest }),
      ).toMatchObject({ code: 0, stdout: said('promote: act_') })
    })
  })
})
