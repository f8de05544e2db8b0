import { badRequest } from '../../base/errors.ts'
import { count, minuteText } from '../../base/text.ts'
import type { PlaceAnswer } from '../../models/deploys/place.ts'
import { STATE_WORDS, rowText } from '../../rules/place.ts'
import type { Invocation } from '../arguments/command.ts'
import { type WayBack, backText, wayBack } from '../release/way_back.ts'
import { type Api, callJson } from '../service/api.ts'
import { type Io, painter } from '../terminal/io.ts'
import { type Column, table } from '../terminal/table.ts'
import { indented, pretty, quoted, safe } from '../terminal/text.ts'

/** Prints the answer for each environment of an agent, or for one. Returns 0 whatever it says. */
export async function showPlaces({ args, options, io, api }: Invocation): Promise<number> {
  const agent_id = args[0]!
  const agent = options.text('agent')
  if (agent !== undefined && agent !== agent_id) {
    throw badRequest(`The agent is named twice: ${agent_id}, and ${agent} by --agent. Name one.`)
  }
  const opened = await api()
  const env = options.text('env')
  const board = env === undefined ? (await callJson(opened, 'GET /v1/board')).board : []
  const environments =
    env === undefined
      ? board.filter(entry => entry.agent_id === agent_id).map(({ environment }) => environment)
      : [env]
  if (environments.length === 0) {
    const mend = board.some(({ environment }) => environment === agent_id)
      ? `It is an environment: \`svc status --env ${quoted(agent_id)}\` shows it.`
      : '`svc release list` lists what is registered.'
    throw badRequest(`Nothing is registered or promoted for ${agent_id}. ${mend}`)
  }
  const places = await Promise.all(
    environments.map(environment =>
      callJson(opened, 'GET /v1/places/{agent_id}/{environment}', { path: { agent_id, environment } }),
    ),
  )
  if (options.json) io.out(pretty({ places }))
  else {
    const texts = places.map(async place => placeText(place, await backFrom(opened, place), io))
    io.out((await Promise.all(texts)).join('\n'))
  }
  return 0
}

/** How the live release is rolled back; undefined where nothing was live before it. */
async function backFrom(
  api: Api,
  { agent_id, environment, live, allowed }: PlaceAnswer,
): Promise<WayBack | undefined> {
  if (live === null || live.before === null) return undefined
  return wayBack(api, { agent_id, environment, live: live.release_id, before: live.before, allowed })
}

const TONES = { worse: 'red', blocked: 'red', no_price: 'red', can_promote: 'green' } as const

const ROWS: readonly Column<PlaceAnswer['rows'][number]>[] = [
  { heading: 'limit', cell: row => row.policy_key, whole: true },
  { heading: 'outcome', cell: row => row.outcome, whole: true },
  { heading: 'found', cell: rowText },
]

function placeText(place: PlaceAnswer, back: WayBack | undefined, io: Io): string {
  const { agent_id, environment, state, headline, live, candidate, allowed, rows, warnings } = place
  const env = `--env ${quoted(environment)}`
  const tone = (TONES as Readonly<Record<string, 'red' | 'green'>>)[state] ?? 'yellow'
  const room = io.outColumns === undefined ? undefined : io.outColumns - 2
  const promote =
    allowed.promote === null || candidate === null
      ? []
      : [
          `svc release ${allowed.promote === 'now' ? 'promote' : 'promote-request'} ${candidate.release_id} ${env}` +
            ` --window ${place.window ?? '24h'} --reason WHY`,
        ]
  const confirm = allowed.confirm === null ? [] : [`svc release approve ${allowed.confirm} --reason WHY`]
  return [
    `${safe(agent_id)} in ${safe(environment)}: ${painter(io)(tone, STATE_WORDS[state])}\n`,
    `  ${safe(headline)}\n`,
    ...(live === null ? [] : [`  ${safe(liveText(live))}\n`, ...notChecked(live)]),
    rows.length === 0 ? '' : indented(table(ROWS, rows, { ...io, outColumns: room })),
    ...warnings.map(text => `  warning: ${safe(text)}\n`),
    ...[...confirm, ...promote].map(command => `  ${safe(command)}\n`),
    ...(back === undefined ? [] : backText(back)),
  ].join('')
}

function notChecked({ not_checked }: NonNullable<PlaceAnswer['live']>): string[] {
  return not_checked.length === 0
    ? []
    : ['  not checked:\n', ...not_checked.map(text => `    - ${safe(text)}\n`)]
}

function liveText({
  version,
  release_id,
  since,
  by,
  runs_last_hour,
}: NonNullable<PlaceAnswer['live']>): string {
  const when = since === null ? '' : ` since ${minuteText(since)} UTC`
  const who = by === null ? '' : ` by ${by}`
  return `live: ${version ?? release_id}${when}${who}, ${count(runs_last_hour)} runs in the last hour`
}
