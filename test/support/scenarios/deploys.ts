const AGENT = 'support-bot'
const PLACE = { agent_id: AGENT, environment: 'prod' }
// The ids that the test's service gives, in the order of the calls of the scenario.
const [CANDIDATE, COSTLY] = ['rel_000000000004', 'rel_000000000005']

/** The part of the story of the scenario of the API that gates a deploy and reads what is live. */
export const DEPLOY_STEPS = [
  { route: 'GET /v1/pointers/{agent_id}/{environment}', path: PLACE },
  { route: 'GET /v1/pointers/{agent_id}/{environment}', path: { ...PLACE, environment: 'test' } },
  {
    route: 'POST /ofrep/v1/evaluate/flags/{key}',
    path: { key: AGENT },
    body: { context: { environment: 'prod' } },
  },
  { route: 'POST /ofrep/v1/evaluate/flags', body: { context: { environment: 'prod' } } },
  { route: 'POST /ofrep/v1/evaluate/flags', body: { context: [] } },
  { route: 'POST /ofrep/v1/evaluate/flags/{key}', path: { key: AGENT }, body: { context: [] } },
  { route: 'POST /ofrep/v1/evaluate/flags/{key}', path: { key: 'nobody' }, body: {} },
  {
    route: 'GET /v1/gate/{agent_id}/{environment}',
    path: PLACE,
    query: { release_id: CANDIDATE, window: '7d' },
  },
  {
    route: 'GET /v1/gate/{agent_id}/{environment}',
    path: PLACE,
    query: { release_id: CANDIDATE, window: '7w' },
  },
  {
    route: 'GET /v1/gate/{agent_id}/{environment}/report',
    path: PLACE,
    query: { release_id: CANDIDATE, window: '7d' },
  },
  {
    route: 'GET /v1/gate/{agent_id}/{environment}/report',
    path: PLACE,
    query: { release_id: CANDIDATE, window: '7w' },
  },
  {
    route: 'POST /v1/gate/{agent_id}/{environment}',
    path: PLACE,
    query: { release_id: CANDIDATE, window: '7d' },
  },
  {
    route: 'POST /v1/gate/{agent_id}/{environment}',
    path: PLACE,
    query: { release_id: COSTLY, window: '7d' },
  },
  {
    route: 'POST /v1/gate/{agent_id}/{environment}',
    path: PLACE,
    query: { release_id: 'rel_unknown', window: '7d' },
  },
] as const
