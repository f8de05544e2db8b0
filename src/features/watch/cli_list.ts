import { badRequest } from '../../base/errors.ts'
import { minuteText } from '../../base/text.ts'
import type { Board } from '../../models/answers/board.ts'
import type { Watch } from './models.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import type { Invocation, StatusLine } from '../../cli/arguments/command.ts'
import { call } from '../../cli/service/run.ts'
import { safe } from '../../cli/terminal/text.ts'

/** Ends what an id names: a promotion request, or a watch. */
export async function cancel(invocation: Invocation): Promise<number> {
  const id = invocation.args[0]!
  if (id.startsWith('prq_')) {
    return (await import('../../cli/approvals/approvals.ts')).promoteCancel(invocation)
  }
  if (!id.startsWith('wch_'))
    throw badRequest(`${safe(id)} names no watch (wch_…) and no promotion request (prq_…).`)
  return cancelWatch(invocation)
}

const cancelWatch = call('POST /v1/watches/{watch_id}/cancel', {
  text: ({ watch_id }) => `${watch_id} ended\n`,
})

/** Watches that run, and what they found of a release that is still live, for `svc status`. */
export async function statusLines(api: Api, board: Board['board']): Promise<StatusLine[]> {
  const [running, regressed] = await Promise.all([
    callJson(api, 'GET /v1/watches', { query: { state: 'watching', limit: 500 } }),
    callJson(api, 'GET /v1/watches', { query: { state: 'regressed', limit: 500 } }),
  ])
  // By the decision, not by times: a watch that a promotion begins starts a moment before its action is recorded.
  const isLive = (watch: Watch) =>
    board.some(
      ({ agent_id, environment, promoted }) =>
        agent_id === watch.agent_id &&
        environment === watch.environment &&
        promoted?.release_id === watch.release_id &&
        (promoted.action_id ?? watch.action_id) === watch.action_id,
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
