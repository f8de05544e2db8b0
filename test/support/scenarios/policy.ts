import type { RouteName } from '../../../handlers/index.ts'

/** What policies say, said and would say, for the story of every endpoint. */
export const POLICY_STEPS: readonly {
  readonly route: RouteName
  readonly path?: Record<string, string>
  readonly query?: Record<string, string | number>
  readonly body?: unknown
}[] = [
  { route: 'GET /v1/policy/resolved', query: { agent_id: 'support-bot', environment: 'prod' } },
  { route: 'GET /v1/actions/{action_id}/explain', path: { action_id: '3' } },
  { route: 'GET /v1/actions/{action_id}/explain', path: { action_id: 'act_unknown' } },
  { route: 'GET /v1/actions/{action_id}/attestation', path: { action_id: 'act_000000000007' } },
  { route: 'GET /v1/actions/{action_id}/attestation', path: { action_id: 'act_unknown' } },
  {
    route: 'POST /v1/actions/{action_id}/explain',
    path: { action_id: '3' },
    body: { policy: { max_cost_per_run_usd: 0.05, require_high_diff_confidence: false } },
  },
  {
    route: 'POST /v1/actions/{action_id}/explain',
    path: { action_id: '99' },
    body: { policy: {} },
  },
  {
    route: 'POST /v1/policy/test',
    body: { policy: { max_cost_per_run_usd: 0.05, require_high_diff_confidence: false }, last: 10 },
  },
  { route: 'POST /v1/policy/test', body: { policy: {}, since: 'yesterday' } },
]
