import { rmSync } from 'node:fs'
import { cp, mkdtemp, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import type { Release } from '../../models/documents/release.ts'
import { quickstartFolder } from '../../runtime/node/shipped.ts'
import { readModel } from '../files.ts'
import type { Invocation } from '../arguments/command.ts'
import { type Io, painter } from '../terminal/io.ts'
import { onStop } from '../terminal/stop.ts'
import { indented, quoted } from '../terminal/text.ts'
import { type RunProfile, demoEvents } from './demo_runs.ts'

const BUNDLES = ['baseline', 'candidate', 'regression'] as const
type BundleName = (typeof BUNDLES)[number]

const PROFILES: Readonly<Record<BundleName, RunProfile>> = {
  baseline: { runs: 900, inputTokens: 1400, outputTokens: 320, latencyMs: 1250, errorRate: 0.012 },
  candidate: { runs: 700, inputTokens: 1350, outputTokens: 300, latencyMs: 780, errorRate: 0.014 },
  regression: { runs: 650, inputTokens: 3900, outputTokens: 780, latencyMs: 2300, errorRate: 0.05 },
}

/** Shows the loop, or serves a month of sample data, in a temporary folder that is gone however the process ends. */
export async function demo(invocation: Invocation): Promise<number> {
  const { options, io } = invocation
  const stop = onStop()
  const folder = await mkdtemp(join(tmpdir(), 'svc-demo-'))
  const isKept = options.flag('keep-workspace') === true
  const remove = (): void => {
    if (!isKept) rmSync(folder, { recursive: true, force: true })
  }
  // A second signal, or one while the server starts, ends the process at once.
  process.once('exit', remove)
  try {
    return await (options.flag('serve') === true ? serveSample : showLoop)(invocation, folder, stop.signal)
  } catch (error) {
    if (error !== stop.signal.reason) throw error
    io.err('svc: the demo was stopped\n')
    return stop.exitCode()
  } finally {
    stop.release()
    process.off('exit', remove)
    remove()
    if (isKept) io.out(`\nThe workspace is kept in ${folder}\n`)
  }
}

/** Shows the whole loop by running the commands a user would type. */
async function showLoop(invocation: Invocation, folder: string, stop: AbortSignal): Promise<number> {
  const { options, io } = invocation
  const given = options.text('quickstart-root')
  const source = given === undefined ? quickstartFolder() : resolve(io.cwd, given)
  await requireLayout(source)
  for (const name of ['prices.yaml', 'policy.yaml', ...BUNDLES]) {
    await cp(join(source, name), join(folder, name), { recursive: true })
  }
  return await runStory(
    new Stage(invocation, folder, stop),
    options.flag('verify') ?? true,
    options.flag('doctor') ?? true,
  )
}

/** Serves a month of sample data until SIGINT or SIGTERM. */
async function serveSample(
  { options, io, version, run }: Invocation,
  folder: string,
  stop: AbortSignal,
): Promise<number> {
  const inner: Io = { ...io, cwd: folder, env: withoutSettings(io.env), out: () => {} }
  io.out('Writing thirty days of sample data\n')
  await writeFile(join(folder, 'service.yaml'), 'promotion_requires_approval: true\n')
  const { fillDemoLedger } = await import('./demo_ledger.ts')
  await fillDemoLedger({ folder, version, now: Date.now(), stop })
  const port = options.text('port') ?? '0'
  return await run(['serve', '--port', port, '--log', 'off'], {
    ...inner,
    out: text => {
      const url = /http:\S+/.exec(text)?.[0]
      if (url !== undefined) io.out(addresses(url))
    },
  })
}

/** The pages of the sample ledger that are worth a look. */
function addresses(url: string): string {
  return (
    `Served at ${url}; Ctrl-C ends it and removes the data.\n` +
    `  needs somebody   ${url}/?view=place&agent=support-bot\n` +
    `  the board        ${url}/\n`
  )
}

/** The environment of the caller without the settings of a service. */
function withoutSettings(env: Io['env']): Io['env'] {
  const others = Object.entries(env).filter(([name]) => !name.startsWith('SERVICE_'))
  return { USER: 'demo', ...Object.fromEntries(others) }
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

async function runStory(stage: Stage, withVerify: boolean, withDoctor: boolean): Promise<number> {
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
  await stage.must(['release', 'history', '--env', 'prod', '--header'])
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
      ? 'With this policy the third release passed too; tighten policy.yaml to see it blocked.'
      : shipped
        ? 'The good release went live, the bad one was blocked, and every attempt is on record with its reasons.'
        : 'With this policy both releases were blocked; loosen policy.yaml to see the candidate pass.'
    io.out(
      `\n${verdict}\n\nNext:\n` +
        '  svc demo --serve              see a month of sample data in the web UI\n' +
        '  svc init --guided             make a workspace in your project: four questions\n' +
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
    const inner: Io = {
      ...io,
      cwd: this.#folder,
      env: withoutSettings(io.env),
      errIsTty: false,
      out: text => {
        printed += text
        io.out(indented(text))
      },
      err: text => io.out(indented(text)),
    }
    const code = await run(argv, inner)
    this.#stop.throwIfAborted()
    return { code, printed }
  }
}
