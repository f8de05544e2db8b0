import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parse } from 'yaml'
import { liveOf, templateText } from '../../src/features/advice/template_text.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { ServiceClient } from '../../src/sdk/index.ts'
import { trialRun } from '../../test/support/scenarios/trials.ts'
import { PRICES, releaseOf } from '../../test/support/services/builders.ts'
import { type Random, randomOf } from '../calibration/traffic.ts'
import { NotHere, inVenv, pythonPackages } from './packages.ts'
import { withService } from './service.ts'

/**
 * Counts how often the gate passes an unchanged release and refuses one that costs 30 % more, by 100 runs of each that
 * trial.sh makes. The agent is of pydantic-ai; the tokens of its fake model vary by 30 %. The model says how long a run takes, so
 * a busy machine makes none slower. Each seed is an agent of its own. One process of Python runs all agents of a side and round.
 * `npm run prove -- trials [SEEDS]`
 */
const SEEDS = Number(process.argv[2] ?? 20)
const RISES = { live: 0, unchanged: 0, dearer: 0.3 }
const ROUNDS = 2
const RUNS = 50
const MOST_MS = 600_000
type Version = keyof typeof RISES
type Releases = Readonly<Record<Version, string>>

try {
  const venv = pythonPackages('pydantic-ai', ['pydantic-ai-slim[openai]==2.68.0'])
  process.exitCode = (await holds(inVenv(venv, 'python'))) ? 0 : 1
} catch (error) {
  if (!(error instanceof NotHere)) throw error
  process.stdout.write(`trials: pydantic-ai could not be installed: ${error.message}\n`)
}

async function holds(python: string): Promise<boolean> {
  const beganAt = performance.now()
  const codes = await withService({}, url => gated(url, python))
  const took = (performance.now() - beganAt) / SEEDS
  const counted = (name: Version, wanted: readonly number[]): number[] =>
    ['changes', 'both'].map(policy => {
      const own = codes.filter(code => code.name === name && code.policy === policy)
      if (own.length !== SEEDS) throw new Error(`${own.length} trials of ${SEEDS}`)
      return own.filter(({ code }) => wanted.includes(code)).length
    })
  const [passed, refused] = [counted('unchanged', [0]), counted('dearer', [3, 4])]
  const [leastPassed, leastRefused] = [Math.ceil(0.95 * SEEDS), Math.ceil(0.9 * SEEDS)]
  process.stdout.write(
    `trials: of ${SEEDS} unchanged releases passed ${passed.join(' and ')} (at least ${leastPassed}), of as many that cost 30 % more ` +
      `were refused ${refused.join(' and ')} (at least ${leastRefused}), by limits on a change alone and with those of the live ` +
      `release; a trial took ${Math.round(took / 1000)} s\n`,
  )
  return (
    passed.every(count => count >= leastPassed) &&
    refused.every(count => count >= leastRefused) &&
    took < MOST_MS
  )
}

interface Gated {
  readonly name: Version
  readonly policy: 'changes' | 'both'
  readonly code: number
}

/** Tries three releases of each seed at once, and returns the exit codes of gate.sh under both policies. */
async function gated(url: string, python: string): Promise<Gated[]> {
  const client = new ServiceClient(url, { timeoutMs: 60_000 })
  await client.importPrices({ table: PRICES })
  const agents: Releases[] = []
  for (let seed = 0; seed < SEEDS; seed++) agents.push(await registered(client, agentOf(seed)))
  await tried(client, python, agents)
  const codes: Gated[] = []
  for (const [seed, ids] of agents.entries()) {
    const advice = await client.call('GET /v1/policy/advice', {
      query: { agent_id: agentOf(seed), environment: 'ci' },
    })
    const found: Gated[] = []
    for (const [policy, live] of [['changes'], ['both', liveOf(advice)]] as const) {
      await client.setPolicy(parse(templateText('ci', live)))
      for (const name of ['unchanged', 'dearer'] as const) {
        const { code, stdout } = await end('gate.sh', [ids[name], 'ci', '1h'], { SERVICE_URL: url })
        if (![0, 3, 4].includes(code)) throw new Error(`gate.sh ended with ${code}: ${stdout}`)
        found.push({ name, policy, code })
        if ((code === 0) !== (name === 'unchanged'))
          process.stdout.write(`trials ${seed}, ${name}: ${stdout}\n`)
      }
    }
    process.stdout.write(`trials ${seed}: ${JSON.stringify(found)}\n`)
    codes.push(...found)
  }
  return codes
}

function agentOf(seed: number): string {
  return `bot${seed}`
}

/** Three releases of an agent, of which the first is promoted. */
async function registered(client: ServiceClient, agent: string): Promise<Releases> {
  const ids: Record<string, string> = {}
  for (const version of Object.keys(RISES)) {
    const artifact = releaseOf({ agent, version })
    ids[version] = (await client.registerRelease({ artifact, checksum: 'a'.repeat(64) })).release_id
  }
  const releases = ids as Releases
  await client.promote({ environment: 'ci', window: '1h', release_id: releases.live, reason: 'live' })
  return releases
}

/** Runs trial.sh with a side for each version, and sends the runs of all agents. */
async function tried(client: ServiceClient, python: string, agents: readonly Releases[]): Promise<void> {
  const versions = Object.keys(RISES) as Version[]
  const randoms = agents.flatMap((ids, seed) =>
    versions.map((version, index): [string, Side] => [
      ids[version],
      { random: randomOf(seed, `model ${index}`), rise: RISES[version] },
    ]),
  )
  const model = await fakeModel(new Map(randoms))
  try {
    const sides = versions.flatMap(version => [agents[0]![version], '.'])
    const agent = [python, join(ROOT_PATH, 'tools/proofs/trial_agent.py')]
    const { code, stdout } = await end('trial.sh', ['ci', ...sides, '--', ...agent], {
      MODEL_URL: model.url,
      AGENTS: JSON.stringify(agents.map(ids => versions.map(version => ids[version]))),
      // A round takes 20 s of the agent's clock.
      BEGAN: String(Date.now() / 1000 - 30 * ROUNDS),
      ROUNDS: String(ROUNDS),
      RUNS: String(RUNS),
    })
    if (code !== 0) throw new Error('trial.sh failed')
    await client.ingest(
      stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line)),
    )
  } finally {
    await model.close()
  }
}

interface Side {
  readonly random: Random
  /** More tokens than the live release, as a fraction. */
  readonly rise: number
}

/** A model that speaks OpenAI's protocol at /RELEASE_ID. */
async function fakeModel(sides: ReadonlyMap<string, Side>) {
  const server = createServer(async (request, response) => {
    await text(request)
    const { random, rise } = sides.get((request.url ?? '').split('/')[1]!)!
    const { input_tokens, output_tokens, latency_ms } = trialRun(random, rise)
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        // The agent's clock goes by it.
        id: `chatcmpl-${latency_ms}`,
        object: 'chat.completion',
        created: 1_790_000_000,
        model: 'm1',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Here.' }, finish_reason: 'stop' }],
        usage: {
          prompt_tokens: input_tokens,
          completion_tokens: output_tokens,
          total_tokens: input_tokens + output_tokens,
        },
      }),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Runs a script of examples/ci. What it writes to stderr is shown. */
async function end(script: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(join(ROOT_PATH, 'examples/ci', script), args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  return { code: (code as number | null) ?? 1, stdout }
}
