import { DEPLOY_STEPS } from './deploys.ts'
import { TRAIL_STEPS } from './trail.ts'
import { TRACES } from '../otlp/example.ts'
import type { RouteName } from '../../../handlers/index.ts'
import type { ApiExample } from '../../../src/http/openapi/openapi.ts'
import type { Peer } from '../../../src/http/access/access.ts'
import type { TestProvider } from '../access/provider.ts'
import { watchSteps } from '../watches/steps.ts'
import { eventOf, releaseOf } from '../services/builders.ts'
import { POLICY_STEPS } from './policy.ts'
import { HOUR_MS, isoTime } from '../../../src/base/time.ts'
import { NOON, type TestService } from '../services/service.ts'
import { LATEST } from './latest.ts'
import { evaluationSteps } from './evaluations.ts'
import { rolloutSteps } from './rollouts.ts'
import { CAPABILITY_SETS, powerSteps } from './capabilities.ts'
import { ID_TOKEN, SESSION_STEPS } from './sessions.ts'
import { TOKEN_STEPS } from './tokens.ts'
import { webhookSteps } from './webhooks.ts'

/** A call of the scenario; what `record` is false for only prepares the next one. */
interface Step {
  readonly route: RouteName
  readonly path?: Record<string, string>
  readonly query?: Record<string, string | number>
  readonly body?: unknown
  readonly record?: false
  readonly peer?: Peer
  /** The service that it is sent to, where it is not the plain one. */
  readonly to?: keyof Cast
}

/** Services on one ledger that differ in their settings. */
export interface Cast {
  readonly plain: TestService
  /** Its workspace demands approvals, and lets rollbacks be forced. */
  readonly approving: TestService
  /** It has a token. */
  readonly guarded: TestService
  /** People sign in there. */
  readonly people: TestService
  /** It takes the smallest bodies only. */
  readonly narrow: TestService
  /** Its ledger can't be reached. */
  readonly down: TestService
}

const AGENT = 'support-bot'
const TABLE = {
  provider: 'openai',
  pricing_version: 'list-2026-01',
  entries: [
    {
      model: 'gpt-4.1',
      input_usd_per_1k_tokens: 0.002,
      output_usd_per_1k_tokens: 0.008,
      cached_input_usd_per_1k_tokens: 0.0005,
    },
    { model: 'gpt-4.1-mini', input_usd_per_1k_tokens: 0.0004, output_usd_per_1k_tokens: 0.0016 },
  ],
}

function artifact(version: string, model: string) {
  const base = releaseOf({ agent: AGENT, version, model })
  return {
    ...base,
    metadata: { name: `support-bot ${version}`, version },
    spec: {
      ...base.spec,
      runtime: { provider: 'openai', model },
      pricing_reference: { provider: 'openai', pricing_version: 'list-2026-01' },
      ...(version in CAPABILITY_SETS ? { capabilities: CAPABILITY_SETS[version] } : {}),
    },
  }
}

function events(releaseId: string, model: string, count: number, input: number) {
  return Array.from({ length: count }, (_, index) =>
    eventOf({
      release_id: releaseId,
      run_id: `${releaseId}-${index}`,
      at: NOON - 60_000 * (index + 1),
      agent_id: AGENT,
      tenant_id: 'acme',
      task_id: 'returns',
      environment: 'prod',
      provider: 'openai',
      model,
      input,
      output: 300,
      latency: 840,
      request: { session_id: 'session-7', trace_id: `trace-${index}`, span_id: null },
    }),
  )
}

// The ids that the test's service gives, in the order of the calls below.
const [BASELINE, CANDIDATE, COSTLY] = ['rel_000000000003', 'rel_000000000004', 'rel_000000000005']
const SIDES = { baseline_release_id: BASELINE, candidate_release_id: CANDIDATE }
const DECISION = { environment: 'prod', window: '7d', reason: 'cheaper, same quality', actor: 'ann' }
const REGISTERED = (version: string, model: string): Step => ({
  route: 'POST /v1/releases',
  body: {
    artifact: artifact(version, model),
    checksum: 'a'.repeat(64),
    environment: 'prod',
    files: { 'release.yaml': { sha256: 'b'.repeat(64), bytes: 612 } },
  },
})

/** A header alone: the source has no runs of that hour. */
const AGGREGATES = {
  aggregates: 'v1',
  source: 'clickhouse-eu',
  engine: 'ClickHouse 26.9',
  query_sha256: 'c'.repeat(64),
  run_url: 'https://traces.internal/?release={release}&from={from_ms}&to={to_ms}',
  as_of: isoTime(NOON),
  covers: { from_ms: NOON - HOUR_MS, to_ms: NOON },
}

/** A story that calls every endpoint, and gets each kind of answer that has to be shown. */
const STEPS: readonly Step[] = [
  { route: 'GET /health' },
  { route: 'GET /ready' },
  { route: 'GET /v1/workspace' },
  { route: 'POST /v1/pricing', body: { table: TABLE } },
  { route: 'POST /v1/pricing', body: { table: TABLE } },
  {
    route: 'PUT /v1/policy',
    body: { policy_id: 'prod', max_cost_per_run_usd: 0.005, min_candidate_runs: 5, min_baseline_runs: 5 },
  },
  { route: 'PUT /v1/policy', body: { max_cost: 0.005 } },
  REGISTERED('1.0.0', 'gpt-4.1'),
  { ...REGISTERED('1.1.0', 'gpt-4.1-mini'), record: false },
  { ...REGISTERED('1.2.0', 'gpt-4.1'), record: false },
  { route: 'POST /v1/releases', body: { artifact: artifact('1.0.0', 'gpt-4.1') } },
  { route: 'POST /v1/events', body: { events: events(BASELINE, 'gpt-4.1', 1, 1200) } },
  { route: 'POST /v1/events', body: { events: events(BASELINE, 'gpt-4.1', 6, 1200) }, record: false },
  { route: 'POST /v1/events', body: { events: events(CANDIDATE, 'gpt-4.1-mini', 6, 1200) }, record: false },
  { route: 'POST /v1/events', body: { events: events(COSTLY, 'gpt-4.1', 6, 4800) }, record: false },
  { route: 'POST /v1/events', body: { events: [{ ...events(BASELINE, 'gpt-4.1', 1, 1)[0], tenant_id: 7 }] } },
  { route: 'POST /v1/events', body: { events: [] } },
  { route: 'POST /v1/traces', body: TRACES },
  { route: 'POST /v1/traces', body: { resourceSpans: 7 } },
  { route: 'GET /v1/releases' },
  { route: 'GET /v1/releases/{release_id}', path: { release_id: BASELINE } },
  { route: 'GET /v1/releases/{release_id}', path: { release_id: 'rel_unknown' } },
  { route: 'GET /v1/releases/{release_id}/files', path: { release_id: BASELINE } },
  { route: 'GET /v1/releases/{release_id}/files', path: { release_id: 'rel_unknown' } },
  { route: 'GET /v1/releases/{release_id}/models', path: { release_id: BASELINE }, query: { window: '7d' } },
  {
    route: 'GET /v1/releases/{release_id}/models',
    path: { release_id: 'rel_unknown' },
    query: { window: '7d' },
  },
  {
    route: 'GET /v1/runs',
    query: { release_id: BASELINE, window: '7d', environment: 'prod', tenant_id: 'acme', limit: 1 },
  },
  { route: 'GET /v1/runs', query: { release_id: 'rel_unknown', window: '7d' } },
  { route: 'GET /v1/runs', query: { release_id: BASELINE, window: '7d', limit: 501 } },
  {
    route: 'GET /v1/runs/export',
    query: { release_id: BASELINE, window: '24h', environment: 'prod', limit: 1 },
  },
  { route: 'GET /v1/runs/series', query: { release_id: BASELINE, window: '1h', environment: 'prod' } },
  { route: 'GET /v1/runs/series', query: { release_id: BASELINE, window: '7w' } },
  { route: 'GET /v1/runs/find', query: { id: 'session-7', window: '24h', limit: 1 } },
  { route: 'GET /v1/runs/find', query: { id: 'session-7', window: '7w' } },
  {
    route: 'GET /v1/runs/worst',
    query: { release_id: BASELINE, window: '24h', environment: 'prod', by: 'latency', limit: 1 },
  },
  { route: 'GET /v1/runs/worst', query: { release_id: 'rel_unknown', window: '24h' } },
  {
    route: 'GET /v1/confidence',
    query: { ...SIDES, window: '24h', environment: 'prod' },
  },
  {
    route: 'GET /v1/confidence',
    query: { baseline_release_id: 'rel_unknown', candidate_release_id: CANDIDATE, window: '24h' },
  },
  {
    route: 'POST /v1/diff',
    body: { ...SIDES, window: '7d', environment: 'prod' },
  },
  {
    route: 'POST /v1/diff',
    body: { ...SIDES, window: '7w' },
  },
  { route: 'POST /v1/diff', body: { ...SIDES } },
  {
    route: 'POST /v1/diff/groups',
    body: { ...SIDES, window: '7d', by: 'tenant', environment: 'prod' },
  },
  {
    route: 'POST /v1/diff/groups',
    body: { ...SIDES, window: '7w', by: 'task' },
  },
  { route: 'GET /v1/policy/advice', query: { agent_id: 'nobody', environment: 'prod' } },
  { route: 'POST /v1/rollback', body: { release_id: BASELINE, ...DECISION } },
  { route: 'POST /v1/promote', body: { release_id: BASELINE, ...DECISION }, record: false },
  ...DEPLOY_STEPS,
  { route: 'POST /v1/promote', body: { release_id: CANDIDATE, ...DECISION } },
  { route: 'POST /v1/promote', body: { release_id: COSTLY, ...DECISION } },
  { route: 'POST /v1/promote', body: { release_id: CANDIDATE, ...DECISION, reason: ' ' } },
  {
    route: 'POST /v1/rollback',
    body: { release_id: BASELINE, ...DECISION, reason: 'complaints since noon' },
  },
  { route: 'POST /v1/rollback', body: { release_id: COSTLY, ...DECISION } },
  { route: 'POST /v1/promote/request', body: { release_id: CANDIDATE, ...DECISION } },
  { route: 'POST /v1/promote/request', body: { release_id: CANDIDATE, ...DECISION }, to: 'approving' },
  { route: 'POST /v1/promote/request', body: { release_id: COSTLY, ...DECISION }, to: 'approving' },
  { route: 'GET /v1/promotion-requests', query: { status: 'pending', limit: 50 } },
  {
    route: 'POST /v1/promote/confirm',
    body: { request_id: 'prq_000000001000', approval_reason: 'checked the diff', actor: 'bob' },
    to: 'approving',
  },
  {
    route: 'POST /v1/promote/confirm',
    body: { request_id: 'prq_000000001000', approval_reason: 'again', actor: 'bob' },
    to: 'approving',
  },
  { route: 'POST /v1/rollback', body: { release_id: BASELINE, ...DECISION }, record: false },
  {
    route: 'POST /v1/promote/request',
    body: { release_id: CANDIDATE, ...DECISION },
    to: 'approving',
    record: false,
  },
  {
    route: 'POST /v1/promote/cancel',
    body: { request_id: 'prq_000000001002', reason: 'superseded', actor: 'ann' },
  },
  { route: 'POST /v1/promote/cancel', body: { request_id: 'prq_000000001002', reason: 'again' } },
  { route: 'GET /v1/promoted' },
  { route: 'GET /v1/policy/advice', query: { agent_id: 'support-bot', environment: 'prod' } },
  { route: 'GET /v1/live', query: { environment: 'prod' } },
  {
    route: 'GET /v1/places/{agent_id}/{environment}',
    path: { agent_id: 'support-bot', environment: 'prod' },
  },
  { route: 'GET /v1/board' },
  { route: 'GET /v1/actions', query: { agent: AGENT, env: 'prod', limit: 1, after: 3 } },
  { route: 'GET /v1/actions', query: { limit: 'many' } },
  { route: 'GET /v1/actions/{action_id}', path: { action_id: 'act_000000000007' } },
  { route: 'GET /v1/actions/{action_id}', path: { action_id: 'act_unknown' } },
  { route: 'GET /v1/policy' },
  ...POLICY_STEPS,
  ...TRAIL_STEPS,
  { route: 'GET /v1/pricing' },
  {
    route: 'GET /v1/pricing/{provider}/{pricing_version}',
    path: { provider: 'openai', pricing_version: 'list-2026-01' },
  },
  {
    route: 'GET /v1/pricing/{provider}/{pricing_version}',
    path: { provider: 'openai', pricing_version: 'none' },
  },
  ...webhookSteps({ route: 'POST /v1/promote', body: { release_id: CANDIDATE, ...DECISION }, record: false }),
  ...watchSteps(AGENT),
  { route: 'GET /v1/metrics' },
  { route: 'GET /metrics' },
  { route: 'GET /v1/doctor', query: { deep: 'true' } },
  { route: 'POST /v1/rollups/rebuild', body: {} },
  { route: 'DELETE /v1/webhooks/{webhook_id}', path: { webhook_id: LATEST } },
  { route: 'DELETE /v1/webhooks/{webhook_id}', path: { webhook_id: LATEST } },
  { route: 'POST /v1/scores', body: { release_id: COSTLY, suite: 'regression', cases: [{ pass_rate: 1 }] } },
  { route: 'GET /v1/scores', query: { release_id: COSTLY } },
  ...evaluationSteps(AGENT, SIDES),
  ...rolloutSteps(BASELINE, COSTLY),
  ...powerSteps(COSTLY),
  { route: 'POST /v1/aggregates', body: AGGREGATES },
  { route: 'POST /v1/aggregates', body: { ...AGGREGATES, as_of: 'noon' } },
  { route: 'GET /v1/aggregates/sources' },
  ...TOKEN_STEPS,
  ...SESSION_STEPS,
  { route: 'GET /v1/metrics', to: 'guarded' },
  { route: 'POST /v1/rollups/rebuild', body: {}, peer: { kind: 'socket', address: '192.0.2.7' } },
  {
    route: 'POST /v1/promote/cancel',
    body: { request_id: 'prq_000000001002', reason: 'superseded' },
    to: 'narrow',
  },
  {
    route: 'POST /v1/rollback',
    to: 'approving',
    body: { release_id: BASELINE, ...DECISION, force: true },
    record: false,
  },
  {
    route: 'POST /v1/actions/{action_id}/review',
    path: { action_id: LATEST },
    body: { reason: 'right: the candidate was down', actor: 'bob' },
  },
  {
    route: 'POST /v1/actions/{action_id}/review',
    path: { action_id: 'act_unknown' },
    body: { reason: 'which one?', actor: 'bob' },
  },
  { route: 'GET /ready', to: 'down' },
]

/** Ids in an answer that later steps are about. */
const GIVEN =
  /"(action_id|webhook_id|delivery_id|watch_id|session_id|rollout_id|request_id|import_id)": ?"([^"]+)"/g

/** Plays the story and returns what was answered. Address and secrets of the provider are replaced. */
export async function playScenario(
  cast: Cast,
  provider?: Pick<TestProvider, 'url' | 'idToken'>,
): Promise<ApiExample[]> {
  const examples: ApiExample[] = []
  const latest = new Map<string, string>()
  for (const { route, path: places = {}, query, body: template, record, peer, to = 'plain' } of STEPS) {
    const filled = <T>(fields: Readonly<Record<string, T>>): Record<string, T | string> =>
      Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [name, value === LATEST ? latest.get(name)! : value]),
      )
    const path = filled(places)
    const body = template === undefined ? undefined : filled(template as Record<string, unknown>)
    const target = route.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name]!))
    const answer = await cast[to].call(target as RouteName, {
      ...(body === undefined ? {} : { body: withToken(body, provider) }),
      ...(query === undefined ? {} : { query }),
      ...(peer === undefined ? {} : { peer }),
    })
    const isPage = answer.headers.get('content-type')?.startsWith('text/html') === true
    for (const [, name, id] of answer.text.matchAll(GIVEN)) if (answer.status === 200) latest.set(name!, id!)
    if (record === false) continue
    examples.push({
      route,
      request: {
        ...(Object.keys(path).length === 0 ? {} : { path }),
        ...(query === undefined ? {} : { query }),
        ...(body === undefined ? {} : { body }),
      },
      status: answer.status,
      response: isPage ? '' : typeof answer.body === 'string' ? repeatable(answer.body) : answer.body,
    })
  }
  if (provider === undefined) return examples
  const text = JSON.stringify(examples).replaceAll(provider.url, 'https://login.example.com')
  return JSON.parse(text.replaceAll(/rgss_[0-9a-f]{88}/g, `rgss_${'0'.repeat(88)}`)) as ApiExample[]
}

/** A body with a token of the provider for the one that is shown. */
function withToken(body: unknown, provider: Pick<TestProvider, 'idToken'> | undefined): unknown {
  const { id_token } = (body ?? {}) as { id_token?: unknown }
  return id_token === ID_TOKEN && provider !== undefined ? { id_token: provider.idToken() } : body
}

/** Without the samples of a scrape that another run would measure otherwise. */
function repeatable(text: string): string {
  return text.replaceAll(/^service_(?:http|sqlite)_.*\n/gm, '')
}
