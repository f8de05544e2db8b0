import { similarNames } from '../../base/text.ts'
import type { BoardEntry } from '../../models/answers/board.ts'
import { callJson } from '../service/api.ts'
import type { Invocation, PlaceNote, PromotedPart } from '../arguments/command.ts'
import { type Column, listing, timeColumn } from '../terminal/table.ts'
import { painter } from '../terminal/io.ts'
import { pretty, safe } from '../terminal/text.ts'

export type LiveEntry = Pick<BoardEntry, 'agent_id' | 'environment'> & NonNullable<BoardEntry['promoted']>

const COLUMNS: readonly Column<LiveEntry>[] = [
  { heading: 'agent', cell: row => row.agent_id },
  { heading: 'env', cell: row => row.environment },
  { heading: 'release', cell: row => row.release_id, whole: true },
  { heading: 'version', cell: row => row.version },
  timeColumn('since', row => row.promoted_at),
  { heading: 'actor', cell: row => row.promoted_by, rank: 6 },
  { heading: 'action', cell: row => row.action_id, whole: true, rank: 7 },
  { heading: 'reason', cell: row => (row.forced === true ? `FORCED: ${row.reason}` : row.reason), rank: 5 },
]

/**
 * Prints what is live: one line per agent and environment that something is promoted in. What features say of a place
 * goes to stderr, so that programs still read a line per place.
 */
export function promotedOf(parts: readonly PromotedPart[]): (invocation: Invocation) => Promise<number> {
  return async function promoted({ options, io, api }) {
    const opened = await api()
    const [agent, env] = [options.text('agent'), options.text('env')]
    const isWanted = (place: Pick<PlaceNote, 'agent_id' | 'environment'>): boolean =>
      (agent === undefined || place.agent_id === agent) && (env === undefined || place.environment === env)
    const { board } = await callJson(opened, 'GET /v1/board')
    const live = board
      .filter(isWanted)
      .flatMap(({ agent_id, environment, promoted: pointer }) =>
        pointer === null ? [] : [{ agent_id, environment, ...pointer }],
      )
    if (options.json) {
      io.out(pretty({ promoted: live }))
      return 0
    }
    const paint = painter(io)
    io.out(listing(COLUMNS, live, io, (row, line) => (row.forced === true ? paint('red', line) : line)))
    if (live.length === 0) io.err(`svc: ${nothingText({ agent, env }, board)}\n`)
    const notes = await Promise.all(parts.map(async load => (await load())(opened)))
    for (const { agent_id, environment, text } of notes.flat().filter(isWanted)) {
      io.err(`svc: ${safe(agent_id)} in ${safe(environment)}: ${safe(text)}\n`)
    }
    return 0
  }
}

/** Most names that are said to have something live. */
const MOST_NAMED = 5

/** That nothing is promoted where somebody looks, and where something is: a slip of a name is no empty ledger. */
export function nothingText(narrowed: Narrowed, board: readonly BoardEntry[]): string {
  const { agent, env } = narrowed
  const live = board.filter(({ promoted: pointer }) => pointer !== null)
  const ofAgent = live.filter(({ agent_id }) => agent_id === agent)
  const [where, typed, names] =
    agent !== undefined && ofAgent.length === 0
      ? ['of', agent, live.map(({ agent_id }) => agent_id)]
      : ['in', env ?? '', (agent === undefined ? live : ofAgent).map(({ environment }) => environment)]
  const known = [...new Set([...similarNames(typed, new Set(names), 1), ...names.toSorted()])]
  const more = known.length > MOST_NAMED ? ` and ${known.length - MOST_NAMED} more` : ''
  const mend =
    known.length === 0
      ? '`svc release promote` makes one live'
      : `the live release is ${where} ${known.slice(0, MOST_NAMED).join(', ')}${more}`
  return `no release${placeText(narrowed)} is live; ${safe(mend)}`
}

interface Narrowed {
  readonly agent?: string | undefined
  readonly env?: string | undefined
}

/** What a list was narrowed to: ` of support-bot in prod`, or nothing. */
export function placeText({ agent, env }: Narrowed): string {
  return safe([agent === undefined ? '' : ` of ${agent}`, env === undefined ? '' : ` in ${env}`].join(''))
}
