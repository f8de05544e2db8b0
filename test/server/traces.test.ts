import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { ServiceClient } from '../../src/sdk/index.ts'
import { type FakeProvider, fakeProvider } from '../support/providers/fake_provider.ts'
import { COUNTS } from '../support/providers/vector.ts'
import { releaseOf } from '../support/services/builders.ts'
import { ok } from '../support/services/requests.ts'
import { socketService } from '../support/services/socket.ts'

let provider: FakeProvider
beforeAll(async () => {
  provider = await fakeProvider()
})
afterAll(() => provider.close())

const PRICES = {
  provider: 'openai',
  pricing_version: 'v1',
  entries: [
    {
      model: 'gpt-5.6',
      input_usd_per_1k_tokens: 0.00125,
      output_usd_per_1k_tokens: 0.01,
      cached_input_usd_per_1k_tokens: 0.000125,
    },
  ],
}

/** Runs a program that is traced with a stock exporter; its environment alone says where to send. */
async function runTraced(url: string, format: 'http' | 'proto', token: string): Promise<void> {
  const child = spawn(process.execPath, [join(ROOT_PATH, 'tools/captures/programs/ai_sdk_7.mjs')], {
    env: {
      ...process.env,
      ONLY: 'answers',
      CAPTURE_FORMAT: format,
      PROVIDER_URL: provider.url,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces`,
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: `authorization=Bearer%20${token}`,
      OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: format === 'proto' ? 'gzip' : 'none',
    },
  })
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
}

test.each(['http', 'proto'] as const)(
  'a stock exporter (-%s) and three variables feed the diff that hand-made events feed',
  async format => {
    const service = await socketService({ tokens: { main: 'main', ingest: 'in' } })
    const headers = { authorization: 'Bearer main' }
    const client = new ServiceClient(service.url, { token: 'main' })
    await client.importPrices({ table: PRICES })
    const artifact = (version: string) => ({
      ...releaseOf({ agent: 'support-bot', model: 'gpt-5.6', version }),
      spec: {
        ...releaseOf({ agent: 'support-bot', model: 'gpt-5.6' }).spec,
        pricing_reference: { provider: 'openai', pricing_version: 'v1' },
      },
    })
    const registered = (version: string) =>
      client.registerRelease({ artifact: artifact(version), checksum: 'a'.repeat(64), environment: 'prod' })
    const byHand = await registered('1.4.0')
    const traced = await registered('1.5.0')
    service.clock.now = Date.now()
    await runTraced(service.url, format, 'in')
    service.clock.now = Date.now() + 1000
    const seen: { input_tokens: number; latency_ms: number | null | undefined }[] = []
    const query = { release_id: traced.release_id, window: '1h', environment: 'prod' }
    for await (const { metrics, usage } of client.exportRuns(query)) {
      seen.push({ input_tokens: usage.model.input_tokens, latency_ms: metrics?.latency_ms })
    }
    expect(seen.map(run => run.input_tokens)).toEqual([COUNTS.input_tokens, COUNTS.input_tokens * 2])
    // One run of two calls and one of one, as somebody would write them down who knows the counts.
    await client.ingest(
      [1, 2].map((calls, index) => ({
        timestamp: new Date(service.clock.now - 2000).toISOString(),
        agent_id: 'support-bot',
        release_id: byHand.release_id,
        run_id: `hand-${calls}`,
        tenant_id: '',
        task_id: '',
        environment: 'prod',
        metrics: { latency_ms: seen[index]!.latency_ms ?? null },
        usage: {
          model: {
            provider: 'openai',
            model: 'gpt-5.6',
            input_tokens: COUNTS.input_tokens * calls,
            output_tokens: COUNTS.output_tokens * calls,
            cached_input_tokens: COUNTS.cached_input_tokens * calls,
          },
        },
      })),
    )
    const { metrics, samples } = await ok(
      service.call('POST /v1/diff', {
        headers,
        body: {
          baseline_release_id: byHand.release_id,
          candidate_release_id: traced.release_id,
          window: '1h',
          environment: 'prod',
        },
      }),
    )
    expect([samples.baseline_runs, samples.candidate_runs]).toEqual([2, 2])
    expect(metrics).toMatchObject({ delta_cost_per_run_usd: 0, delta_latency_ms_avg: 0, delta_error_rate: 0 })
    expect(metrics.candidate_cost_per_run_usd).toBeGreaterThan(0)
  },
)
