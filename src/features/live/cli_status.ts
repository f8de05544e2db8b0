import type { StatusLine } from '../../cli/arguments/command.ts'
import { type Api, goodJson } from '../../cli/service/api.ts'
import { quoted } from '../../cli/terminal/text.ts'
import type { LivePlaces } from './models.ts'

/** Live releases whose own newest runs break a limit, for `svc status`. */
export async function statusLines(api: Api): Promise<StatusLine[]> {
  const answer = await api.send('GET /v1/live', { query: {} })
  // A service of an older version has no such answer.
  if (answer.status === 404) return []
  const { live } = goodJson<LivePlaces>(answer)
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
