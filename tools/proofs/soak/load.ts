import { PRICES, eventOf, releaseOf } from '../../../test/support/services/builders.ts'

/** What was measured since the last reading. */
interface Taken {
  readonly latencies: number[]
  /** Answers that are wrong here. */
  readonly failed: number
}

interface Load {
  taken(): Taken
  stop(): Promise<void>
}

/** How often each is requested, ms; one without an answer yet is waited for. */
const EVERY_MS = { events: 250, diff: 1000, decide: 1000, read: 250, watch: 30_000 }
const EVENTS = 25
const READS = [
  '/v1/board',
  '/v1/actions?limit=50',
  '/v1/promoted',
  '/v1/webhook-deliveries',
  '/v1/watches',
  '/ready',
  '/metrics',
  '/v1/releases',
]

/** Sends events of today and of days before, decides, compares, watches and reads, until it is stopped. */
export async function startLoad(url: string, hook: string): Promise<Load> {
  let taken: { latencies: number[]; failed: number } = { latencies: [], failed: 0 }

  async function send(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const startedAt = performance.now()
    const response = await fetch(url + path, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    const text = await response.text()
    taken.latencies.push(performance.now() - startedAt)
    // A refused decision, and a watch where one runs, are right answers.
    if (response.status !== 200 && response.status !== 409) {
      taken.failed += 1
      process.stderr.write(`${method} ${path}: ${response.status} ${text.slice(0, 500)}\n`)
    }
    return path.startsWith('/v1/') ? (JSON.parse(text) as Record<string, unknown>) : {}
  }

  await send('POST', '/v1/pricing', { table: PRICES })
  await send('PUT', '/v1/policy', { require_high_diff_confidence: false })
  await send('POST', '/v1/webhooks', { url: hook, events: ['promote.succeeded', 'promote.blocked'] })
  const releases: string[] = []
  for (const version of ['1', '2']) {
    const { release_id } = await send('POST', '/v1/releases', registrationOf(version))
    releases.push(String(release_id))
  }

  let round = 0
  const requests: Readonly<Record<keyof typeof EVERY_MS, () => Promise<unknown>>> = {
    events: () => {
      round += 1
      const events = Array.from({ length: EVENTS }, (_, index) =>
        runOf(releases[round % 2]!, `run-${round}-${index}`, Date.now() - ageOf(round, index)),
      )
      return send('POST', '/v1/events', { events })
    },
    diff: () => {
      const [baseline_release_id, candidate_release_id] = releases
      return send('POST', '/v1/diff', { baseline_release_id, candidate_release_id, window: '1h' })
    },
    decide: () =>
      send('POST', '/v1/promote', {
        release_id: releases[round % 2],
        environment: 'local',
        window: '1h',
        reason: `round ${round}`,
      }),
    read: () => send('GET', READS[round % READS.length]!),
    watch: () => send('POST', '/v1/watches', { agent_id: 'bot', environment: 'local', for: '1m' }),
  }
  // A watch needs something that is live, and something that was before.
  for (const kind of ['events', 'decide', 'events', 'decide'] as const) await requests[kind]()
  const state = { isOver: false }
  const loops = (Object.keys(EVERY_MS) as (keyof typeof EVERY_MS)[]).map(async kind => {
    while (!state.isOver) {
      const startedAt = performance.now()
      await requests[kind]()
      const restMs = EVERY_MS[kind] - (performance.now() - startedAt)
      await new Promise(resolve => setTimeout(resolve, Math.max(0, restMs)))
    }
  })
  return {
    taken: () => {
      const now = taken
      taken = { latencies: [], failed: 0 }
      return now
    },
    stop: async () => {
      state.isOver = true
      await Promise.all(loops)
    },
  }
}

const DAY_MS = 86_400_000

/** One in ten is of up to three days ago, so that retention has something to remove. */
function ageOf(round: number, index: number): number {
  return index % 10 === 0 ? ((round * 7919 + index) % 72) * (DAY_MS / 24) : index * 10
}

/** A release of an agent, as it is registered. */
export function registrationOf(version: string, agent = 'bot'): unknown {
  return { artifact: releaseOf({ agent, version }), checksum: version.repeat(64) }
}

export function runOf(release_id: string, run_id: string, at: number, agent_id = 'bot'): unknown {
  return eventOf({
    release_id,
    run_id,
    at,
    agent_id,
    tenant_id: `tenant-${at % 7}`,
    success: at % 50 !== 0,
    latency: 100 + (at % 100),
    input: 900 + (at % 200),
  })
}
