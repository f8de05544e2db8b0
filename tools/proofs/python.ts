import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { ServiceClient } from '../../src/sdk/index.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { fakeProvider } from '../../test/support/providers/fake_provider.ts'
import { comparedPrices } from './python_prices.ts'
import { installedWheel } from './python_package.ts'
import { NotHere, inVenv, pythonPackages } from './packages.ts'
import { comparedStatistics } from './python_statistics.ts'
import { BOT, registerBot, withService } from './service.ts'

/** What instruments an agent, and the stock exporter that sends its spans. */
const INSTRUMENTATIONS = ['openinference', 'openllmetry'] as const

/** How its SDK sends spans: every 5 s, so that the calls of a run that takes longer come before its agent; or each alone. */
const PROCESSORS = ['batch', 'simple'] as const
const PACKAGES = [
  'openai==3.54.0',
  'opentelemetry-sdk==1.45.2',
  'opentelemetry-exporter-otlp-proto-http==1.45.2',
  'opentelemetry-instrumentation-openai==0.62.4',
  'openinference-instrumentation-openai==0.1.66',
]

/** Two runs of two calls each, which the fake provider says used the tokens below. */
const TOKENS = {
  input_tokens: 2 * 300,
  cached_input_tokens: 2 * 700,
  cache_write_input_tokens: 2 * 200,
  output_tokens: 2 * 50,
}

/** Runs a command and returns how it ended; others go on meanwhile. */
async function end(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit', cwd: ROOT_PATH, env: { ...process.env, ...env } })
  const [code] = (await once(child, 'close')) as [number | null]
  return code ?? 1
}

if (spawnSync('python3', ['--version']).status === 0) {
  const tests = await end('vitest', ['run', 'test/docs/python', 'unit/tools/python_package'])
  const runs = (await installedWheel()) + (await stockExporters())
  process.exitCode = tests + runs + comparedStatistics() + comparedPrices()
} else {
  process.stdout.write('python: there is no python3\n')
}

/** How many of the instrumentations have an agent counted otherwise than events that are written by hand. */
async function stockExporters(): Promise<number> {
  let venv: string
  try {
    venv = pythonPackages('python-tracing', PACKAGES)
  } catch (error) {
    if (!(error instanceof NotHere)) throw error
    process.stdout.write(`python: the packages could not be installed: ${error.message}\n`)
    return 0
  }
  let failed = 0
  for (const name of INSTRUMENTATIONS) {
    for (const processor of PROCESSORS) if (!(await isCountedAlike(venv, name, processor))) failed += 1
  }
  return failed
}

async function isCountedAlike(venv: string, name: string, processor: string): Promise<boolean> {
  const provider = await fakeProvider()
  try {
    return await withService({}, async url => {
      const client = new ServiceClient(url)
      const [traced, written] = [await registerBot(client, '1.5.0'), await registerBot(client, '1.4.0')]
      const code = await end(
        inVenv(venv, 'python'),
        [join(ROOT_PATH, 'tools/proofs/python_agent.py'), name, processor, provider.url],
        {
          OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces`,
          OTEL_RESOURCE_ATTRIBUTES: 'service.version=1.5.0,deployment.environment.name=prod',
        },
      )
      await client.ingest(['a', 'b'].map(run_id => eventOf(written, run_id)))
      const { metrics, samples } = await client.diff({
        baseline_release_id: written,
        candidate_release_id: traced,
        window: '1h',
        environment: 'prod',
      })
      const { baseline_cost_per_run_usd: byHand, candidate_cost_per_run_usd: byTrace } = metrics
      process.stdout.write(
        `python ${name}, ${processor}: ${samples.candidate_runs} of 2 runs at ${byTrace} USD, written by hand at ${byHand} USD\n`,
      )
      return code === 0 && samples.candidate_runs === 2 && byHand === byTrace && byHand > 0
    })
  } finally {
    await provider.close()
  }
}

function eventOf(release_id: string, run_id: string) {
  return {
    timestamp: new Date(Date.now() - 1000).toISOString(),
    agent_id: BOT.agent,
    release_id,
    run_id,
    tenant_id: '',
    task_id: '',
    environment: 'prod',
    usage: { model: { provider: BOT.provider, model: BOT.model, ...TOKENS } },
  }
}
