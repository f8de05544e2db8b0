import type { RouteName } from '../../../handlers/index.ts'
import { eventOf } from '../services/builders.ts'
import { NOON } from '../services/service.ts'
import { LATEST } from './latest.ts'

interface RolloutStep {
  readonly route: RouteName
  readonly path?: Record<string, string>
  readonly query?: Record<string, string | number>
  readonly body?: Readonly<Record<string, unknown>>
  readonly to?: 'approving'
  readonly record?: false
}

/** A release that is rolled out, begun at once and by request, for the story of every endpoint. */
export function rolloutSteps(live: string, release_id: string): readonly RolloutStep[] {
  const start = {
    release_id,
    environment: 'stage',
    steps: '50%:1h',
    max_duration: '30d',
    reason: 'a better answer to refunds',
    actor: 'ann',
  }
  const path = { rollout_id: LATEST }
  const unknown = { rollout_id: 'rol_unknown' }
  const byBea = { request_id: LATEST, actor: 'bea' }
  const first = { release_id: live, environment: 'stage', window: '7d', reason: 'the first', actor: 'ann' }
  const policy = { policy_id: 'rollouts', max_latency_increase_pct: 0.2 }
  return [
    { route: 'POST /v1/promote', body: first, record: false },
    { route: 'POST /v1/events', body: { events: runsOf(live) }, record: false },
    { route: 'PUT /v1/policy', body: policy, record: false },
    { route: 'POST /v1/rollouts', body: start },
    { route: 'POST /v1/rollouts', body: { ...start, release_id: 'rel_unknown' } },
    { route: 'GET /v1/rollouts', query: { env: 'stage' } },
    { route: 'GET /v1/rollouts/{rollout_id}', path },
    { route: 'GET /v1/rollouts/{rollout_id}', path: unknown },
    { route: 'POST /v1/rollouts/{rollout_id}/pause', path, body: { reason: 'a holiday', actor: 'ann' } },
    { route: 'POST /v1/rollouts/{rollout_id}/resume', path, body: { reason: 'all are back', actor: 'ann' } },
    {
      route: 'POST /v1/rollouts/{rollout_id}/abort',
      path,
      body: { reason: 'a better one comes', actor: 'ann' },
    },
    { route: 'POST /v1/rollouts/{rollout_id}/abort', path, body: { reason: 'again', actor: 'ann' } },
    { route: 'POST /v1/rollouts/request', to: 'approving', body: start },
    { route: 'GET /v1/rollout-requests', to: 'approving', query: { status: 'pending' } },
    { route: 'POST /v1/rollouts/reject', to: 'approving', body: { ...byBea, reason: 'not on a Friday' } },
    { route: 'POST /v1/rollouts/request', to: 'approving', body: { ...start, release_id: 'rel_unknown' } },
    { route: 'POST /v1/rollouts/request', to: 'approving', body: start },
    {
      route: 'POST /v1/rollouts/confirm',
      to: 'approving',
      body: { ...byBea, approval_reason: 'looks good' },
    },
    { route: 'POST /v1/rollouts/{rollout_id}/abort', path, body: { reason: 'the story ends', actor: 'ann' } },
  ]
}

/** Traffic of a day, by which the steps are planned. */
function runsOf(release_id: string) {
  return Array.from({ length: 480 }, (_, index) =>
    eventOf({
      release_id,
      run_id: `stage-${index}`,
      at: NOON - (index + 1) * 180_000,
      agent_id: 'support-bot',
      environment: 'stage',
      provider: 'openai',
      model: 'gpt-4.1',
    }),
  )
}
