// Generated from handlers by `npm run generate`, and never edited.

/** Every route of the service. */
export type Route = GetRoute | keyof typeof ROUTES

type GetRoute =
  | 'GET /v1/board'
  | 'GET /v1/confidence'
  | 'GET /v1/promoted'
  | 'GET /v1/promotion-requests'
  | 'GET /v1/actions'
  | 'GET /v1/actions/{action_id}'
  | 'GET /v1/gate/{agent_id}/{environment}'
  | 'GET /v1/gate/{agent_id}/{environment}/report'
  | 'GET /v1/pointers/{agent_id}/{environment}'
  | 'GET /v1/releases'
  | 'GET /v1/releases/{release_id}'
  | 'GET /v1/releases/{release_id}/files'
  | 'GET /v1/releases/{release_id}/models'
  | 'GET /v1/runs'
  | 'GET /v1/runs/export'
  | 'GET /v1/runs/find'
  | 'GET /v1/runs/series'
  | 'GET /v1/runs/worst'
  | 'GET /v1/scores'
  | 'GET /v1/policy'
  | 'GET /v1/policy/resolved'
  | 'GET /v1/policy/advice'
  | 'GET /v1/policy/history'
  | 'GET /v1/policy/diff'
  | 'GET /v1/pricing'
  | 'GET /v1/pricing/history'
  | 'GET /v1/pricing/{provider}/{pricing_version}'
  | 'GET /v1/watches'
  | 'GET /v1/watches/{watch_id}'
  | 'GET /v1/audit'
  | 'GET /v1/audit/checkpoint'
  | 'GET /v1/audit/consistency'
  | 'GET /v1/actions/{action_id}/proof'
  | 'GET /v1/actions/{action_id}/attestation'
  | 'GET /v1/actions/{action_id}/explain'
  | 'GET /v1/webhooks'
  | 'GET /v1/webhooks/{webhook_id}/deliveries'
  | 'GET /v1/webhook-deliveries'
  | 'GET /v1/tokens'
  | 'GET /health'
  | 'GET /ready'
  | 'GET /metrics'
  | 'GET /docs'
  | 'GET /openapi.json'
  | 'GET /v1/metrics'
  | 'GET /v1/workspace'
  | 'GET /v1/doctor'

/** The routes that are no GET, with what a client has to know of them. */
export const ROUTES = {
  'POST /v1/diff': { readsOnly: true },
  'POST /v1/diff/groups': { readsOnly: true },
  'POST /v1/promote': { recordsActor: true, idempotent: true },
  'POST /v1/promote/request': { recordsActor: true, idempotent: true },
  'POST /v1/promote/confirm': { recordsActor: true, idempotent: true },
  'POST /v1/promote/reject': { recordsActor: true },
  'POST /v1/promote/cancel': { recordsActor: true },
  'POST /v1/rollback': { recordsActor: true, idempotent: true },
  'POST /v1/gate/{agent_id}/{environment}': { readsOnly: true },
  'POST /ofrep/v1/evaluate/flags': { readsOnly: true },
  'POST /ofrep/v1/evaluate/flags/{key}': { readsOnly: true },
  'POST /v1/releases': { recordsActor: true },
  'POST /v1/events': { repeatable: true },
  'POST /v1/traces': { repeatable: true },
  'POST /v1/scores': { recordsActor: true },
  'POST /v1/rollups/rebuild': { repeatable: true },
  'POST /v1/policy/test': { readsOnly: true },
  'PUT /v1/policy': { recordsActor: true },
  'POST /v1/pricing': { recordsActor: true },
  'POST /v1/watches': { recordsActor: true },
  'POST /v1/watches/{watch_id}/cancel': { recordsActor: true },
  'POST /v1/actions/{action_id}/explain': { readsOnly: true },
  'POST /v1/webhooks': { recordsActor: true },
  'PATCH /v1/webhooks/{webhook_id}': { recordsActor: true },
  'POST /v1/webhooks/{webhook_id}/rotate': { recordsActor: true },
  'DELETE /v1/webhooks/{webhook_id}': { recordsActor: true },
  'POST /v1/webhooks/{webhook_id}/test': { recordsActor: true },
  'POST /v1/webhook-deliveries/{delivery_id}/replay': { recordsActor: true },
  'POST /v1/tokens': { recordsActor: true },
  'POST /v1/tokens/{name}/rotate': { recordsActor: true },
  'DELETE /v1/tokens/{name}': { recordsActor: true },
} as const
