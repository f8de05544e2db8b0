import type { PricingTable } from '../../models/documents/pricing.ts'
import type { ReleaseRecord } from '../../models/documents/release.ts'
import { isoTime } from '../../base/time.ts'
import { callApi } from '../api.ts'

const AGENT = 'demo-bot'
const MODEL = { provider: 'openai', model: 'gpt-4.1-mini' }
const VERSION = 'demo-prices'

const TABLE: PricingTable = {
  provider: MODEL.provider,
  pricing_version: VERSION,
  entries: [
    {
      model: MODEL.model,
      input_usd_per_1k_tokens: 0.0004,
      output_usd_per_1k_tokens: 0.0016,
      cached_input_usd_per_1k_tokens: null,
    },
  ],
}

/** A release that is live, and a newer one that is cheaper but slower, mostly for one task. */
const RELEASES = [
  { version: '1.0.0', runs: 400, tokens: 1400, latency: 900 },
  { version: '1.1.0', runs: 300, tokens: 1100, latency: 1300 },
] as const

const TASKS = ['returns', 'order-status', 'how-to']
const TENANTS = ['northwind', 'contoso']
const HOURS_MS = 6 * 3_600_000

/** Fills an empty ledger with an agent to look around with. Refuses where there is a release already. */
export async function loadDemo(actor: string): Promise<void> {
  const { releases } = await callApi<{ releases: ReleaseRecord[] }>({ path: 'v1/releases' })
  if (releases.length > 0) throw new Error('This ledger has releases by now: nothing was loaded.')
  await callApi({ method: 'POST', path: 'v1/pricing', body: { table: TABLE } })
  for (const [number, release] of RELEASES.entries()) {
    const { release_id } = await register(release.version)
    await callApi({ method: 'POST', path: 'v1/events', body: { events: runsOf(release_id, release) } })
    if (number > 0) continue
    const body = { release_id, environment: 'prod', window: '24h', reason: 'demo data', actor, first: true }
    await callApi({ method: 'POST', path: 'v1/promote', body })
  }
}

function register(version: string): Promise<ReleaseRecord> {
  const artifact = {
    api_version: 'v1',
    kind: 'Release',
    metadata: { name: AGENT, version, description: 'Demo data.' },
    spec: {
      agent: { agent_id: AGENT },
      runtime: MODEL,
      pricing_reference: { provider: MODEL.provider, pricing_version: VERSION },
    },
  }
  const body = { artifact, checksum: version.charCodeAt(2).toString(16).repeat(32), environment: 'prod' }
  return callApi<ReleaseRecord>({ method: 'POST', path: 'v1/releases', body })
}

function runsOf(release_id: string, { version, runs, tokens, latency }: (typeof RELEASES)[number]) {
  const now = Date.now()
  return Array.from({ length: runs }, (_, index) => {
    const task_id = TASKS[index % TASKS.length]!
    const spread = 0.7 + ((index * 37) % 100) / 160
    const success = index % 40 !== 0
    return {
      timestamp: isoTime(Math.floor(now - (HOURS_MS * (index + 1)) / (runs + 1))),
      agent_id: AGENT,
      release_id,
      run_id: `demo-${version}-${index}`,
      tenant_id: TENANTS[Math.floor(index / 3) % TENANTS.length]!,
      task_id,
      environment: 'prod',
      metrics: {
        success,
        latency_ms: Math.round(latency * spread * (task_id === 'returns' && version !== '1.0.0' ? 1.8 : 1)),
        ...(success ? {} : { error_type: 'timeout' }),
      },
      usage: {
        model: {
          ...MODEL,
          input_tokens: Math.round(tokens * spread),
          output_tokens: Math.round(tokens * spread * 0.25),
        },
      },
      request: { session_id: `demo-session-${Math.floor(index / 3)}` },
    }
  })
}
