import type { RouteName } from '../../../handlers/index.ts'
import { LATEST } from '../scenarios/latest.ts'

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
    { route: 'GET /v1/watches/{watch_id}', path: { watch_id: LATEST } },
    { route: 'GET /v1/watches/{watch_id}', path: { watch_id: 'wch_unknown' } },
    {
      route: 'POST /v1/watches/{watch_id}/cancel',
      path: { watch_id: LATEST },
      body: { reason: 'moved to another cluster', actor: 'ann' },
    },
    { route: 'POST /v1/watches/{watch_id}/cancel', path: { watch_id: LATEST }, body: { reason: 'again' } },
    {
      route: 'POST /v1/watches/{watch_id}/cancel',
      path: { watch_id: 'wch_unknown' },
      body: { reason: 'no' },
    },
  ]
}
