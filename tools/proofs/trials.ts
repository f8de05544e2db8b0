import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { parse } from 'yaml'
import { liveOf, templateText } from '../../src/features/advice/template_text.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { ServiceClient } from '../../src/sdk/index.ts'
import { trialRun } from '../../test/support/scenarios/trials.ts'
import { PRICES, releaseOf } from '../../test/support/services/builders.ts'
import { randomOf } from '../calibration/traffic.ts'
import { NotHere, inVenv, pythonPackages } from './packages.ts'
import { withService } from './service.ts'

/**
 * An agent of pydantic-ai whose fake model uses tokens that vary by 30 %: how often the gate passes an unchanged release, and
 * one that costs 30 % more, by 100 runs of each that trial.sh makes. `npm run prove -- trials [SEEDS]`
 */
const SEEDS = Number(process.argv[2] ?? 20)
const RISES = { live: 0, unchanged: 0, dearer: 0.3 }
const ROUNDS = 2
const RUNS = 50
const MOST_MS = 600_000

try {
  const venv = pythonPackages('pydantic-ai', ['pydantic-ai-slim[openai]==2.68.0'])
  process.exitCode = (await isTold(inVenv(venv, 'python'))) ? 0 : 1
} catch (error) {
  if (!(error instanceof NotHere)) throw error
  process.stdout.write(`trials: pydantic-ai could not be installed: ${error.message}\n`)
}

async function isTold(python: string): Promise<boolean> {
  const passed = { unchanged: [0, 0], dearer: [0, 0] }
  let longest = 0
  for (let seed = 0; seed < SEEDS; seed++) {
    const beganAt = performance.now()
    const codes = await gated(python, seed)
    longest = Math.max(longest, performance.now() - beganAt)
    for (const { name, policy, code } of codes) if (code === 0) passed[name][policy]! += 1
    process.stdout.write(`trials ${seed}: ${JSON.stringify(codes)}\n`)
  }
  const [least, most] = [Math.ceil(0.95 * SEEDS), Math.floor(0.1 * SEEDS)]
  process.stdout.write(
    `trials: of ${SEEDS} unchanged releases passed ${passed.unchanged.join(' and ')} (at least ${least}), of as many that cost ` +
      `30 % more ${passed.dearer.join(' and ')} (at most ${most}), by limits on a change alone and with those of the live ` +
      `release; the longest trial took ${Math.round(longest / 1000)} s\n`,
  )
  return (
    passed.unchanged.every(count => count >= least) &&
    passed.dearer.every(count => count <= most) &&
    longest < MOST_MS
  )
}

interface Gated {
  readonly name: 'unchanged' | 'dearer'
  readonly policy: number
  readonly code: number
}

/** Tries three releases at once, and returns the exit codes of gate.sh under both policies. */
async function gated(python: string, seed: number): Promise<Gated[]> {
  return withService({}, async url => {
    const client = new ServiceClient(url, { timeoutMs: 60_000 })
    await client.importPrices({ table: PRICES })
    const ids: Record<string, string> = {}
    for (const version of Object.keys(RISES)) {
      const artifact = releaseOf({ version })
      ids[version] = (await client.registerRelease({ artifact, checksum: 'a'.repeat(64) })).release_id
    }
    const place = { environment: 'ci', window: '1h' }
    await client.promote({ ...place, release_id: ids.live!, reason: 'live' })
    const model = await fakeModel(
      new Map(Object.entries(RISES).map(([name, rise]) => [ids[name]!, rise])),
      seed,
    )
    try {
      const sides = Object.values(ids).flatMap(id => [id, '.'])
      const agent = [python, join(ROOT_PATH, 'tools/proofs/trial_agent.py')]
      const { code, stdout } = await end('trial.sh', ['ci', ...sides, '--', ...agent], {
        MODEL_URL: model.url,
        ROUNDS: String(ROUNDS),
        RUNS: String(RUNS),
      })
      if (code !== 0) throw new Error('trial.sh failed')
      const events = stdout.trim().split('\n')
      await client.ingest(events.map(line => JSON.parse(line)))
    } finally {
      await model.close()
    }
    const advice = await client.policyAdvice({ agent_id: 'bot', environment: 'ci' })
    const codes: Gated[] = []
    for (const [policy, live] of [undefined, liveOf(advice)].entries()) {
      await client.setPolicy(parse(templateText('ci', live)))
      for (const name of ['unchanged', 'dearer'] as const) {
        const { code, stdout } = await end('gate.sh', [ids[name]!, 'ci', '1h'], { SERVICE_URL: url })
        if (![0, 3, 4].includes(code)) throw new Error(`gate.sh ended with ${code}: ${stdout}`)
        codes.push({ name, policy, code })
      }
    }
    return codes
  })
}

/** A model that speaks OpenAI's protocol at /RELEASE_ID; a release uses so many more tokens, as a fraction. */
async function fakeModel(rises: ReadonlyMap<string, number>, seed: number) {
  const randoms = new Map(Array.from(rises.keys(), (id, index) => [id, randomOf(seed, `model ${index}`)]))
  const server = createServer(async (request, response) => {
    await text(request)
    const id = (request.url ?? '').split('/')[1]!
    const { input_tokens, output_tokens, latency_ms } = trialRun(randoms.get(id)!, rises.get(id)!)
    await setTimeout(latency_ms / 10)
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        id: 'chatcmpl-1',
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
