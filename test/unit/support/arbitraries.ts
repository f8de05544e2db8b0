import * as fc from 'fast-check'

/** Valid Unicode without NUL, as every text of a document must be. */
const cleanText = fc.string({ unit: 'binary', maxLength: 20 }).map(text => text.replaceAll('\0', ''))

const identifier = cleanText.map(text => text || 'x')
const rate = fc.double({ min: 0, max: 1000, noNaN: true })
const tokens = fc.oneof(fc.nat(10_000), fc.integer({ min: 0, max: 1e12 }))

function optionally<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.option(arbitrary, { nil: null })
}

const written = fc.nat(1000)
const modelUsage = fc
  .record(
    {
      provider: identifier,
      model: identifier,
      input_tokens: tokens,
      output_tokens: tokens,
      cached_input_tokens: tokens,
      cache_write_input_tokens: written,
    },
    { requiredKeys: ['provider', 'model', 'input_tokens', 'output_tokens'] },
  )
  .map(usage =>
    usage.cache_write_input_tokens === undefined
      ? usage
      : { ...usage, input_tokens: Math.max(usage.input_tokens, usage.cache_write_input_tokens) },
  )

export const runEvent: fc.Arbitrary<object> = fc.record(
  {
    api_version: fc.constant('v1'),
    type: fc.constantFrom('run_start', 'run_end'),
    timestamp: fc
      .date({ min: new Date(0), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
      .map(date => date.toISOString()),
    workspace_id: cleanText,
    agent_id: identifier,
    release_id: identifier,
    run_id: identifier,
    tenant_id: cleanText,
    task_id: cleanText,
    environment: identifier,
    metrics: fc.record(
      {
        success: fc.boolean(),
        latency_ms: optionally(fc.integer({ min: 0, max: 1e10 })),
        error_type: optionally(cleanText),
      },
      { requiredKeys: [] },
    ),
    usage: fc.record(
      {
        model: modelUsage,
        models: fc.array(modelUsage, { maxLength: 2 }),
        tools: fc.array(
          fc.record(
            { tool_name: cleanText, invocations: tokens, cost_units: rate },
            { requiredKeys: ['tool_name'] },
          ),
          { maxLength: 3 },
        ),
      },
      { requiredKeys: ['model'] },
    ),
    scores: fc.dictionary(
      fc.stringMatching(/^[a-z0-9][a-z0-9_.-]{0,20}$/),
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      { maxKeys: 3 },
    ),
    labels: fc.dictionary(cleanText, cleanText, { maxKeys: 3 }),
    request: optionally(
      fc.record(
        {
          session_id: optionally(cleanText),
          trace_id: optionally(cleanText),
          span_id: optionally(cleanText),
        },
        { requiredKeys: [] },
      ),
    ),
    assignment: optionally(
      fc.record({ unit: optionally(fc.stringMatching(/^[0-9a-f]{64}$/)) }, { requiredKeys: [] }),
    ),
  },
  {
    requiredKeys: [
      'timestamp',
      'agent_id',
      'release_id',
      'run_id',
      'tenant_id',
      'task_id',
      'environment',
      'usage',
    ],
  },
)

const threshold = fc.oneof(fc.nat(1000), fc.maxSafeNat())

export const workspaceConfig: fc.Arbitrary<object> = fc.record(
  {
    api_version: fc.constant('v1'),
    kind: fc.constant('WorkspaceConfig'),
    db_path: identifier,
    database_url: optionally(
      fc.constantFrom('postgres://db/ledger', 'postgresql://svc:pw@db:5432/ledger', 'postgres://'),
    ),
    read_database_url: optionally(fc.constantFrom('postgres://standby/ledger', 'libsql://replica')),
    default_environment: identifier,
    diff: fc.record(
      { min_candidate_runs: threshold, min_baseline_runs: threshold, min_low_runs: threshold },
      { requiredKeys: [] },
    ),
    pricing_catalog_path: optionally(cleanText),
    promotion_requires_approval: fc.boolean(),
    public_url: optionally(fc.constantFrom('https://a.example', 'http://h:1/x')),
    approvals_required: fc.integer({ min: 1, max: 20 }),
    approval_expires: optionally(fc.constantFrom('24h', '30m')),
    webhooks: fc.record({ deny_private: fc.boolean() }, { requiredKeys: [] }),
    retention: fc.record(
      { events: optionally(fc.constantFrom('90d', '1h')), archive: optionally(identifier) },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
)

export const pricingCatalog: fc.Arbitrary<object> = fc.record({
  api_version: fc.constant('v1'),
  kind: fc.constant('PricingCatalog'),
  catalog_version: identifier,
  mappings: fc.array(
    fc.record({
      provider: identifier,
      pricing_version: identifier,
      model: identifier,
      catalog_slot_id: identifier,
    }),
    { maxLength: 4 },
  ),
  tariffs: fc.dictionary(
    cleanText,
    fc.record(
      {
        input_usd_per_1k_tokens: rate,
        output_usd_per_1k_tokens: rate,
        cached_input_usd_per_1k_tokens: optionally(rate),
      },
      { requiredKeys: ['input_usd_per_1k_tokens', 'output_usd_per_1k_tokens'] },
    ),
    { maxKeys: 4 },
  ),
})
