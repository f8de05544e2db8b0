/** The part of the story of the scenario of the API that asks what was changed. */
export const TRAIL_STEPS = [
  {
    route: 'POST /v1/promote/request',
    body: { release_id: 'rel_000000000004', environment: 'prod', window: '24h', reason: 'second try' },
    to: 'approving',
    record: false,
  },
  {
    route: 'POST /v1/promote/reject',
    body: { request_id: 'prq_000000001003', reason: 'latency is not explained', actor: 'ann' },
  },
  { route: 'POST /v1/promote/reject', body: { request_id: 'prq_000000001003', reason: 'again' } },
  { route: 'GET /v1/audit', query: { limit: 2 } },
  { route: 'GET /v1/audit', query: { kind: 'nothing' } },
  { route: 'GET /v1/audit', query: { kind: 'policy', limit: 1, facts: 'true' } },
  { route: 'GET /v1/audit/checkpoint' },
  { route: 'GET /v1/audit/consistency', query: { from: 2 } },
  { route: 'GET /v1/audit/consistency', query: { from: 99 } },
  { route: 'GET /v1/actions/{action_id}/proof', path: { action_id: 'act_000000000007' } },
  { route: 'GET /v1/actions/{action_id}/proof', path: { action_id: 'act_unknown' } },
] as const
