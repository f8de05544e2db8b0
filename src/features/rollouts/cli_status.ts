import { type Api, callJson } from '../../cli/service/api.ts'
import type { StatusLine } from '../../cli/arguments/command.ts'
import { shareText } from './rules_steps.ts'

/** Rollouts that run, are paused or wait for a confirmation, for `svc status`. */
export async function statusLines(api: Api): Promise<StatusLine[]> {
  const [running, paused, requested] = await Promise.all([
    callJson(api, 'GET /v1/rollouts', { query: { state: 'running', limit: 500 } }),
    callJson(api, 'GET /v1/rollouts', { query: { state: 'paused', limit: 500 } }),
    callJson(api, 'GET /v1/rollout-requests', { query: { status: 'pending', limit: 500 } }),
  ])
  return [
    ...[...running.rollouts, ...paused.rollouts].map((rollout): StatusLine => {
      const { agent_id, environment, rollout_id, candidate_release_id, state, because, share } = rollout
      const where = `step ${rollout.step + 1} of ${rollout.steps.length}, ${shareText(share ?? 0)}`
      return {
        kind: state === 'paused' ? 'wrong' : 'waits',
        agent_id,
        environment,
        text:
          state === 'paused'
            ? `the rollout of ${candidate_release_id} is paused at ${where}: ${because ?? 'no reason was given'}`
            : `${candidate_release_id} is being rolled out: ${where}`,
        command: `svc release rollout show ${rollout_id}`,
      }
    }),
    ...requested.requests.map(({ agent_id, environment, request_id, candidate_release_id, actor }) => ({
      kind: 'waits' as const,
      agent_id,
      environment,
      text: `${actor} requested a rollout of ${candidate_release_id}; somebody has to confirm or reject it`,
      command: `svc release rollout confirm ${request_id}`,
    })),
  ]
}
