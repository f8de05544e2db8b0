import type { StatusLine } from '../../cli/arguments/command.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import { rollbackCommand } from '../../cli/service/commands.ts'
import { quoted } from '../../cli/terminal/text.ts'

/** As many places as the service judges at once. */
const MOST = 500

/** Live releases whose newest runs break a limit, for `svc status`; the command that rolls it back; and that not all were looked at, where that is so. */
export async function statusLines(api: Api): Promise<StatusLine[]> {
  const { live, truncated } = await callJson(api, 'GET /v1/live', { query: { limit: MOST } })
  const broken = live.flatMap(({ agent_id, environment, version, previous_release_id, broken: limits }) =>
    limits.map(({ text }) => ({
      kind: 'wrong' as const,
      agent_id,
      environment,
      text: `${version} is live: ${text}`,
      command:
        previous_release_id === null
          ? `svc release history --agent ${quoted(agent_id)} --env ${quoted(environment)}`
          : rollbackCommand(previous_release_id, environment),
    })),
  )
  if (!truncated) return broken
  const text = `the runs of ${MOST} live releases were checked; there are more`
  return [
    ...broken,
    { kind: 'wrong', agent_id: null, environment: null, text, command: 'svc release promoted' },
  ]
}
