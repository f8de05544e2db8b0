import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { outcomeOf, releaseOf } from '../../support/otlp/receive.ts'
import { COUNTS } from '../../support/providers/vector.ts'
import { type TokenCounts, sumCounts } from '../../../src/usage/counts.ts'

const FIXTURES = join(ROOT_PATH, 'test/fixtures/otlp')

const ONE = COUNTS
const TWO = sumCounts([COUNTS, COUNTS])
const NONE = sumCounts([])
/** Where a source doesn't tell of cache writes, they count as plain input. */
const withoutWrites = (counts: TokenCounts): TokenCounts => ({ ...counts, cache_write_input_tokens: 0 })
/** Where it doesn't tell of reads either, all input pays the full price. */
const withoutReads = (counts: TokenCounts): TokenCounts => ({
  ...counts,
  input_tokens: counts.input_tokens + counts.cached_input_tokens,
  cached_input_tokens: 0,
})

interface Expected {
  readonly provider: 'openai' | 'anthropic' | 'google'
  readonly model: string
  /** The tokens of its runs, in order. */
  readonly runs: readonly TokenCounts[]
  /** Whether the last of them failed. */
  readonly failed?: boolean
  readonly rejected?: number
  readonly session?: string
  readonly tenant?: string
}

const gpt = { provider: 'openai', model: 'gpt-5.6' } as const
const claude = { provider: 'anthropic', model: 'claude-opus-5' } as const
const gemini = { provider: 'google', model: 'gemini-3-flash' } as const
const aiSdk56 = { failed: true, session: 's-1', tenant: 'acme' } as const

/** What `npm run captures` has recorded, and what comes of it. */
const CAPTURES: Readonly<Record<string, Expected>> = {
  'ai_sdk_7.json': { ...gpt, runs: [TWO, ONE, NONE], failed: true },
  'ai_sdk_7_proto.bin': { ...gpt, runs: [TWO, ONE] },
  'ai_sdk_6_openai.json': { ...gpt, ...aiSdk56, runs: [TWO, ONE, NONE] },
  'ai_sdk_6_anthropic.json': { ...claude, ...aiSdk56, runs: [TWO, ONE, NONE] },
  // Version 5 tells of cache reads in streams only, but for Anthropic.
  'ai_sdk_5_openai.json': { ...gpt, ...aiSdk56, runs: [withoutReads(TWO), ONE, NONE] },
  'ai_sdk_5_anthropic.json': { ...claude, ...aiSdk56, runs: [TWO, ONE, NONE] },
  // Gemini counts what is written to a cache as plain input.
  'ai_sdk_5_google.json': { ...gemini, ...aiSdk56, runs: [withoutWrites(ONE), withoutWrites(ONE), NONE] },
  'anthropic.json': { ...claude, runs: [TWO], rejected: 1 },
  'anthropic_proto.bin': { ...claude, runs: [TWO] },
  'openinference_openai.json': { ...gpt, runs: [withoutWrites(TWO)], session: 's-1' },
  'openinference_langchain.json': { ...gpt, runs: [withoutWrites(TWO)], session: 's-1' },
  'openinference_openai_agents.json': { ...gpt, runs: [withoutWrites(TWO)] },
  'openllmetry_openai.json': { ...gpt, runs: [withoutWrites(withoutReads(ONE))] },
  'langfuse.json': { ...gpt, runs: [ONE] },
  'google_adk.bin': {
    ...gemini,
    runs: [withoutWrites(ONE)],
    session: 'debug_session_id',
  },
  'microsoft_agent_framework.bin': { ...gpt, runs: [TWO] },
}

test('every capture is here', () => {
  expect(Object.keys(CAPTURES).toSorted()).toEqual(readdirSync(FIXTURES).toSorted())
})

test.each(Object.entries(CAPTURES))('%s', async (name, expected) => {
  const { provider, model, runs, failed = false, rejected = 0, session = null, tenant = '' } = expected
  const format = name.endsWith('.bin') ? 'protobuf' : 'json'
  const bytes = Uint8Array.from(readFileSync(join(FIXTURES, name)))
  const release = releaseOf({
    agent_id: 'support-bot',
    model,
    pricing: { provider, pricing_version: 'v1' },
    models: new Set([model]),
  })
  const outcome = await outcomeOf({ bytes, format, encoding: null }, [release], Date.now())
  const seen = outcome.events.map(event => [event.usage.model, event.metrics.success])
  expect(seen).toEqual(
    runs.map(({ cache_write_input_tokens, ...counts }, index) => [
      {
        provider,
        model,
        ...counts,
        ...(cache_write_input_tokens > 0 ? { cache_write_input_tokens } : {}),
      },
      !(failed && index === runs.length - 1),
    ]),
  )
  if (format === 'json') expect(outcome.rejected).toBe(rejected)
  for (const event of outcome.events) {
    expect(event).toMatchObject({
      agent_id: 'support-bot',
      release_id: 'rel_1',
      environment: 'prod',
      tenant_id: tenant,
      request: { session_id: session },
    })
    expect(event.run_id).toBe(`otlp:${event.request.trace_id}:${event.request.span_id}`)
    expect(event.metrics.latency_ms).toBeGreaterThan(0)
    expect(event.metrics.ttft_ms ?? 0).toBeLessThanOrEqual(event.metrics.latency_ms)
    expect(event.metrics.error_type).toBe(event.metrics.success ? null : 'AI_APICallError')
  }
  // Only calls that streamed say when their first chunk came.
  const streamed = outcome.events.flatMap(({ metrics }) => metrics.ttft_ms ?? [])
  expect(streamed).toHaveLength(/ai_sdk|anthropic_proto/.test(name) ? 1 : 0)
})
