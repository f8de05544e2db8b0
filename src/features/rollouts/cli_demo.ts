import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assign, isCandidate } from '../../base/assignment.ts'
import { seededRandom } from '../../base/numbers.ts'
import { HOUR_MS, MINUTE_MS, isoTime } from '../../base/time.ts'
import type { Split } from '../../models/deploys/split.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import { localApi } from '../../cli/service/local.ts'
import { workspaceConfig } from '../../runtime/documents.ts'
import { readEnvironment } from '../../runtime/environment.ts'
import { openServices } from '../../runtime/node/open.ts'
import { sql } from '../../sql/port.ts'
import { rolloutText } from './cli_text.ts'
import { lookOnce } from './jobs.ts'

const [AGENT, ENVIRONMENT, TICK_MS] = ['demo-bot', 'prod', 10 * MINUTE_MS]
const STEPS = '0%:1h,5%:1h,25%:2h,50%:6h'
const RUNS_PER_TICK = 400

/** Plays a rollout of a release that is a third slower, in a ledger of its own whose clock jumps by ten minutes. */
export async function demo({ io, version }: Invocation): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-demo-'))
  const opened = await openServices({
    folder,
    environment: readEnvironment({}),
    version,
    log: () => {},
    workspace: workspaceConfig({}),
  })
  const clock = { now: Date.parse('2026-01-31T00:00:00Z') }
  const { sharesClock: _, ...db } = opened.sql
  const services = {
    ...opened,
    now: () => clock.now,
    elapsed: () => clock.now,
    sql: {
      ...db,
      get clock() {
        return sql`CAST(${clock.now} AS BIGINT)`
      },
    },
  }
  const api = localApi(services, 'demo')
  try {
    const [baseline, candidate] = await prepare(api)
    const traffic = trafficOf(api, clock, candidate)
    await callJson(api, 'POST /v1/promote', {
      body: { ...place(baseline), window: '1h', reason: 'the first one' },
    })
    for (let passed = 0; passed < HOUR_MS; passed += TICK_MS) await traffic()
    const { rollout_id } = await callJson(api, 'POST /v1/rollouts', {
      body: { ...place(candidate), steps: STEPS, max_duration: '1d', reason: 'a cheaper model' },
    })
    io.out(
      `${AGENT} in ${ENVIRONMENT}: version 2 is rolled out beside version 1, ${STEPS}; at most +10 % latency\n\n`,
    )
    for (;;) {
      await traffic()
      await lookOnce(services)
      const rollout = await callJson(api, 'GET /v1/rollouts/{rollout_id}', {
        path: { rollout_id: rollout_id! },
      })
      const { change, low } = rollout.last_look?.metrics.latency_ms ?? {}
      const shown = (value: number | null | undefined): string =>
        value == null ? '      –' : `${(100 * value).toFixed(1)} %`.padStart(7)
      const share = `${100 * (rollout.share ?? 0)} %`.padStart(5)
      io.out(
        `${isoTime(clock.now).slice(11, 16)}  ${share}  latency ${shown(change)}, at least ${shown(low)}\n`,
      )
      if (rollout.ended_at === null) continue
      io.out(`\n${rolloutText(rollout, io, clock.now)}`)
      return 0
    }
  } finally {
    await api.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function place(release_id: string) {
  return { release_id, environment: ENVIRONMENT }
}

/** Prices, a policy, and two releases. */
async function prepare(api: Api): Promise<[baseline: string, candidate: string]> {
  const entries = [{ model: 'm1', input_usd_per_1k_tokens: 0.001, output_usd_per_1k_tokens: 0.002 }]
  await callJson(api, 'POST /v1/pricing', {
    body: { table: { provider: 'acme', pricing_version: 'v1', entries } },
  })
  const policy = {
    max_latency_increase_pct: 0.1,
    max_error_rate_increase: 0.02,
    require_high_diff_confidence: false,
  }
  await callJson(api, 'PUT /v1/policy', { body: policy })
  const register = async (name: string): Promise<string> => {
    const artifact = {
      api_version: 'v1' as const,
      kind: 'Release' as const,
      metadata: { name: `${AGENT} ${name}`, version: name },
      spec: {
        agent: { agent_id: AGENT },
        runtime: { provider: 'acme', model: 'm1' },
        pricing_reference: { provider: 'acme', pricing_version: 'v1' },
      },
    }
    const { release_id } = await callJson(api, 'POST /v1/releases', {
      body: { artifact, checksum: '0'.repeat(64) },
    })
    return release_id
  }
  return [await register('1'), await register('2')]
}

/** Ten minutes of sessions of two runs, each on the release that the pointer assigns it. */
function trafficOf(api: Api, clock: { now: number }, slower: string): () => Promise<void> {
  const random = seededRandom(7)
  let sessions = 0
  return async function pass() {
    const { release_id: live, split } = await callJson(api, 'GET /v1/pointers/{agent_id}/{environment}', {
      path: { agent_id: AGENT, environment: ENVIRONMENT },
    })
    const events: Record<string, unknown>[] = []
    for (let session = 0; session < RUNS_PER_TICK / 2; session++) {
      const session_id = `session-${sessions++}`
      const release_id = split === undefined ? live : await armOf(split, session_id)
      const level = (release_id === slower ? 400 : 300) * (0.7 + 0.6 * random())
      for (const run of [1, 2]) {
        events.push({
          run_id: `${session_id}-${run}`,
          agent_id: AGENT,
          ...place(release_id),
          tenant_id: 'acme',
          task_id: 'answer',
          timestamp: isoTime(clock.now + Math.floor(random() * TICK_MS)),
          metrics: { success: random() >= 0.02, latency_ms: Math.round(level * (0.6 + 0.8 * random())) },
          usage: {
            model: {
              provider: 'acme',
              model: 'm1',
              input_tokens: 900,
              output_tokens: 120,
              cached_input_tokens: 0,
            },
          },
          request: { session_id },
        })
      }
    }
    clock.now += TICK_MS
    await callJson(api, 'POST /v1/events', { body: { api_version: 'v1', events } } as never)
  }
}

async function armOf({ rollout_id, share, candidate, baseline }: Split, unit: string): Promise<string> {
  return (isCandidate(await assign(rollout_id, unit), share) ? candidate : baseline).release_id
}
