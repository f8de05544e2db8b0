import type { Board } from '../../models/answers/board.ts'
import { callJson } from '../service/api.ts'
import type { Invocation } from '../arguments/command.ts'
import { listing, pretty, safe } from '../terminal/text.ts'

const HEADING = ['agent', 'environment', 'release', 'version', 'since', 'actor', 'action', 'reason']

/** Prints what is live: one line per agent and environment that something is promoted in. */
export async function promoted({ options, io, api }: Invocation): Promise<number> {
  const [agent, env] = [options.text('agent'), options.text('env')]
  const { board } = await callJson<Board>(await api(), 'GET /v1/board')
  const live = board
    .filter(entry => agent === undefined || entry.agent_id === agent)
    .filter(entry => env === undefined || entry.environment === env)
    .flatMap(({ agent_id, environment, promoted: pointer }) =>
      pointer === null ? [] : [{ agent_id, environment, ...pointer }],
    )
  if (options.json) {
    io.out(pretty({ promoted: live }))
    return 0
  }
  const rows = live.map(entry => [
    entry.agent_id,
    entry.environment,
    entry.release_id,
    entry.version,
    entry.promoted_at,
    entry.promoted_by,
    entry.action_id,
    entry.reason,
  ])
  io.out(listing(HEADING, rows, io))
  if (live.length === 0) {
    const scope = [agent === undefined ? '' : ` of ${agent}`, env === undefined ? '' : ` in ${env}`].join('')
    io.err(`svc: nothing${safe(scope)} is promoted; \`svc release promote\` does that\n`)
  }
  return 0
}
