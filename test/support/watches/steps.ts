import type { RouteName } from '../../../handlers/index.ts'

/** The watch that is begun, by the order of the calls before it. */
const WATCH = 'wch_00000000001a'

/** The part of the scenario that is about watches, where an agent has a release live over another one. */
export function watchSteps(agent_id: string): readonly {
  readonly route: RouteName
  readonly path?: Record<string, string>
  readonly query?: Record<string, string | number>
  readonly body?: unknown
}[] {
  return [
    {
      route: 'POST /v1/watches',
      body: { agent_id, environment: 'prod', for: '2h', auto_rollback: true, actor: 'ann' },
    },
    { route: 'POST /v1/watches', body: { agent_id, environment: 'prod' } },
    { route: 'POST /v1/watches', body: { agent_id, environment: 'staging' } },
    { route: 'GET /v1/watches', query: { env: 'prod', limit: 10 } },
    { route: 'GET /v1/watches/{watch_id}', path: { watch_id: WATCH } },
    { route: 'GET /v1/watches/{watch_id}', path: { watch_id: 'wch_unknown' } },
    {
      route: 'POST /v1/watches/{watch_id}/cancel',
      path: { watch_id: WATCH },
      body: { reason: 'moved to another cluster', actor: 'ann' },
    },
    { route: 'POST /v1/watches/{watch_id}/cancel', path: { watch_id: WATCH }, body: { reason: 'again' } },
    {
      route: 'POST /v1/watches/{watch_id}/cancel',
      path: { watch_id: 'wch_unknown' },
      body: { reason: 'no' },
    },
  ]
}
