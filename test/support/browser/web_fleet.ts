import type { WebServer } from './web_server.ts'
import { artifactOf } from './web_story.ts'

const HOUR = 3_600_000

export interface Fleet {
  readonly before: string
  readonly after: string
}

/**
 * Two releases of `returns-desk` of the last day: the newer one takes four times as long for returns, most of which
 * tenant globex sends, and is as fast as the other for the rest.
 */
export async function seedSlowReturns(server: WebServer, { limitMs = 10_000 } = {}): Promise<Fleet> {
  const { send, clock } = server
  await send('POST /v1/pricing', { table: PRICES })
  await send('PUT /v1/policy', { max_latency_ms: limitMs, min_candidate_runs: 200, min_baseline_runs: 200 })
  clock.behindMs = 48 * HOUR
  const before = await register(server, '1.0.0', {
    temperature: 0.2,
    tools: ['lookup_order'],
    prompt: 'Be kind.\nBe brief.',
  })
  await send('POST /v1/promote', { ...PLACE, release_id: before, reason: 'first', actor: 'ann', first: true })
  clock.behindMs = 0
  const after = await register(server, '1.1.0', {
    temperature: 0.7,
    tools: ['lookup_order', 'web_search'],
    prompt: 'Be kind.\nBe thorough.',
  })
  await send('POST /v1/events', { events: runsOf(before, 1) })
  await send('POST /v1/events', { events: runsOf(after, 4) })
  return { before, after }
}

const PLACE = { environment: 'prod', window: '24h' }

const PRICES = {
  provider: 'openai',
  pricing_version: 'list-2026-08-21',
  entries: [{ model: 'gpt-4.1', input_usd_per_1k_tokens: 0.002, output_usd_per_1k_tokens: 0.008 }],
}

async function register(
  { send }: WebServer,
  version: string,
  { temperature, tools, prompt }: { temperature: number; tools: string[]; prompt: string },
): Promise<string> {
  const artifact = artifactOf('returns-desk', version) as { spec: Record<string, object> }
  const spec = {
    ...artifact.spec,
    runtime: { ...artifact.spec.runtime, temperature },
    tools: { tool_names: tools },
    prompts: { system_ref: 'system.md' },
  }
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(prompt))
  const answer = await send('POST /v1/releases', {
    artifact: { ...artifact, spec },
    checksum: version === '1.0.0' ? 'ab'.repeat(32) : 'cd'.repeat(32),
    environment: 'prod',
    files: {
      'system.md': { sha256: Buffer.from(digest).toString('hex'), bytes: prompt.length, text: prompt },
      'release.yaml': { sha256: version === '1.0.0' ? '1'.repeat(64) : '2'.repeat(64), bytes: 400 },
    },
  })
  return answer.release_id as string
}

/** 400 runs of the last 20 hours, of three tasks in turn and two tenants. */
function runsOf(release_id: string, slowness: number): unknown[] {
  return Array.from({ length: 400 }, (_, index) => {
    const task_id = ['returns', 'refund', 'answer'][index % 3]!
    const base = 800 + ((index * 37) % 200)
    return {
      timestamp: new Date(Date.now() - (index + 1) * 0.05 * HOUR).toISOString(),
      agent_id: 'returns-desk',
      release_id,
      run_id: `${release_id}-${index}`,
      tenant_id: index % 3 === 0 && index % 4 !== 0 ? 'globex' : 'acme',
      task_id,
      environment: 'prod',
      metrics: { success: index % 50 !== 0, latency_ms: task_id === 'returns' ? base * slowness : base },
      usage: {
        model: { provider: 'openai', model: 'gpt-4.1', input_tokens: 900 + (index % 90), output_tokens: 200 },
      },
      request: { trace_id: `trace-${index}`, session_id: `session-${index % 40}` },
    }
  })
}
