import type { Release } from '../../../src/models/documents/release.ts'
import { isoTime } from '../../../src/base/time.ts'
import { NOON, type TestService } from './service.ts'

/** A minimal valid release.yaml as JSON. */
export function releaseOf(
  overrides: { agent?: string; provider?: string; model?: string; version?: string; pricing?: string } = {},
): Release {
  const { agent = 'bot', provider = 'acme', model = 'm1', version = '1', pricing = 'v1' } = overrides
  return {
    api_version: 'v1',
    kind: 'Release',
    metadata: { name: `${agent} ${version}`, version },
    spec: {
      agent: { agent_id: agent },
      runtime: { provider, model },
      pricing_reference: { provider, pricing_version: pricing },
    },
  }
}

/** Rates in USD per 1,000 tokens: m1 costs 1 in and 2 out, m2 twice that, 0.5 cached, and 2.5 written to a cache. */
export const PRICES = {
  provider: 'acme',
  pricing_version: 'v1',
  entries: [
    { model: 'm1', input_usd_per_1k_tokens: 1, output_usd_per_1k_tokens: 2 },
    {
      model: 'm2',
      input_usd_per_1k_tokens: 2,
      output_usd_per_1k_tokens: 4,
      cached_input_usd_per_1k_tokens: 0.5,
      cache_write_input_usd_per_1k_tokens: 2.5,
    },
  ],
}

export interface EventOptions {
  readonly release_id: string
  readonly run_id: string
  readonly at?: number
  readonly agent_id?: string
  readonly tenant_id?: string
  readonly task_id?: string
  readonly environment?: string
  readonly model?: string
  readonly provider?: string
  readonly input?: number
  readonly output?: number
  readonly cached?: number
  /** Of the input, what was written to a cache. */
  readonly written?: number
  /** Other models of `acme` that the run called. */
  readonly incomplete?: boolean
  readonly others?: readonly {
    readonly model: string
    readonly tokens: readonly [input: number, output: number, cached: number]
    readonly written?: number
  }[]
  readonly success?: boolean
  readonly latency?: number | null
  readonly ttft?: number | null
  readonly type?: 'run_start' | 'run_end'
  readonly request?: Record<string, string | null> | null
  readonly scores?: Readonly<Record<string, number>>
}

/** A valid run event; a minute before noon unless `at` (epoch ms) says otherwise. */
export function eventOf(options: EventOptions): Record<string, unknown> {
  return {
    ...(options.type === undefined ? {} : { type: options.type }),
    timestamp: isoTime(options.at ?? NOON - 60_000),
    agent_id: options.agent_id ?? 'bot',
    release_id: options.release_id,
    run_id: options.run_id,
    tenant_id: options.tenant_id ?? 't1',
    task_id: options.task_id ?? 'k1',
    environment: options.environment ?? 'local',
    metrics: {
      success: options.success ?? true,
      latency_ms: options.latency ?? null,
      ...(options.ttft === undefined ? {} : { ttft_ms: options.ttft }),
    },
    usage: {
      model: {
        provider: options.provider ?? 'acme',
        model: options.model ?? 'm1',
        input_tokens: options.input ?? 1000,
        output_tokens: options.output ?? 500,
        cached_input_tokens: options.cached ?? 0,
        ...(options.written === undefined ? {} : { cache_write_input_tokens: options.written }),
      },
      ...(options.incomplete === undefined ? {} : { incomplete: options.incomplete }),
      ...(options.others === undefined
        ? {}
        : {
            models: options.others.map(({ model, tokens: [input, output, cached], written = 0 }) => ({
              provider: 'acme',
              model,
              input_tokens: input,
              output_tokens: output,
              cached_input_tokens: cached,
              cache_write_input_tokens: written,
            })),
          }),
    },
    ...(options.request === undefined ? {} : { request: options.request }),
    ...(options.scores === undefined ? {} : { scores: options.scores }),
  }
}

/** Registers a release and returns its id. */
export async function register(
  service: TestService,
  overrides: Parameters<typeof releaseOf>[0] = {},
): Promise<string> {
  const answer = await service.call('POST /v1/releases', {
    body: { artifact: releaseOf(overrides), checksum: 'a'.repeat(64) },
  })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body.release_id as string
}

/** Imports PRICES. */
export async function importPrices(service: TestService, table: unknown = PRICES): Promise<void> {
  const answer = await service.call('POST /v1/pricing', { body: { table } })
  if (answer.status !== 200) throw new Error(answer.text)
}

/** Ingests `count` equal events of a release, a second apart, the newest a second before noon. */
export async function ingestMany(
  service: TestService,
  count: number,
  { every_ms = 1000, ...options }: Omit<EventOptions, 'run_id' | 'at'> & { readonly every_ms?: number },
): Promise<void> {
  if (count === 0) return
  const events = Array.from({ length: count }, (_, index) =>
    eventOf({ ...options, run_id: `${options.release_id}-${index}`, at: NOON - every_ms * (index + 1) }),
  )
  const answer = await service.call('POST /v1/events', { body: { events } })
  if (answer.status !== 200) throw new Error(answer.text)
}

/** Of ten runs: they spread over an hour, which relative limits take. */
export const OVER_AN_HOUR = { every_ms: 300_000 }

/** A service with prices and two releases of one agent, `count` events each, nothing promoted. */
export async function twoReleases(
  service: TestService,
  count = 10,
  pace: { readonly every_ms?: number } = {},
): Promise<{ baseline: string; candidate: string }> {
  await importPrices(service)
  const baseline = await register(service, { version: '1' })
  const candidate = await register(service, { version: '2', model: 'm2' })
  await ingestMany(service, count, { release_id: baseline, latency: 100, ...pace })
  await ingestMany(service, count, {
    release_id: candidate,
    latency: 80,
    model: 'm2',
    input: 400,
    output: 200,
    ...pace,
  })
  return { baseline, candidate }
}
