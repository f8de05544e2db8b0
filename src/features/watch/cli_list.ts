import { badRequest } from '../../base/errors.ts'
import { minuteText } from '../../base/text.ts'
import type { Board } from '../../models/answers/board.ts'
import type { Watch } from './models.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import type { Invocation, StatusLine } from '../../cli/arguments/command.ts'
import { type Column, listing, timeColumn } from '../../cli/terminal/table.ts'
import { pretty, safe } from '../../cli/terminal/text.ts'

const COLUMNS: readonly Column<Watch>[] = [
  { heading: 'watch', cell: row => row.watch_id, whole: true, rank: 0 },
  { heading: 'state', cell: row => row.state, whole: true, rank: 1 },
  { heading: 'agent', cell: row => row.agent_id, rank: 4 },
  { heading: 'env', cell: row => row.environment, rank: 3 },
  { heading: 'release', cell: row => row.release_id, whole: true, rank: 2 },
  { heading: 'baseline', cell: row => row.baseline_release_id, whole: true, rank: 7 },
  timeColumn('since', row => row.started_at, { rank: 6 }),
  { heading: 'checks', cell: row => row.checks, right: true, rank: 8 },
  { heading: 'because', cell: row => row.ended_because, rank: 5 },
]

/** As many as the service gives at once. */
const MOST = 500

/** Prints watches, newest first. */
export async function watches({ options, io, api }: Invocation): Promise<number> {
  const query = {
    agent: options.text('agent'),
    env: options.text('env'),
    state: options.text('state'),
    limit: MOST,
  }
  const { watches: found } = await callJson(await api(), 'GET /v1/watches', { query })
  io.out(options.json ? pretty({ watches: found }) : listing(COLUMNS, found, io))
  if (found.length === 0 && !options.json) io.err('svc: no watches; `svc release watch` begins one\n')
  if (found.length === MOST) io.err(`svc: these are the newest ${MOST}; older ones are not shown\n`)
  return 0
}

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
