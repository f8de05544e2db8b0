import type { Endpoint, Route } from '../src/http/endpoint.ts'

/**
 * The API: one file per endpoint, loaded when it is first called. The router, the command line and the OpenAPI
 * description read this list, and there is no other.
 */
export const routes = listed({
  'GET /health': () => import('./health.ts'),
  'GET /ready': () => import('./ready.ts'),
  'GET /metrics': () => import('./metrics_text.ts'),
  'GET /docs': () => import('./docs.ts'),
  'GET /openapi.json': () => import('./openapi.ts'),
  'GET /v1/metrics': () => import('./metrics.ts'),
  'GET /v1/workspace': () => import('./workspace.ts'),
  'GET /v1/doctor': () => import('./doctor.ts'),

  'GET /v1/board': () => import('./board.ts'),
  'GET /v1/releases': () => import('./releases_list.ts'),
  'POST /v1/releases': () => import('./releases_register.ts'),
  'GET /v1/releases/{release_id}': () => import('./releases_show.ts'),

  'POST /v1/events': () => import('./events_ingest.ts'),
  'GET /v1/runs': () => import('./runs_list.ts'),
  'GET /v1/runs/export': () => import('./runs_export.ts'),
  'GET /v1/runs/series': () => import('./runs_series.ts'),
  'GET /v1/runs/worst': () => import('./runs_worst.ts'),
  'POST /v1/rollups/rebuild': () => import('./rollups_rebuild.ts'),

  'POST /v1/diff': () => import('./diff.ts'),
  'GET /v1/confidence': () => import('./confidence.ts'),

  'POST /v1/promote': () => import('./promote.ts'),
  'POST /v1/promote/request': () => import('./promote_request.ts'),
  'POST /v1/promote/confirm': () => import('./promote_confirm.ts'),
  'POST /v1/promote/cancel': () => import('./promote_cancel.ts'),
  'POST /v1/rollback': () => import('./rollback.ts'),
  'GET /v1/promoted': () => import('./promoted.ts'),
  'GET /v1/promotion-requests': () => import('./promotion_requests.ts'),
  'GET /v1/actions': () => import('./actions_list.ts'),
  'GET /v1/actions/{action_id}': () => import('./actions_show.ts'),

  'GET /v1/webhooks': () => import('./webhooks_list.ts'),
  'POST /v1/webhooks': () => import('./webhooks_add.ts'),
  'DELETE /v1/webhooks/{webhook_id}': () => import('./webhooks_remove.ts'),
  'POST /v1/webhooks/{webhook_id}/test': () => import('./webhooks_test.ts'),
  'GET /v1/webhooks/{webhook_id}/deliveries': () => import('./webhooks_deliveries.ts'),
  'GET /v1/webhook-deliveries': () => import('./deliveries_list.ts'),
  'POST /v1/webhook-deliveries/{delivery_id}/replay': () => import('./deliveries_replay.ts'),

  'GET /v1/policy': () => import('./policy_show.ts'),
  'PUT /v1/policy': () => import('./policy_set.ts'),
  'GET /v1/pricing': () => import('./pricing_list.ts'),
  'POST /v1/pricing': () => import('./pricing_import.ts'),
  'GET /v1/pricing/{provider}/{pricing_version}': () => import('./pricing_show.ts'),
})

/** The compiler checks that each file is the handler of the route it is listed under. */
function listed<const T extends { readonly [R in keyof T]: () => Promise<{ default: Endpoint<R & Route> }> }>(
  table: T,
): T {
  return table
}

export type RouteName = keyof typeof routes
