import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { ServiceClient } from '../../src/sdk/index.ts'
import { PRICES, eventOf, releaseOf } from '../support/services/builders.ts'
import { makeWorkspace, twoReleases } from '../support/processes/cli.ts'
import { gitHub } from '../support/processes/github.ts'
import { type Ended, type Examples, installExamples, serve } from '../support/processes/examples.ts'

interface Step {
  readonly id?: string
  readonly if?: string
  readonly uses?: string
  readonly run: string
  readonly env: Readonly<Record<string, string>>
  readonly with?: Readonly<Record<string, string>>
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>
  readonly outputs: Readonly<Record<string, { readonly value: string }>>
  readonly runs: { readonly steps: readonly Step[] }
}

const ACTION = parse(readFileSync(join(ROOT_PATH, 'action.yml'), 'utf8')) as Action
const REPOSITORY = 'ann/shop'

let project: Examples

beforeAll(async () => {
  project = await installExamples()
})

interface Job {
  readonly inputs: Readonly<Record<string, string>>
  readonly event?: string
  readonly isFork?: boolean
  readonly api?: string
}

interface Done {
  readonly ended: readonly Ended[]
  /** Whether a step failed, and with which code. */
  readonly code: number
  readonly outputs: Readonly<Record<string, string>>
  readonly summary: string
}

/** Runs the steps of the action as a runner does. */
async function runAction({ inputs, event = 'pull_request', isFork = false, api = '' }: Job): Promise<Done> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-action-'))
  const file = (name: string, content = ''): string => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const head = { full_name: isFork ? 'eve/shop' : REPOSITORY, fork: isFork }
  const payload = { pull_request: { number: 7, head: { repo: head } } }
  const runner = {
    GITHUB_ACTION_PATH: ROOT_PATH,
    GITHUB_ACTOR: 'ann',
    GITHUB_API_URL: api,
    GITHUB_EVENT_NAME: event,
    GITHUB_EVENT_PATH: file('event.json', JSON.stringify(payload)),
    GITHUB_OUTPUT: file('output'),
    GITHUB_REPOSITORY: REPOSITORY,
    GITHUB_RUN_ID: '17',
    GITHUB_STEP_SUMMARY: file('summary.md'),
    GITHUB_WORKFLOW: 'Gate',
    RUNNER_TEMP: folder,
  }
  const values: Record<string, string> = {
    'github.token': 'of-github',
    'github.event.pull_request.head.repo.fork == true': String(isFork && event === 'pull_request'),
  }
  for (const [name, { default: fallback = '' }] of Object.entries(ACTION.inputs)) {
    values[`inputs.${name}`] = inputs[name] ?? filled(fallback, values)
  }
  const ended: Ended[] = []
  let code = 0
  for (const { id, if: condition, run, env } of ACTION.runs.steps) {
    if (condition === undefined ? code !== 0 : !holds(condition, values)) continue
    const filledEnv = Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name, filled(value, values)]),
    )
    const done = await project.end('sh', ['-e', '-c', run], { ...runner, ...filledEnv })
    ended.push(done)
    code = code === 0 ? (done.code ?? 1) : code
    for (const line of readFileSync(runner.GITHUB_OUTPUT, 'utf8').split('\n').filter(Boolean)) {
      const [name, value] = [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]
      values[`steps.${id}.outputs.${name}`] = value
    }
  }
  return {
    ended,
    code,
    outputs: Object.fromEntries(
      Object.entries(ACTION.outputs).map(([name, { value }]) => [name, filled(value, values)]),
    ),
    summary: readFileSync(runner.GITHUB_STEP_SUMMARY, 'utf8'),
  }
}

/** What the runner shows on the job: the last line, once it takes commands again. */
function errorOf({ ended }: Done): string {
  return /\n::[0-9a-f]{32}::\n::error title=Release gate::(.*)\n$/.exec(ended[0]!.stdout)![1]!
}

function filled(value: string, values: Readonly<Record<string, string>>): string {
  return value.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, key: string) => values[key] ?? '')
}

/** Whether a condition of the form that action.yml has holds. */
function holds(condition: string, values: Readonly<Record<string, string>>): boolean {
  const inner = /^\$\{\{ always\(\) && (.*) \}\}$/.exec(condition)![1]!
  return inner.split(' && ').every(part => {
    const [, name, wanted] = /^([\w.-]+) != '(.*)'$/.exec(part)!
    return (values[name!] ?? '') !== wanted
  })
}

describe('the GitHub action', () => {
  const TOKEN = 'of-the-gate'

  async function gated(limits: Record<string, unknown> = {}) {
    const { workspace, baseline, candidate } = await twoReleases()
    const url = await serve(workspace, { SERVICE_LOCAL_API_TOKEN: TOKEN, SERVICE_READ_TOKEN: 'reads' })
    const client = new ServiceClient(url, { token: TOKEN })
    await client.promote({ release_id: baseline, environment: 'local', window: '1h', reason: 'r' })
    await client.setPolicy(limits)
    const inputs = { url, token: 'reads', 'release-id': candidate, environment: 'local', window: '1h' }
    return { client, inputs, baseline, candidate }
  }

  test('checks with a token that only reads, writes a summary, and says what came out', async () => {
    const { inputs, candidate, client } = await gated()
    const { code, outputs, summary } = await runAction({ inputs })
    expect({ code, outputs }).toEqual({
      code: 0,
      outputs: {
        verdict: 'pass',
        'release-id': candidate,
        'action-id': '',
        'request-id': '',
        report: expect.stringMatching(/\.md$/) as string,
      },
    })
    expect(summary).toBe(readFileSync(outputs.report!, 'utf8'))
    expect(summary).toContain('### ✅ `bot` `2` → `local`: Passes the policy')
    await client.setPolicy({ max_cost_per_run_usd: 0 })
    const blocked = await runAction({ inputs })
    expect(blocked).toMatchObject({ code: 3, outputs: { verdict: 'block' } })
    expect(blocked.summary).toContain('Blocked by policy')
    expect(errorOf(blocked)).toBe(
      '⛔ `bot` `2` → `local`: Blocked by policy: 1 reason (the report is in the summary of the job)',
    )
    expect((await runAction({ inputs: { ...inputs, 'fail-on': 'never' } })).code).toBe(0)
  })

  test('promotes with the token that may, and no other', async () => {
    const { inputs, client, candidate } = await gated()
    const refused = await runAction({ inputs: { ...inputs, mode: 'promote' } })
    expect(refused).toMatchObject({ code: 1, outputs: { verdict: '' } })
    const { code, outputs, ended } = await runAction({ inputs: { ...inputs, mode: 'promote', token: TOKEN } })
    const { actions } = await client.listActions({ limit: 1 })
    expect({ code, id: outputs['action-id'] }).toEqual({ code: 0, id: actions[0]!.action_id })
    expect(actions[0]).toMatchObject({ release_id: candidate, actor: 'ann', reason: 'run 17 of Gate' })
    // Whatever is printed between the two, the runner takes no commands from it.
    for (const { stdout } of [refused.ended[0]!, ended[0]!]) {
      expect(stdout).toMatch(/^::stop-commands::([0-9a-f]{32})\n(?:[^]*\n)?::\1::\n(?:::error .*\n)?$/)
    }
  })

  test('puts one comment per key on the pull request, and changes it', async () => {
    const { inputs, client } = await gated()
    // Others may write what looks like ours, and more than a page of it.
    const others = Array.from({ length: 150 }, (_, index) => ({
      id: index + 1,
      body: '<!-- release-gate:default -->\nmine',
      user: { type: 'User' },
    }))
    const { url: api, comments, requests } = await gitHub(others)
    const job = { inputs: { ...inputs, comment: 'always' }, api }
    const ours = () => comments.slice(150).map(({ body }) => body.split('\n').slice(0, 2))
    await runAction(job)
    await client.setPolicy({ max_cost_per_run_usd: 0 })
    expect((await runAction(job)).code).toBe(3)
    await runAction({ ...job, inputs: { ...job.inputs, 'comment-key': 'other' } })
    expect(ours()).toEqual([
      ['<!-- release-gate:default -->', '### ⛔ `bot` `2` → `local`: Blocked by policy: 1 reason'],
      ['<!-- release-gate:other -->', '### ⛔ `bot` `2` → `local`: Blocked by policy: 1 reason'],
    ])
    expect(comments.slice(0, 150)).toEqual(others.slice(0, 150))
    expect(requests.filter(request => request.startsWith('PATCH'))).toEqual([
      `PATCH /repos/${REPOSITORY}/issues/comments/151`,
    ])
  })

  test('on failure alone it comments what fails, and what was wrong of before', async () => {
    const { inputs, client } = await gated()
    const { url: api, comments } = await gitHub()
    const job = { inputs: { ...inputs, comment: 'on-failure' }, api }
    await runAction(job)
    expect(comments).toEqual([])
    await client.setPolicy({ max_cost_per_run_usd: 0 })
    await runAction(job)
    await client.setPolicy({})
    await runAction(job)
    expect(comments.map(({ body }) => body.split('\n')[1])).toEqual([
      '### ✅ `bot` `2` → `local`: Passes the policy',
    ])
  })

  test.each([
    ['of another event', { event: 'push' }],
    ['with the rights of the base', { event: 'pull_request_target' }],
    ['of a fork that has a token', { isFork: true }],
  ])('%s it comments nothing', async (_name, more) => {
    const { inputs } = await gated()
    const { url: api, requests } = await gitHub()
    const { code, ended } = await runAction({ inputs: { ...inputs, comment: 'always' }, api, ...more })
    expect([code, requests]).toEqual([0, []])
    expect(ended[1]!.stdout).toMatch(/^::notice::/)
  })

  test('that may not comment warns, and keeps its verdict', async () => {
    const { inputs } = await gated()
    const { url: api } = await gitHub([], { status: 403 })
    const { code, ended } = await runAction({ inputs: { ...inputs, comment: 'always' }, api })
    expect(code).toBe(0)
    expect(ended[1]!.stdout).toMatch(/^::warning::.*403.*pull-requests: write\n$/)
  })

  test('is skipped with a note for a fork, which has no secrets', async () => {
    const { inputs } = await gated()
    const { code, outputs, summary } = await runAction({ inputs: { ...inputs, token: '' }, isFork: true })
    expect([code, outputs.verdict]).toEqual([0, 'skipped'])
    expect(summary).toContain('skipped')
    expect((await runAction({ inputs: { ...inputs, token: '' } })).code).toBe(1)
  })

  test('registers a bundle and sends run events first', async () => {
    const { inputs, client } = await gated()
    const bundle = join(project.folder, 'quickstart/candidate')
    const registered = await runAction({ inputs: { ...inputs, 'release-id': '', bundle, token: TOKEN } })
    // Of another agent, of which nothing is promoted here.
    expect(registered.outputs['release-id']).toMatch(/^rel_/)
    expect((await client.release(registered.outputs['release-id']!)).environment).toBe('local')
    const again = await runAction({ inputs: { ...inputs, 'release-id': '', bundle, token: TOKEN } })
    expect(again.outputs['release-id']).toBe(registered.outputs['release-id'])
    const away = { ...inputs, 'release-id': '', bundle: `${bundle}/nothing`, token: TOKEN }
    expect(errorOf(await runAction({ inputs: away }))).toMatch(
      /^the bundle could not be registered: .*nothing can't be read/,
    )
    const both = await runAction({ inputs: { ...inputs, bundle } })
    expect(both.ended[0]!.stderr).toContain('not both')
    const none = await runAction({ inputs: { ...inputs, events: 'nothing.jsonl', token: TOKEN } })
    expect(none.ended[0]!.stderr).toContain('could not be sent')
  })

  test('takes inputs for texts, whatever they hold', async () => {
    const { inputs } = await gated()
    const odd = '"; touch pwned; echo "$(touch pwned)`touch pwned`${{ secrets.x }}'
    for (const name of Object.keys(ACTION.inputs)) {
      if (name === 'github-token' || name === 'reason') continue
      const { outputs } = await runAction({ inputs: { ...inputs, comment: 'always', [name]: odd } })
      expect([name, ['', 'pass', 'inconclusive'].includes(outputs.verdict!)]).toEqual([name, true])
    }
    expect(() => readFileSync(join(project.folder, 'pwned'))).toThrow('ENOENT')
  })
})

test('ten lines of docs/ci.md block a deploy', async () => {
  const [snippet] = /(?<=^```yaml github\n)[^]*?(?=^```)/m.exec(
    readFileSync(join(ROOT_PATH, 'docs/ci.md'), 'utf8'),
  )!
  expect(snippet.trimEnd().split('\n').length).toBeLessThanOrEqual(10)
  const { jobs } = parse(snippet) as { jobs: Record<string, { steps: Step[] }> }
  const [gate, deploy] = jobs.deploy!.steps
  expect(deploy!.run).toBe('echo deploying')
  const { workspace, baseline, candidate } = await twoReleases()
  const url = await serve(workspace, { SERVICE_LOCAL_API_TOKEN: 'main', SERVICE_READ_TOKEN: 'reads' })
  const client = new ServiceClient(url, { token: 'main' })
  await client.promote({ release_id: baseline, environment: 'prod', window: '1h', reason: 'r' })
  await client.setPolicy({ max_cost_per_run_usd: 0, require_high_diff_confidence: false, min_low_runs: 0 })
  const given = { ...gate!.with, url, token: 'reads', 'release-id': candidate }
  expect(gate!.with!.token).toBe('${{ secrets.SERVICE_READ_TOKEN }}')
  await client.ingest([
    eventOf({ release_id: candidate, run_id: 'p1', environment: 'prod', at: Date.now() - 1000 }),
  ] as never)
  const { code, summary } = await runAction({ inputs: given, event: 'push' })
  // The step that deploys is not reached.
  expect(code).toBe(3)
  expect(summary).toContain('Blocked by policy')
})

test('the action pastes no expression into a script', () => {
  for (const { run } of ACTION.runs.steps) expect(run).not.toContain('${{')
})

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>
}

const WORKFLOW = parse(readFileSync(join(ROOT_PATH, 'examples/ci/github.yml'), 'utf8')) as Workflow

test('the workflow of the examples gives the action what it takes', () => {
  const steps = Object.values(WORKFLOW.jobs).flatMap(job => job.steps)
  const ours = steps.filter(({ uses = '' }) => uses.startsWith('OWNER/release-governance@'))
  expect(ours).toHaveLength(2)
  for (const { with: given = {} } of ours) {
    expect(Object.keys(ACTION.inputs)).toEqual(expect.arrayContaining(Object.keys(given)))
    const required = Object.entries(ACTION.inputs).filter(([, input]) => input.required === true)
    expect(Object.keys(given)).toEqual(expect.arrayContaining(required.map(([name]) => name)))
  }
  for (const { uses = '@COMMIT' } of steps) expect(uses).toMatch(/@COMMIT$/)
})

test('the workflow of the examples gates the release of the pull request itself, and promotes what is merged', async () => {
  const workspace = makeWorkspace({})
  workspace.write('prices.yaml', PRICES)
  await workspace.ok('pricing', 'import', 'prices.yaml')
  const grant = async (role: string): Promise<string> => {
    const place = ['--agent', 'support-bot', '--env', 'ci']
    return (await workspace.ok('token', 'create', role, '--role', role, ...place, '--yes')).split('\n')[0]!
  }
  const secrets = { write: await grant('write'), ingest: await grant('ingest') }
  const url = await serve(workspace, { SERVICE_LOCAL_API_TOKEN: 'main' })
  const client = new ServiceClient(url, { token: 'main' })
  await client.setPolicy({ require_high_diff_confidence: false })
  const bundle = join(project.folder, 'agent')
  rmSync(bundle, { recursive: true })
  mkdirSync(bundle)
  const repository = { url, ...secrets }

  writeFileSync(
    join(bundle, 'release.yaml'),
    JSON.stringify(releaseOf({ agent: 'support-bot', version: '1' })),
  )
  const first = await runWorkflow('push', repository)
  expect(first).toMatchObject({
    code: 0,
    outputs: { verdict: 'pass', 'action-id': expect.stringMatching(/^act_/) },
  })

  writeFileSync(
    join(bundle, 'release.yaml'),
    JSON.stringify(releaseOf({ agent: 'support-bot', version: '2' })),
  )
  const result = await runWorkflow('pull_request', repository)
  expect(result).toMatchObject({ code: 0, outputs: { verdict: 'pass', 'action-id': '' } })
  const candidate = result.outputs['release-id']!
  expect((await client.release(candidate)).version).toBe('2')
  expect(result.summary).toContain('`support-bot` `2` → `ci`: Passes the policy')
  // Its own runs, and those of the live release, tried at the same time.
  const runs = (release_id: string) => client.listRuns({ release_id, environment: 'ci', window: '1h' })
  expect((await runs(candidate)).matched_total).toBe(10)
  expect((await runs(first.outputs['release-id']!)).matched_total).toBe(20)

  const merged = await runWorkflow('push', repository)
  expect(await client.promoted()).toMatchObject([
    { environment: 'ci', release_id: merged.outputs['release-id'] },
  ])
})

/** What a repository that has the workflow knows. */
interface Repository {
  readonly url: string
  readonly write: string
  readonly ingest: string
}

/** Runs the steps of the job that gates, as a runner does, in a checkout whose agent prints a run in each round. */
async function runWorkflow(event: string, { url, write, ingest }: Repository): Promise<Done> {
  const program = `#!/bin/sh
    printf '{"timestamp": "%s", "agent_id": "support-bot", "release_id": "%s", "run_id": "%s", "tenant_id": "t", "task_id": "k",
        "environment": "%s", "usage": {"model": {"provider": "acme", "model": "m1", "input_tokens": 1, "output_tokens": 1}}}' \\
        "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$RELEASE_ID" "$(od -An -N8 -tx1 /dev/urandom | tr -d ' ')" "$ENVIRONMENT" | tr -d '\\n'
    echo\n`
  const values: Record<string, string> = {
    'vars.SERVICE_URL': url,
    'secrets.SERVICE_CI_TOKEN': write,
    'secrets.SERVICE_INGEST_TOKEN': ingest,
    "github.event_name == 'push' && 'promote' || 'check'": event === 'push' ? 'promote' : 'check',
  }
  const output = join(mkdtempSync(join(tmpdir(), 'svc-workflow-')), 'output')
  let done: Done | undefined
  for (const { id, if: condition = '', uses = '', run, env = {}, with: given = {} } of WORKFLOW.jobs.gate!
    .steps) {
    if (condition !== '' && !holds(`\${{ always() && ${condition} }}`, values)) continue
    if (uses.startsWith('actions/checkout')) {
      const folder = join(project.folder, given.path ?? '.')
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'try.sh'), program, { mode: 0o755 })
    } else if (uses.startsWith('OWNER/')) {
      const inputs = Object.fromEntries(
        Object.entries(given).map(([name, value]) => [name, filled(value, values)]),
      )
      done = await runAction({ inputs: { ...inputs, comment: 'never' }, event })
    } else if (run !== undefined && !run.startsWith('npm ci')) {
      writeFileSync(output, '')
      const filledEnv = Object.fromEntries(
        Object.entries(env).map(([name, value]) => [name, filled(value, values)]),
      )
      const { code, stderr } = await project.end('bash', ['-e', '-c', run], {
        GITHUB_OUTPUT: output,
        ...filledEnv,
      })
      expect({ run, code, stderr }).toEqual({ run, code: 0, stderr: expect.any(String) })
      for (const line of readFileSync(output, 'utf8').split('\n').filter(Boolean)) {
        const [name, value] = [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]
        values[`steps.${id}.outputs.${name}`] = value
      }
    }
  }
  return done!
}
