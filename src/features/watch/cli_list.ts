import { badRequest } from '../../base/errors.ts'
import { minuteText } from '../../base/text.ts'
import type { Board } from '../../models/answers/board.ts'
import type { Watch } from './models.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import type { Invocation, StatusLine } from '../../cli/arguments/command.ts'
import { pretty, safe } from '../../cli/terminal/text.ts'

/** Ends what an id names: a promotion request, or a watch. */
export async function cancel(invocation: Invocation): Promise<number> {
  const { args, options, io, api } = invocation
  const id = args[0]!
  if (id.startsWith('prq_')) {
    return (await import('../../cli/approvals/approvals.ts')).promoteCancel(invocation)
  }
  if (!id.startsWith('wch_'))
    throw badRequest(`${safe(id)} names no watch (wch_…) and no promotion request (prq_…).`)
  const ended = await callJson(await api(), 'POST /v1/watches/{watch_id}/cancel', {
    path: { watch_id: id },
    body: { reason: options.required('reason') },
  })
  io.out(options.json ? pretty(ended) : `${ended.watch_id} ended\n`)
  return 0
}

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
