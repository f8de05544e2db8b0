import type { Endpoint } from '../src/http/endpoint/endpoint.ts'
import type { GoodAnswer, Route } from '../src/http/endpoint/spec.ts'

/**
 * The API by tag: a folder per tag, a file per endpoint, loaded when it is first called. The router, the command
 * line and the OpenAPI description read this list, and there is no other.
 */
export const tags = {
  decisions: listed('Compare, promote, roll back.', {
    'POST /v1/diff': () => import('./decisions/diff.ts'),
    'POST /v1/diff/groups': () => import('./decisions/diff_groups.ts'),
    'GET /v1/confidence': () => import('./decisions/confidence.ts'),
    'POST /v1/promote': () => import('./decisions/promote.ts'),
    'POST /v1/promote/request': () => import('./decisions/request.ts'),
    'POST /v1/promote/confirm': () => import('./decisions/confirm.ts'),
    'POST /v1/promote/reject': () => import('./decisions/reject.ts'),
    'POST /v1/promote/cancel': () => import('./decisions/cancel.ts'),
    'POST /v1/rollback': () => import('./decisions/rollback.ts'),
    'GET /v1/promoted': () => import('./decisions/promoted.ts'),
    'GET /v1/promotion-requests': () => import('./decisions/requests.ts'),
    'GET /v1/actions': () => import('./decisions/actions.ts'),
    'GET /v1/actions/{action_id}': () => import('./decisions/action.ts'),
    'GET /v1/acknowledgements': () => import('./decisions/acknowledgements.ts'),
    'POST /v1/acknowledgements': () => import('./decisions/acknowledge.ts'),
  }),
  deploys: listed('Gate deploys, and read what is live.', {
    'GET /v1/gate/{agent_id}/{environment}': () => import('./deploys/gate.ts'),
    'POST /v1/gate/{agent_id}/{environment}': () => import('./deploys/gate_hook.ts'),
    'GET /v1/gate/{agent_id}/{environment}/report': () => import('./deploys/gate_report.ts'),
    'GET /v1/board': () => import('./deploys/board.ts'),
    'GET /v1/places/{agent_id}/{environment}': () => import('./deploys/place.ts'),
    'GET /v1/live': () => import('./deploys/live.ts'),
    'GET /v1/pointers/{agent_id}/{environment}': () => import('./deploys/pointer.ts'),
    'POST /ofrep/v1/evaluate/flags': () => import('./deploys/flags.ts'),
    'POST /ofrep/v1/evaluate/flags/{key}': () => import('./deploys/flag.ts'),
  }),
  releases: listed('Register and look up releases.', {
    'GET /v1/releases': () => import('./releases/list.ts'),
    'POST /v1/releases': () => import('./releases/register.ts'),
    'GET /v1/releases/{release_id}': () => import('./releases/show.ts'),
    'GET /v1/releases/{release_id}/files': () => import('./releases/files.ts'),
    'GET /v1/releases/{release_id}/capabilities': () => import('./releases/capabilities.ts'),
    'GET /v1/releases/{release_id}/models': () => import('./releases/models.ts'),
  }),
  runs: listed('Send run events and look them up.', {
    'POST /v1/events': () => import('./runs/ingest.ts'),
    'POST /v1/traces': () => import('./runs/traces.ts'),
    'GET /v1/runs': () => import('./runs/list.ts'),
    'GET /v1/runs/export': () => import('./runs/export.ts'),
    'GET /v1/runs/find': () => import('./runs/find.ts'),
    'GET /v1/runs/series': () => import('./runs/series.ts'),
    'GET /v1/runs/worst': () => import('./runs/worst.ts'),
    'GET /v1/scores': () => import('./runs/scores.ts'),
    'POST /v1/scores': () => import('./runs/import_scores.ts'),
    'POST /v1/scores/cases': () => import('./runs/receive_cases.ts'),
    'POST /v1/scores/diff': () => import('./runs/diff_scores.ts'),
    'GET /v1/scores/suites': () => import('./runs/suites.ts'),
    'GET /v1/scores/suites/{suite}': () => import('./runs/suite.ts'),
    'POST /v1/rollups/rebuild': () => import('./runs/rebuild.ts'),
  }),
  aggregates: listed('Take aggregates from a warehouse.', {
    'POST /v1/aggregates': () => import('./aggregates/import.ts'),
    'GET /v1/aggregates/sources': () => import('./aggregates/sources.ts'),
  }),
  rules: listed('The policy and the price tables.', {
    'GET /v1/policy': () => import('./rules/policy.ts'),
    'POST /v1/policy/test': () => import('./rules/test_policy.ts'),
    'GET /v1/policy/resolved': () => import('./rules/resolved_policy.ts'),
    'GET /v1/policy/advice': () => import('./rules/advice.ts'),
    'PUT /v1/policy': () => import('./rules/set_policy.ts'),
    'GET /v1/pricing': () => import('./rules/prices.ts'),
    'POST /v1/pricing': () => import('./rules/import_prices.ts'),
    'GET /v1/pricing/{provider}/{pricing_version}': () => import('./rules/price_table.ts'),
  }),
  models: listed('When models end.', {
    'GET /v1/retirements': () => import('./models/retirements.ts'),
    'POST /v1/retirements': () => import('./models/set_retirement.ts'),
  }),
  rollouts: listed('Roll a release out step by step.', {
    'GET /v1/rollouts': () => import('./rollouts/list.ts'),
    'POST /v1/rollouts': () => import('./rollouts/start.ts'),
    'POST /v1/rollouts/request': () => import('./rollouts/request.ts'),
    'POST /v1/rollouts/confirm': () => import('./rollouts/confirm.ts'),
    'POST /v1/rollouts/reject': () => import('./rollouts/reject.ts'),
    'GET /v1/rollout-requests': () => import('./rollouts/requests.ts'),
    'GET /v1/rollouts/{rollout_id}': () => import('./rollouts/show.ts'),
    'POST /v1/rollouts/{rollout_id}/pause': () => import('./rollouts/pause.ts'),
    'POST /v1/rollouts/{rollout_id}/resume': () => import('./rollouts/resume.ts'),
    'POST /v1/rollouts/{rollout_id}/abort': () => import('./rollouts/abort.ts'),
  }),
  watches: listed('Watch what is live.', {
    'GET /v1/watches': () => import('./watches/list.ts'),
    'POST /v1/watches': () => import('./watches/start.ts'),
    'GET /v1/watches/{watch_id}': () => import('./watches/show.ts'),
    'POST /v1/watches/{watch_id}/cancel': () => import('./watches/cancel.ts'),
  }),
  audit: listed('Who changed what, and why decisions came out as they did.', {
    'GET /v1/audit': () => import('./audit/log.ts'),
    'GET /v1/stream': () => import('./audit/stream.ts'),
    'GET /v1/audit/checkpoint': () => import('./audit/checkpoint.ts'),
    'GET /v1/audit/consistency': () => import('./audit/consistency.ts'),
    'POST /v1/actions/{action_id}/review': () => import('./audit/review.ts'),
    'GET /v1/actions/{action_id}/proof': () => import('./audit/proof.ts'),
    'GET /v1/actions/{action_id}/attestation': () => import('./audit/attestation.ts'),
    'GET /v1/actions/{action_id}/explain': () => import('./audit/explain.ts'),
    'POST /v1/actions/{action_id}/explain': () => import('./audit/explain_against.ts'),
  }),
  webhooks: listed('Announce decisions.', {
    'GET /v1/webhooks': () => import('./webhooks/list.ts'),
    'POST /v1/webhooks': () => import('./webhooks/add.ts'),
    'PATCH /v1/webhooks/{webhook_id}': () => import('./webhooks/update.ts'),
    'POST /v1/webhooks/{webhook_id}/rotate': () => import('./webhooks/rotate.ts'),
    'DELETE /v1/webhooks/{webhook_id}': () => import('./webhooks/remove.ts'),
    'POST /v1/webhooks/{webhook_id}/test': () => import('./webhooks/ping.ts'),
    'GET /v1/webhooks/{webhook_id}/deliveries': () => import('./webhooks/deliveries_of.ts'),
    'GET /v1/webhook-deliveries': () => import('./webhooks/deliveries.ts'),
    'POST /v1/webhook-deliveries/{delivery_id}/replay': () => import('./webhooks/replay.ts'),
  }),
  tokens: listed('Named tokens, with a role and limits.', {
    'GET /v1/tokens': () => import('./tokens/list.ts'),
    'POST /v1/tokens': () => import('./tokens/create.ts'),
    'POST /v1/tokens/{name}/rotate': () => import('./tokens/rotate.ts'),
    'DELETE /v1/tokens/{name}': () => import('./tokens/revoke.ts'),
  }),
  sessions: listed('Sign in, and sessions of people.', {
    'GET /v1/session': () => import('./sessions/whoami.ts'),
    'DELETE /v1/session': () => import('./sessions/sign_out.ts'),
    'GET /v1/sessions': () => import('./sessions/list.ts'),
    'POST /v1/sessions': () => import('./sessions/open.ts'),
    'DELETE /v1/sessions/{session_id}': () => import('./sessions/revoke.ts'),
    'GET /v1/sign-in/{provider}': () => import('./sessions/begin.ts'),
    'GET /v1/sign-in/{provider}/callback': () => import('./sessions/callback.ts'),
  }),
  operation: listed('Health, metrics, checks.', {
    'GET /health': () => import('./operation/health.ts'),
    'GET /ready': () => import('./operation/ready.ts'),
    'GET /metrics': () => import('./operation/prometheus.ts'),
    'GET /docs': () => import('./operation/docs.ts'),
    'GET /openapi.json': () => import('./operation/openapi.ts'),
    'GET /v1/metrics': () => import('./operation/metrics.ts'),
    'GET /v1/workspace': () => import('./operation/workspace.ts'),
    'GET /v1/doctor': () => import('./operation/doctor.ts'),
  }),
} as const

/** The compiler checks that each file is the handler of the route it is listed under. */
function listed<const T extends { readonly [R in keyof T]: () => Promise<{ default: Endpoint<R & Route> }> }>(
  description: string,
  routes: T,
): { readonly description: string; readonly routes: T } {
  return { description, routes }
}

export const routes = {
  ...tags.decisions.routes,
  ...tags.deploys.routes,
  ...tags.releases.routes,
  ...tags.runs.routes,
  ...tags.aggregates.routes,
  ...tags.rules.routes,
  ...tags.models.routes,
  ...tags.rollouts.routes,
  ...tags.watches.routes,
  ...tags.audit.routes,
  ...tags.webhooks.routes,
  ...tags.tokens.routes,
  ...tags.sessions.routes,
  ...tags.operation.routes,
}

export type RouteName = keyof typeof routes

/** What a route answers where all went well. */
export type RouteAnswer<R extends RouteName> =
  Awaited<ReturnType<(typeof routes)[R]>>['default'] extends Endpoint<Route, infer A> ? GoodAnswer<A> : never
