import { cp, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import type { Release } from '../../models/documents/release.ts'
import { quickstartFolder } from '../../runtime/node/shipped.ts'
import { readModel } from '../files.ts'
import type { Invocation } from '../arguments/command.ts'
import { type Io, painter } from '../terminal/io.ts'
import { onStop } from '../terminal/stop.ts'
import { quoted } from '../terminal/text.ts'
import { seededRandom } from '../../base/numbers.ts'
import { HOUR_MS, isoTime } from '../../base/time.ts'

const BUNDLES = ['baseline', 'candidate', 'regression'] as const
type BundleName = (typeof BUNDLES)[number]

const PROFILES: Readonly<Record<BundleName, RunProfile>> = {
  baseline: { runs: 900, inputTokens: 1400, outputTokens: 320, latencyMs: 1250, errorRate: 0.012 },
  candidate: { runs: 700, inputTokens: 1350, outputTokens: 300, latencyMs: 780, errorRate: 0.014 },
  regression: { runs: 650, inputTokens: 3900, outputTokens: 780, latencyMs: 2300, errorRate: 0.05 },
}

/** Shows the whole loop by running the commands a user would type, in a temporary workspace. */
export async function demo(invocation: Invocation): Promise<number> {
  const { options, io } = invocation
  const given = options.text('quickstart-root')
  const source = given === undefined ? quickstartFolder() : resolve(io.cwd, given)
  await requireLayout(source)
  const stop = onStop()
  const folder = await mkdtemp(join(tmpdir(), 'svc-demo-'))
  try {
    for (const name of ['prices.yaml', 'policy.yaml', ...BUNDLES]) {
      await cp(join(source, name), join(folder, name), { recursive: true })
    }
    return await tellStory(
      new Stage(invocation, folder, stop.signal),
      options.flag('verify') ?? true,
      options.flag('doctor') ?? true,
    )
  } catch (error) {
    if (error !== stop.signal.reason) throw error
    io.err('svc: the demo was stopped\n')
    return stop.exitCode()
  } finally {
    stop.release()
    if (options.flag('keep-workspace') === true) io.out(`\nThe workspace is kept in ${folder}\n`)
    else await rm(folder, { recursive: true, force: true })
  }
}

async function requireLayout(folder: string): Promise<void> {
  const needed = ['prices.yaml', 'policy.yaml', ...BUNDLES.map(name => `${name}/release.yaml`)]
  for (const path of needed) {
    const found = await stat(join(folder, path)).catch(() => undefined)
    if (found === undefined) {
      throw badRequest(`${folder} is no quickstart folder: it lacks ${path} (it needs ${needed.join(', ')}).`)
    }
  }
}

async function tellStory(stage: Stage, withVerify: boolean, withDoctor: boolean): Promise<number> {
  stage.chapter('A workspace, prices and a policy')
  await stage.must(['init', '--no-bundled-pricing'])
  await stage.must(['pricing', 'import', 'prices.yaml'])
  await stage.must(['policy', 'set', 'policy.yaml'])

  stage.chapter('The release that is in production')
  const baseline = await stage.register('baseline')
  const gate = ['--env', 'prod', '--window', '24h']
  await stage.must(['release', 'promote', baseline, ...gate, '--reason', 'first release'])
  await stage.ingest('baseline', baseline)

  stage.chapter('A candidate: is it safe to ship?')
  const candidate = await stage.register('candidate')
  await stage.ingest('candidate', candidate)
  await stage.must(['release', 'diff', baseline, candidate, '--env', 'prod', '--window', '24h'])
  const shipped = await stage.passes([
    'release',
    'promote',
    candidate,
    ...gate,
    '--reason',
    'cheaper and faster',
  ])

  stage.chapter('A regression: what does the gate say?')
  const regression = await stage.register('regression')
  await stage.ingest('regression', regression)
  await stage.must(['release', 'diff', candidate, regression, '--env', 'prod', '--window', '24h'])
  const slipped = await stage.passes(['release', 'promote', regression, ...gate, '--reason', 'nicer answers'])

  stage.chapter('Roll back, and prove it later')
  await stage.passes(['release', 'rollback', baseline, ...gate, '--reason', 'customers want the old tone'])
  await stage.must(['release', 'history', '--env', 'prod'])
  if (withVerify) await stage.must(['release', 'verify', candidate, '--path', 'candidate'])
  if (withDoctor) await stage.must(['doctor'])
  stage.end({ shipped, slipped })
  return 0
}

/** Prints commands and runs them, in the demo's folder and without the service settings of the caller. */
class Stage {
  readonly #invocation: Invocation
  readonly #folder: string
  readonly #stop: AbortSignal
  readonly #paint: ReturnType<typeof painter>
  #chapters = 0

  constructor(invocation: Invocation, folder: string, stop: AbortSignal) {
    this.#invocation = invocation
    this.#folder = folder
    this.#stop = stop
    this.#paint = painter(invocation.io)
  }

  chapter(title: string): void {
    this.#chapters += 1
    this.#invocation.io.out(`\n${this.#paint('bold', `${this.#chapters}. ${title}`)}\n`)
  }

  /** Runs a command that has to succeed and returns what it printed. */
  async must(argv: readonly string[]): Promise<string> {
    const { code, printed } = await this.#run(argv)
    if (code !== 0)
      throw badRequest(`the demo stopped: \`svc ${argv.join(' ')}\` ended with exit code ${code}.`)
    return printed
  }

  /** Runs a command that the policy may block; returns whether it passed. */
  async passes(argv: readonly string[]): Promise<boolean> {
    return (await this.#run(argv)).code === 0
  }

  async register(name: BundleName): Promise<string> {
    return (await this.must(['release', 'register', name, '--env', 'prod'])).trim()
  }

  /** Ingests generated events of a release, times just before now. */
  async ingest(name: BundleName, releaseId: string): Promise<void> {
    const { spec } = (await readModel(`${name}/release.yaml`, { cwd: this.#folder }, 'Release')) as Release
    const names = {
      agent_id: spec.agent.agent_id,
      release_id: releaseId,
      provider: spec.runtime.provider,
      model: spec.runtime.model,
    }
    const file = `${name}-events.jsonl`
    await writeFile(join(this.#folder, file), demoEvents(PROFILES[name], names, Date.now()))
    await this.must(['runs', 'ingest', file])
  }

  end({ shipped, slipped }: { shipped: boolean; slipped: boolean }): void {
    const { io, options } = this.#invocation
    const isKept = options.flag('keep-workspace') === true
    const verdict = slipped
      ? 'With this policy the third release passed as well; tighten policy.yaml to see it blocked.'
      : shipped
        ? 'The good release went through, the bad one was blocked, and every attempt is on record with its reasons.'
        : 'With this policy both releases were blocked; loosen policy.yaml to see the candidate pass.'
    io.out(
      `\n${verdict}\n\nNext:\n` +
        '  svc init                      make a workspace in your project\n' +
        '  svc release register PATH     register your first release.yaml\n' +
        '  svc serve                     take run events over HTTP\n' +
        (isKept ? '' : '  svc demo --keep-workspace     keep this one to look around in\n'),
    )
  }

  /** Throws the reason of the signal where the user has stopped the demo meanwhile. */
  async #run(argv: readonly string[]): Promise<{ code: number; printed: string }> {
    const { io, run } = this.#invocation
    this.#stop.throwIfAborted()
    io.out(`${this.#paint('dim', '$')} svc ${argv.map(quoted).join(' ')}\n`)
    let printed = ''
    const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ')
    const inner: Io = {
      ...io,
      cwd: this.#folder,
      env: {
        USER: 'demo',
        ...Object.fromEntries(Object.entries(io.env).filter(([name]) => !name.startsWith('SERVICE_'))),
      },
      errIsTty: false,
      out: text => {
        printed += text
        io.out(indent(text))
      },
      err: text => io.out(indent(text)),
    }
    const code = await run(argv, inner)
    this.#stop.throwIfAborted()
    return { code, printed }
  }
}

/** How runs of one demo release behave: means of what each event draws. */
export interface RunProfile {
  readonly runs: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly latencyMs: number
  readonly errorRate: number
}

/** What a demo event names. */
export interface RunNames {
  readonly agent_id: string
  readonly release_id: string
  readonly provider: string
  readonly model: string
}

const TENANTS = ['northwind', 'contoso', 'fabrikam', 'tailspin']
const TASKS = ['order-status', 'returns', 'billing', 'how-to']
const SPAN_MS = 6 * HOUR_MS

/**
 * JSONL of run events in the six hours before `now`: the same draws every time, so the demo always ends the same.
 */
export function demoEvents(profile: RunProfile, names: RunNames, now: number): string {
  const random = seededRandom(profile.runs * 31 + profile.inputTokens)
  const around = (mean: number): number => Math.round(mean * (0.6 + 0.8 * random()))
  const lines = Array.from({ length: profile.runs }, (_, index) => {
    const success = random() >= profile.errorRate
    return JSON.stringify({
      timestamp: isoTime(Math.floor(now - SPAN_MS + (SPAN_MS * (index + random())) / profile.runs) - 1),
      agent_id: names.agent_id,
      release_id: names.release_id,
      run_id: `${names.release_id}-${String(index).padStart(4, '0')}`,
      tenant_id: TENANTS[Math.floor(random() * TENANTS.length)],
      task_id: TASKS[Math.floor(random() * TASKS.length)],
      environment: 'prod',
      metrics: {
        success,
        latency_ms: around(profile.latencyMs),
        ...(success ? {} : { error_type: random() < 0.5 ? 'timeout' : 'tool_error' }),
      },
      usage: {
        model: {
          provider: names.provider,
          model: names.model,
          input_tokens: around(profile.inputTokens),
          output_tokens: around(profile.outputTokens),
          cached_input_tokens: around(profile.inputTokens / 4),
        },
      },
      request: {
        session_id: `session-${Math.floor(index / 3)}`,
        trace_id: `trace-${names.release_id}-${index}`,
      },
    })
  })
  return `${lines.join('\n')}\n`
}
