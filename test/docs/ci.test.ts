import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { type Workspace, makeWorkspace } from '../support/processes/cli.ts'
import { serve } from '../support/processes/examples.ts'

const read = (path: string): string => readFileSync(join(ROOT_PATH, path), 'utf8')

/** The snippets of a page behind fences of a name. */
function snippets(page: string, name: string): string[] {
  return [...read(`docs/${page}`).matchAll(/^```([^\n]*)\n(.*?)^```$/gms)]
    .filter(([, fence]) => fence === name)
    .map(([, , code]) => code!)
}

/** A served workspace in which nothing but the baseline of the quickstart is promoted, and what a reader has set. */
async function promoted(): Promise<{ workspace: Workspace; env: Record<string, string> }> {
  const workspace = makeWorkspace({})
  cpSync(join(ROOT_PATH, 'examples/quickstart'), workspace.folder, { recursive: true })
  await workspace.ok('pricing', 'import', 'prices.yaml')
  const baseline = await workspace.ok('release', 'register', 'baseline', '--env', 'prod')
  const candidate = await workspace.ok('release', 'register', 'candidate', '--env', 'prod')
  const decision = ['--env', 'prod', '--window', '1h', '--reason', 'r']
  await workspace.ok('release', 'promote', baseline, ...decision)
  const token = 'of-the-pipeline'
  const SERVICE_URL = await serve(workspace, { SERVICE_LOCAL_API_TOKEN: 'main', SERVICE_READ_TOKEN: token })
  return { workspace, env: { SERVICE_URL, SERVICE_LOCAL_API_TOKEN: token, CANDIDATE: candidate } }
}

async function run(script: string, cwd: string, env: Record<string, string>) {
  const child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
    cwd,
    env: { PATH: process.env.PATH!, ...env },
  })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code: code as number | null, stdout, stderr }
}

test('the requests of docs/ci.md are answered by the service as it says', async () => {
  const { workspace, env } = await promoted()
  copyFileSync(join(ROOT_PATH, 'examples/ci/gate.sh'), workspace.path('gate.sh'))
  // No container can be started here: what would run in it does, in this folder, with what it is given.
  const docker = `docker() {
    local given
    given=$(printf '%s\\n' "$*" | grep -o 'sh /gate.sh .*')
    grep -q -e '-e SERVICE_URL -e SERVICE_LOCAL_API_TOKEN -v [^ ]*/gate.sh:/gate.sh:ro curlimages/curl:' <<<"$*"
    sh ./\${given#sh /}
  }`
  const script = [docker, ...snippets('ci.md', 'sh service')].join('\n')
  const { code, stdout, stderr } = await run(script, workspace.folder, env)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.match(/^### .*$/gm)).toEqual(Array(2).fill(stdout.split('\n')[0]))
  expect(stdout.match(/^the gate says no: 4$/gm)).toHaveLength(2)
  expect(stdout).toMatch(/\ntoo little evidence:\ndiff confidence is LOW .*$/)
})

test('the component of GitLab takes what docs/ci.md gives it, and gates by it', async () => {
  const [head, body] = parseAllDocuments(read('templates/gate/template.yml')).map(
    document => document.toJSON() as Record<string, unknown>,
  )
  const { inputs } = head!.spec as { inputs: Record<string, { default?: string }> }
  const [included] = (
    parse(snippets('ci.md', 'yaml gitlab')[0]!) as {
      include: { inputs: Record<string, string> }[]
    }
  ).include
  const given = included!.inputs
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(given)))
  const required = Object.keys(inputs).filter(name => inputs[name]!.default === undefined)
  expect(Object.keys(given)).toEqual(expect.arrayContaining(required))

  const { workspace, env } = await promoted()
  const values = { ...given, url: env.SERVICE_URL!, 'release-id': env.CANDIDATE! }
  const filled = (value: string): string =>
    value.replaceAll(/\$\[\[ inputs\.([\w-]+) \]\]/g, (_, name: string) =>
      String((values as Record<string, string>)[name] ?? inputs[name]!.default),
    )
  const [job] = Object.values(body!) as [
    { variables: Record<string, { value: string; expand: boolean }>; script: string[] },
  ]
  // The inputs are in variables alone: a script would run their content.
  expect(job.script.join('\n')).not.toContain('$[[')
  expect(Object.values(job.variables).every(({ expand }) => !expand)).toBe(true)
  const variables = Object.fromEntries(
    Object.entries(job.variables).map(([name, { value }]) => [name, filled(value)]),
  )
  const ci = { SERVICE_READ_TOKEN: env.SERVICE_LOCAL_API_TOKEN!, GITLAB_USER_LOGIN: 'ann', CI_JOB_ID: '7' }
  const all = { ...variables, ...ci, CI_PROJECT_PATH: 'ann/shop', TMPDIR: workspace.folder }
  for (const SERVICE_READ_TOKEN of [undefined, '']) {
    const { SERVICE_READ_TOKEN: _, ...without } = all
    const unset = SERVICE_READ_TOKEN === undefined ? without : { ...without, SERVICE_READ_TOKEN }
    expect(await run(job.script.join('\n'), workspace.folder, unset)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^gate: this job has no CI\/CD variable SERVICE_READ_TOKEN .*\n$/),
    })
  }
  const ended = await run(job.script.join('\n'), workspace.folder, all)
  expect(ended).toMatchObject({ code: 4, stderr: '' })
  expect(ended.stdout).toBe(workspace.read('release-gate.md'))
  expect(workspace.read('release-gate.env')).toBe(`verdict=inconclusive\nrelease_id=${env.CANDIDATE}\n`)
})

test.each([
  ['no release', { RELEASE_ID: '' }, /^give release-id or bundle$/],
  [
    'an unknown release',
    { RELEASE_ID: 'rel_000000000000' },
    /answered 404: .*Unknown release: rel_000000000000/,
  ],
  ['another token', { SERVICE_LOCAL_API_TOKEN: 'another' }, /answered 401: /],
  [
    'a window that is none',
    { WINDOW: '50%\n::set-output name=verdict::pass' },
    /answered 400: .*Invalid window/,
  ],
])(
  'the action, given %s, says on the job and in its summary why it could not decide',
  async (_, more, why) => {
    const { workspace, env } = await promoted()
    const [output, summary] = [workspace.write('output', ''), workspace.write('summary.md', '')]
    const runner = { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary, RUNNER_TEMP: workspace.folder }
    const given = { RELEASE_ID: env.CANDIDATE!, ENVIRONMENT: 'prod', ...env, ...runner, ...more }
    const script = `sh ${join(ROOT_PATH, 'examples/ci/action.sh')}`
    const { code, stdout } = await run(script, workspace.folder, given)
    expect(code).toBe(1)
    // The runner takes commands again by then.
    const [, said = ''] = /\n::[0-9a-f]{32}::\n::error title=Release gate::(.*)\n$/.exec(stdout) ?? []
    const error = said.replaceAll('%25', '%')
    expect(error).toMatch(why)
    expect(workspace.read('summary.md')).toBe(`### Release gate: could not decide\n\n    ${error}\n`)
    expect(workspace.read('output')).toBe('')
  },
)

test('docs/ci.md shows what the examples have', () => {
  const example = (name: string) => parse(read(`examples/kubernetes/${name}.yaml`)) as Record<string, never>
  const shown = (name: string): unknown => parse(snippets('ci.md', `yaml ${name}`)[0]!)
  expect(shown('argo')).toEqual(example('argo-rollouts'))
  const { spec: canary } = example('flagger') as unknown as { spec: { analysis: { webhooks: unknown } } }
  expect(shown('flagger')).toEqual({ webhooks: canary.analysis.webhooks })
  const { spec: stage } = example('kargo') as unknown as {
    spec: { promotionTemplate: { spec: { steps: unknown } } }
  }
  expect(shown('kargo')).toEqual(stage.promotionTemplate.spec.steps)
})
