import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Miniflare } from 'miniflare'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { ServiceClient } from '../../src/sdk/index.ts'
import { bundleOf } from '../support/processes/bundle.ts'
import { makeWorkspace, startService } from '../support/processes/cli.ts'
import { COMPATIBILITY } from '../support/workers/workerd.ts'
import { type Installed, filesOf, installPackage } from '../support/processes/package.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'

const DOCS = join(ROOT_PATH, 'docs')

/** The snippets of a page, in order, by the word behind the fence: `sh`, `js`, `js worker`. */
function snippets(page: string, language: string): string[] {
  const fences = readFileSync(join(DOCS, page), 'utf8').matchAll(/^```([^\n]*)\n(.*?)^```$/gms)
  return [...fences].filter(([, name]) => name === language).map(([, , code]) => code!)
}

interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<Ran> {
  const child = spawn(program, args, { cwd, env })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code: code as number | null, stdout, stderr }
}

let project: Installed
/** What a reader has who followed the quickstart: a workspace with two releases. */
let reader: {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  readonly ran: Ran
  readonly ms: number
}

beforeAll(async () => {
  project = await installPackage()
  const { folder } = project
  const startedAt = performance.now()
  const clone = join(dirname(folder), 'release-governance')
  mkdirSync(clone)
  const { version } = JSON.parse(readFileSync(join(ROOT_PATH, 'package.json'), 'utf8')) as { version: string }
  // The package is there already; any other use of npm is a mistake.
  const script = `npm() {
      case "$PWD: $*" in
        '${realpathSync(clone)}: ci' | '${realpathSync(clone)}: pack') ;;
        "$PWD: install ../release-governance/release-governance-${version}.tgz") ;;
        *) return 1 ;;
      esac
    }
    ${snippets('quickstart.md', 'sh').join('\n')}
    printf '%s\\n' "$BASELINE" "$CANDIDATE" > ids`
  const ran = await run('bash', ['--norc', '-euo', 'pipefail', '-c', script], folder, project.env)
  if (ran.code !== 0) throw new Error(ran.stdout + ran.stderr)
  const [BASELINE, CANDIDATE] = readFileSync(join(folder, 'ids'), 'utf8').split('\n')
  reader = { folder, ran, env: { ...project.env, BASELINE, CANDIDATE }, ms: performance.now() - startedAt }
})

/** A copy of the reader's folder. */
function readersFolder(): string {
  const folder = mkdtempSync(join(dirname(reader.folder), 'reader-'))
  cpSync(reader.folder, folder, { recursive: true, verbatimSymlinks: true })
  return folder
}

test('the quickstart puts nothing in the folder that the reader did not ask for', () => {
  const names = readdirSync(reader.folder).filter(name => !['node_modules', 'ids'].includes(name))
  expect(names.sort()).toEqual([
    '.service',
    'baseline',
    'candidate',
    'policy.yaml',
    'prices.yaml',
    'regression',
    'runs.mjs',
    'service.yaml',
  ])
})

test('the quickstart, followed to the letter, ends with a promotion that is blocked', () => {
  const { ran, ms } = reader
  expect(ran.stdout).toContain('PROMOTED')
  expect(ran.stdout).toMatch(/confidence {2}enough runs \(confidence HIGH\)\npolicy {6}BLOCK\n/)
  expect(ran.stdout).toMatch(/BLOCKED {2}rel_\w+ {2}support-bot in prod/)
  expect(ran.stdout).toContain('candidate cost_per_run_usd')
  expect(ran.stdout).toContain('candidate latency_ms_avg')
  expect(ran.stdout).toContain('blocked, as it should be')
  expect(ms).toBeLessThan(300_000)
})

test.each([
  'policy.md',
  'approvals.md',
  'scores.md',
  'releases.md',
  'watch.md',
  'operating.md',
  'on-call.md',
  'ci.md',
  'audit.md',
])('the commands of %s work', async page => {
  const script = snippets(page, 'sh').join('\n')
  expect(
    await run('bash', ['--norc', '-euo', 'pipefail', '-c', script], readersFolder(), reader.env),
  ).toMatchObject({
    code: 0,
    stderr: expect.not.stringContaining('internal error') as string,
  })
})

test('the programs of sdk.md work, with the answers that the page says', async () => {
  const { env } = reader
  const folder = readersFolder()
  const { url } = await serve(folder)
  const outputs: string[] = []
  for (const [index, code] of snippets('sdk.md', 'js').entries()) {
    const file = join(folder, `snippet-${index}.mjs`)
    writeFileSync(file, code.replaceAll('http://127.0.0.1:8765', url))
    const { code: exit, stdout, stderr } = await run('node', [file], folder, env)
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    outputs.push(stdout)
  }
  expect(outputs).toEqual([
    '',
    expect.stringMatching(/cost_per_run_usd[^]*POST \/v1\/promote: Promotion blocked by policy\./),
    '12 runs failed\n',
    '2 cases\n',
    'support-bot 1.0.0\n',
  ])
  const client = new ServiceClient(url)
  // The 600 of the quickstart, and the one that the first program logged.
  expect(await runsOf(client, env.CANDIDATE!)).toBe(601)
  const [worker] = snippets('sdk.md', 'js worker')
  const miniflare = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: await bundleOf(worker!) }],
    ...COMPATIBILITY,
    bindings: { SERVICE_URL: url, RELEASE_ID: env.CANDIDATE! },
  })
  onTestFinished(() => miniflare.dispose())
  expect(await (await miniflare.dispatchFetch('http://worker.test/')).text()).toBe('answered')
  await expect.poll(() => runsOf(client, env.CANDIDATE!)).toBe(602)
})

test('the program of rollouts.md gets the release of its side', async () => {
  const { env } = reader
  const folder = readersFolder()
  const { url } = await serve(folder)
  const file = join(folder, 'assign.mjs')
  writeFileSync(file, snippets('rollouts.md', 'js')[0]!.replaceAll('http://127.0.0.1:8765', url))
  const live = await run('node', [file], folder, env)
  expect(live).toEqual({ code: 0, stdout: `${env.BASELINE} 1.0.0 undefined\n`, stderr: '' })
  // What is proven to break the quickstart's limits would not be rolled out.
  const script = `sed -i 's/^max_cost_per_run_usd:.*/max_cost_per_run_usd: 1/; s/^max_latency_ms:.*/max_latency_ms: 9000/' policy.yaml
    echo 'max_cost_increase_pct: 1' >> policy.yaml
    svc policy set policy.yaml --reason 'something to judge by' --url ${url}
    svc release rollout start "$CANDIDATE" --env prod --reason 'cheaper model' --steps 50%:1h --url ${url}`
  const started = await run('bash', ['--norc', '-euo', 'pipefail', '-c', script], folder, env)
  expect(started.code, started.stderr).toBe(0)
  const { stdout } = await run('node', [file], folder, env)
  expect([`${env.BASELINE} 1.0.0 baseline\n`, `${env.CANDIDATE} 1.2.0 candidate\n`]).toContain(stdout)
})

async function runsOf(client: ServiceClient, release_id: string): Promise<number> {
  return (await client.listRuns({ release_id, environment: 'prod', window: '2h' })).matched_total
}

const hasCurl = spawnSync('curl', ['--version']).status === 0

test.skipIf(!hasCurl)('the requests of access.md are answered as it says', async () => {
  const token = 'a token for the test'.replaceAll(' ', '-')
  const { url } = await serve(makeWorkspace({}).folder, { SERVICE_LOCAL_API_TOKEN: token })
  const script = snippets('access.md', 'sh').join('\n').replaceAll('localhost:8765', url)
  const env = { ...project.env, SERVICE_LOCAL_API_TOKEN: token }
  const { stdout } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', script], project.folder, env)
  expect(stdout).toMatch(
    /^\{"releases":\[\]\}401\n\{"status":"ok","mutation_auth":"bearer","read_auth":"bearer"\}rgs_[0-9a-f]{64}\n/,
  )
  expect(stdout).toMatch(
    /^ci-deploy\twrite\tsupport-bot\tprod\tlive\t.*\nrgs_[0-9a-f]{64}\nci-deploy revoked\n$/m,
  )
})

test('the identity provider of access.md is one, strictly', async () => {
  const workspace = makeWorkspace()
  workspace.write('service.yaml', `strict: true\n${snippets('access.md', 'yaml oidc')[0]!}`)
  expect(await workspace.svc('doctor')).toMatchObject({
    code: 0,
    stderr: expect.not.stringContaining('auth'),
  })
})

test('the approvals of approvals.md are settings, strictly', async () => {
  const workspace = makeWorkspace()
  workspace.write('service.yaml', `strict: true\n${snippets('approvals.md', 'yaml')[0]!}`)
  expect(await workspace.svc('policy', 'show')).toMatchObject({ code: 0, stderr: '' })
})

test('the retention of operating.md is one, strictly', async () => {
  const workspace = makeWorkspace()
  workspace.write('service.yaml', `strict: true\n${snippets('operating.md', 'yaml')[0]!}`)
  const { code, stdout } = await workspace.svc('runs', 'prune', '--dry-run', '--output', 'json')
  expect({ code, pruned: JSON.parse(stdout) }).toMatchObject({
    code: 0,
    pruned: { events: 0, dry_run: true },
  })
})

async function serve(folder: string, env: Record<string, string> = {}): Promise<{ url: string }> {
  const workspace = { ...makeWorkspace(), folder }
  const service = await startService(workspace, { env })
  onTestFinished(async () => void (await service.stop()))
  return service
}

test('the pages come with the package', () => {
  expect(filesOf(join(project.package, 'docs'))).toEqual(filesOf(DOCS))
})
