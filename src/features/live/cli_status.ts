import type { StatusLine, StatusPart } from '../../cli/arguments/command.ts'
import { wayBack } from '../../cli/release/way_back.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import { quoted } from '../../cli/terminal/text.ts'
import type { LivePlace } from './models.ts'

/** As many places as the service judges at once. */
const MOST = 500

/** Most places whose rollback is tried: more lines are not shown. */
const MOST_TRIED = 10

type Board = Parameters<Awaited<ReturnType<StatusPart>>>[1]

/** Live releases whose newest runs break a limit, that get none or of which another model answers, for `svc status`; the command that mends it; and that not all were checked, where that is so. */
export async function statusLines(api: Api, board: Board): Promise<StatusLine[]> {
  const { live, truncated } = await callJson(api, 'GET /v1/live', { query: { limit: MOST } })
  const lines: StatusLine[] = []
  let tried = 0
  for (const { agent_id, environment, release_id, version, ...found } of live) {
    const add = (text: string, command: string): void => {
      lines.push({ kind: 'wrong', agent_id, environment, text: `${version} is live: ${text}`, command })
    }
    const place = `--agent ${quoted(agent_id)} --env ${quoted(environment)}`
    const { broken, silence, other_model, state, runs_last_day } = found
    if (broken.length > 0) {
      const { command, blocked } =
        tried++ < MOST_TRIED
          ? await backFrom(api, board, { ...found, agent_id, environment, release_id })
          : { command: `svc status ${quoted(agent_id)} --env ${quoted(environment)}`, blocked: null }
      for (const { text } of broken) add(text, command)
      if (blocked !== null) add(`a rollback is blocked: ${blocked}`, command)
    }
    if (silence !== null) {
      add(silence.text, `svc runs list ${release_id} --window 24h --env ${quoted(environment)}`)
    }
    if (other_model !== null) add(other_model.text, `svc release capabilities ${release_id}`)
    if (state === 'no_limits' && runs_last_day > 0) {
      const text = 'the policy limits neither cost, latency nor errors, so no run was judged'
      add(text, `svc policy advise ${place}`)
    }
  }
  if (!truncated) return lines
  const text = `the runs of ${MOST} live releases were checked; there are more`
  return [
    ...lines,
    { kind: 'wrong', agent_id: null, environment: null, text, command: 'svc release promoted' },
  ]
}

type Place = Pick<LivePlace, 'agent_id' | 'environment' | 'release_id' | 'previous_release_id'>

function backFrom(api: Api, board: Board, { release_id, previous_release_id, ...of }: Place) {
  const entry = board.find(
    ({ agent_id, environment }) => agent_id === of.agent_id && environment === of.environment,
  )
  const allowed = entry?.place.allowed ?? { rollback_to: null, force_rollback: false }
  const before = allowed.rollback_to ?? previous_release_id
  return wayBack(api, { ...of, live: release_id, before, allowed })
}
