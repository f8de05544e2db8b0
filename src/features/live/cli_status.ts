import type { StatusLine } from '../../cli/arguments/command.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import { quoted } from '../../cli/terminal/text.ts'

/** Live releases whose own newest runs break a limit, for `svc status`. */
export async function statusLines(api: Api): Promise<StatusLine[]> {
  const { live } = await callJson(api, 'GET /v1/live', { query: {} })
  return live.flatMap(({ agent_id, environment, version, broken }) =>
    broken.map(({ text }) => ({
      kind: 'wrong' as const,
      agent_id,
      environment,
      text: `${version} is live: ${text}`,
      command: `svc release history --agent ${quoted(agent_id)} --env ${quoted(environment)}`,
    })),
  )
}
