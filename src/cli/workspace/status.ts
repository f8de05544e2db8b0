import { ServiceError } from '../../base/errors.ts'
import { minuteText } from '../../base/text.ts'
import type { BoardEntry } from '../../models/answers/board.ts'
import { type LiveEntry, nothingText } from '../release/promoted.ts'
import type { Invocation, StatusLine, StatusPart } from '../arguments/command.ts'
import { type Api, callJson } from '../service/api.ts'
import { type Io, painter } from '../terminal/io.ts'
import { type Column, table } from '../terminal/table.ts'
import { counted, indented, pretty, quoted, safe } from '../terminal/text.ts'

/** Most lines of a part, so that all of it fits on one screen. */
const MOST = 10

const LIVE: readonly Column<LiveEntry>[] = [
  { heading: 'agent', cell: row => row.agent_id },
  { heading: 'env', cell: row => row.environment },
  { heading: 'version', cell: row => row.version },
  {
    heading: 'since (UTC)',
    cell: row => (row.promoted_at === null ? null : minuteText(row.promoted_at)),
    whole: true,
  },
  { heading: 'by', cell: row => row.promoted_by },
]

/** Prints what is live, what waits for somebody and what is wrong. Returns 0 whatever it finds: it is a look, not a check. */
export function statusOf(parts: readonly StatusPart[]): (invocation: Invocation) => Promise<number> {
  return async function status(invocation) {
    const { args, options, io, api } = invocation
    if (args.length > 0) return (await import('./place.ts')).showPlaces(invocation)
    const opened = await api()
    const [agent, env] = [options.text('agent'), options.text('env')]
    const isWanted = (place: {
      readonly agent_id: string | null
      readonly environment: string | null
    }): boolean =>
      (agent === undefined || place.agent_id === agent) && (env === undefined || place.environment === env)
    const all = (await callJson(opened, 'GET /v1/board')).board
    const board = all.filter(isWanted)
    const live = board.flatMap(({ agent_id, environment, promoted }) =>
      promoted === null ? [] : [{ agent_id, environment, ...promoted }],
    )
    const lines = [
      ...[...(await requestLines(opened)), ...(await partLines(parts, opened, board))].filter(isWanted),
      ...board.flatMap(boardLines),
      // What concerns the whole ledger concerns each place.
      ...(await doctorLines(opened)),
    ]
    const [waits, wrong] = (['waits', 'wrong'] as const).map(kind =>
      lines.filter(line => line.kind === kind).map(({ kind: _kind, ...line }) => line),
    ) as [StatusFinding[], StatusFinding[]]
    const none = nothingText({ agent, env }, all)
    io.out(options.json ? pretty({ live, waits, wrong }) : statusText({ live, waits, wrong, none }, io))
    return 0
  }
}

type StatusFinding = Omit<StatusLine, 'kind'>

/** Says what was looked at: a rise below the limits is only seen by a watch. */
const NOTHING_FOUND =
  'Nothing found in decisions, watches, rollouts, prices, the checks of the ledger and the newest runs of live releases.\n' +
  '  Runs are judged by the limits on cost, latency and errors; `svc release watch` compares them with the release before.'

async function partLines(
  parts: readonly StatusPart[],
  api: Api,
  board: readonly BoardEntry[],
): Promise<StatusLine[]> {
  const found = await Promise.all(parts.map(async load => (await load())(api, [...board])))
  return found.flat()
}

async function requestLines(api: Api): Promise<StatusLine[]> {
  const { requests } = await callJson(api, 'GET /v1/promotion-requests', {
    query: { status: 'pending', limit: 500 },
  })
  return requests.map(({ agent_id, environment, request_id, release_id, actor }) => ({
    kind: 'waits',
    agent_id,
    environment,
    text: `${actor} requested the promotion of ${release_id}; somebody has to confirm or reject it`,
    command: `svc release approve ${request_id} --reason WHY`,
  }))
}

function boardLines({
  agent_id,
  environment,
  promoted,
  last_action: last,
  newest_release: newest,
  concerns,
}: BoardEntry): StatusLine[] {
  const line = (text: string, command: string): StatusLine => ({
    kind: 'wrong',
    agent_id,
    environment,
    text,
    command,
  })
  const isRefused = last?.result === 'blocked' || last?.result === 'not_yet'
  return [
    ...(promoted?.unusable === undefined
      ? []
      : [line(`no decision on the live release is possible: ${promoted.unusable.because}`, 'svc doctor')]),
    ...(isRefused
      ? [
          line(
            `the last ${last.action} (${last.release_id}) ${last.result === 'blocked' ? 'was blocked' : 'has not passed yet'}: ${last.policy_reasons[0] ?? 'see the audit trail'}`,
            `svc audit explain ${last.action_id}`,
          ),
        ]
      : concerns
          .filter(({ kind }) => kind === 'blocked')
          .map(({ reason }) => line(reason, `svc status ${quoted(agent_id)} --env ${quoted(environment)}`))),
    ...(last?.result === 'forced' && last.reviewed !== true
      ? [
          line(
            `the last ${last.action} was forced by ${last.actor}, and nobody has reviewed it`,
            `svc audit review ${last.action_id} --reason WHY`,
          ),
        ]
      : []),
    ...(newest?.unpriced === true
      ? [
          line(
            `${newest.version} has no price table, so its cost can't be compared`,
            'svc pricing import PATH',
          ),
        ]
      : []),
  ]
}

async function doctorLines(api: Api): Promise<StatusLine[]> {
  const line = (text: string): StatusLine => ({
    kind: 'wrong',
    agent_id: null,
    environment: null,
    text,
    command: 'svc doctor',
  })
  const found = await whereAllowed(callJson(api, 'GET /v1/doctor'))
  return found === undefined
    ? [
        line(
          'the checks of the ledger were not read: they take a token that is not limited to agents or environments',
        ),
      ]
    : found.checks
        .filter(({ ok, warning }) => !ok || warning === true)
        .map(({ name, detail }) => line(`${name}: ${detail}`))
}

/** Returns undefined in place of a 403: a token for some agents or environments may not read what is of all. */
async function whereAllowed<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ServiceError && error.status === 403) return undefined
    throw error
  }
}

function statusText(
  {
    live,
    waits,
    wrong,
    none: nothingIs,
  }: {
    live: readonly LiveEntry[]
    waits: readonly StatusFinding[]
    wrong: readonly StatusFinding[]
    /** What is said where nothing is live. */
    none: string
  },
  io: Io,
): string {
  const paint = painter(io)
  const room = io.outColumns === undefined ? undefined : io.outColumns - 2
  return [
    `${paint('bold', 'Live')}\n`,
    live.length === 0
      ? `  ${nothingIs.charAt(0).toUpperCase()}${nothingIs.slice(1)}\n`
      : indented(table(LIVE, live.slice(0, MOST), { ...io, outColumns: room })),
    more(live.length, 'svc release promoted'),
    ...(
      [
        ['Waits', waits, 'yellow', 'Nothing is pending.'],
        ['Wrong', wrong, 'red', NOTHING_FOUND],
      ] as const
    ).flatMap(([heading, lines, colour, none]) => [
      `\n${lines.length === 0 ? paint('bold', heading) : paint(colour, heading)}\n`,
      ...(lines.length === 0 ? [`  ${none}\n`] : lines.slice(0, MOST).map(lineText)),
      more(lines.length, 'svc status --output json'),
    ]),
  ].join('')
}

function lineText({ agent_id, environment, text, command }: StatusFinding): string {
  const place = agent_id === null ? '' : `${safe(agent_id)} in ${safe(environment ?? '')}: `
  return `  ${place}${safe(text)}\n    ${safe(command)}\n`
}

function more(length: number, command: string): string {
  return length <= MOST ? '' : `  and ${counted(length - MOST, 'more line')}: ${command}\n`
}
