import type { Board } from '../../models/answers/board.ts'
import { minuteText } from '../../base/text.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import type { StatusLine } from '../../cli/arguments/command.ts'

/** Watches that run, and what they found of a release that is still live, for `svc status`. */
export async function statusLines(api: Api, board: Board['board']): Promise<StatusLine[]> {
  const [running, regressed] = await Promise.all([
    callJson(api, 'GET /v1/watches', { query: { state: 'watching', limit: 500 } }),
    callJson(api, 'GET /v1/watches', { query: { state: 'regressed', limit: 500 } }),
  ])
  const isLive = (watch: { agent_id: string; environment: string; release_id: string; started_at: string }) =>
    board.some(
      ({ agent_id, environment, promoted }) =>
        agent_id === watch.agent_id &&
        environment === watch.environment &&
        promoted?.release_id === watch.release_id &&
        (promoted.promoted_at ?? '') <= watch.started_at,
    )
  return [
    ...running.watches.map(({ agent_id, environment, release_id, ends_at }) => ({
      kind: 'waits' as const,
      agent_id,
      environment,
      text: `${release_id} is watched until ${minuteText(ends_at)} UTC`,
      command: 'svc release watches',
    })),
    ...regressed.watches.filter(isLive).map(({ agent_id, environment, release_id, ended_because }) => ({
      kind: 'wrong' as const,
      agent_id,
      environment,
      text: `${release_id} is live and regressed: ${ended_because ?? 'see the watch'}`,
      command: 'svc release watches --state regressed',
    })),
  ]
}
