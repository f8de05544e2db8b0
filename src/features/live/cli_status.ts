import type { StatusLine } from '../../cli/arguments/command.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import { rollbackCommand } from '../../cli/service/commands.ts'
import { quoted } from '../../cli/terminal/text.ts'

/** As many places as the service judges at once. */
const MOST = 500

/** Live releases whose newest runs break a limit, that get none or of which another model answers, for `svc status`; the command that mends it; and that not all were checked, where that is so. */
export async function statusLines(api: Api): Promise<StatusLine[]> {
  const { live, truncated } = await callJson(api, 'GET /v1/live', { query: { limit: MOST } })
  const wrong = live.flatMap(
    ({ agent_id, environment, release_id, version, previous_release_id, ...found }) => {
      const { broken, silence, other_model, state, runs_last_day } = found
      const line = (text: string, command: string): StatusLine => {
        return { kind: 'wrong', agent_id, environment, text: `${version} is live: ${text}`, command }
      }
      const place = `--agent ${quoted(agent_id)} --env ${quoted(environment)}`
      const mend =
        previous_release_id === null
          ? `svc release history ${place}`
          : rollbackCommand(previous_release_id, environment)
      return [
        ...broken.map(({ text }) => line(text, mend)),
        ...(silence === null
          ? []
          : [line(silence.text, `svc runs list ${release_id} --window 24h --env ${quoted(environment)}`)]),
        ...(other_model === null ? [] : [line(other_model.text, `svc release capabilities ${release_id}`)]),
        ...(state === 'no_limits' && runs_last_day > 0
          ? [
              line(
                'the policy limits neither cost, latency nor errors, so no run was judged',
                `svc policy advise ${place}`,
              ),
            ]
          : []),
      ]
    },
  )
  if (!truncated) return wrong
  const text = `the runs of ${MOST} live releases were checked; there are more`
  return [
    ...wrong,
    { kind: 'wrong', agent_id: null, environment: null, text, command: 'svc release promoted' },
  ]
}
