/** The part of the story of `api_scenario.ts` that asks what was changed. */
export const TRAIL_STEPS = [
  { route: 'GET /v1/policy/history', query: { limit: 1 } },
  { route: 'GET /v1/policy/diff' },
  { route: 'GET /v1/policy/diff', query: { from: 'prod@99' } },
  { route: 'GET /v1/pricing/history', query: { provider: 'openai' } },
  { route: 'GET /v1/audit', query: { limit: 2 } },
  { route: 'GET /v1/audit', query: { kind: 'nothing' } },
] as const
