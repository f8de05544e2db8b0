import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT_PATH } from '../../../../src/runtime/root.ts'

/** A version of the program, by the schema that it knew. */
export interface Version {
  readonly commit: string
  /** Migrations that it had, by number. */
  readonly migrations: readonly number[]
}

/** The commit of 0.1.0, the first version that anybody has. */
const RELEASED = '356904ed014325a9e98ecc69169a798d68d3f5c7'

/** Each schema from 0.1.0 on, with the last commit of the main branch that had it, oldest first. */
export function versionsInHistory(): readonly Version[] {
  const range = ['--first-parent', '--reverse', '--format=%H', `${RELEASED}..HEAD`]
  const changes = lines('log', ...range, '--', 'migrations/sqlite')
  const last = changes.map((_, index) => {
    const next = changes[index + 1]
    return next === undefined ? 'HEAD' : `${next}^1`
  })
  const found = [RELEASED, ...last].map(name => {
    const [commit] = lines('rev-parse', name)
    const files = lines('ls-tree', '--name-only', `${commit}:migrations/sqlite`)
    return { commit: commit!, migrations: files.map(file => Number(file.slice(0, 4))) }
  })
  return [...new Map(found.map(version => [version.migrations.join(), version])).values()]
}

/** The program of a version, in a folder of its own, with the packages of this one. */
export function checkOut({ commit }: Version, folder: string): void {
  mkdirSync(folder)
  const archive = execFileSync('git', ['archive', commit], { cwd: ROOT_PATH, maxBuffer: 2 ** 28 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(join(ROOT_PATH, 'node_modules'), join(folder, 'node_modules'), 'junction')
}

/** What a version wrote: the releases of its example, and what their runs are called. */
export interface Written {
  readonly baseline: string
  readonly candidate: string
  readonly runs: readonly string[]
}

/** Has a version make a ledger of its own: prices, a policy, two releases, 40 runs and a promotion. */
export function write(
  program: string,
  workspace: string,
  env: Readonly<Record<string, string>>,
  nowMs: number,
): Written {
  cpSync(join(program, 'examples/quickstart'), workspace, { recursive: true })
  const svc = (...args: string[]): string => svcOf(program, workspace, env, args)
  svc('init')
  svc('pricing', 'import', 'prices.yaml')
  writeFileSync(
    join(workspace, 'policy.yaml'),
    'policy_id: support-bot\nmax_error_rate: 1\nrequire_high_diff_confidence: false\n',
  )
  svc('policy', 'set', 'policy.yaml')
  const [baseline, candidate] = ['baseline', 'candidate'].map(name =>
    svc('release', 'register', name, '--env', 'prod').trim(),
  ) as [string, string]
  const events = [baseline, candidate].flatMap((release, side) =>
    Array.from({ length: 20 }, (_, index) =>
      eventOf(release, `run-${side}-${index}`, nowMs - index * 60_000),
    ),
  )
  writeFileSync(join(workspace, 'runs.jsonl'), events.map(event => `${JSON.stringify(event)}\n`).join(''))
  svc('runs', 'ingest', 'runs.jsonl')
  const decide = ['--env', 'prod', '--window', '7d', '--reason', 'of its version']
  svc('release', 'promote', baseline, ...decide)
  return { baseline, candidate, runs: events.map(({ run_id }) => run_id) }
}

/** Runs a version's command line and returns what it printed. Throws where it fails. */
function svcOf(
  program: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): string {
  return execFileSync(process.execPath, [join(program, 'bin/svc.cjs'), ...args], {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

export function eventOf(release_id: string, run_id: string, atMs: number) {
  return {
    timestamp: new Date(atMs).toISOString(),
    agent_id: 'support-bot',
    release_id,
    run_id,
    tenant_id: 'acme',
    task_id: 'returns',
    environment: 'prod',
    metrics: { success: true, latency_ms: 840 },
    usage: { model: { provider: 'openai', model: 'gpt-4.1-mini', input_tokens: 1200, output_tokens: 300 } },
  }
}

function lines(...args: string[]): string[] {
  return execFileSync('git', args, { cwd: ROOT_PATH, encoding: 'utf8' }).split('\n').slice(0, -1)
}
