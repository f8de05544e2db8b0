import type { ActionRecord } from '../../models/answers/action.ts'
import { RESULT_WORDS } from '../../rules/result.ts'
import { placeText } from './promoted.ts'
import { pagesOf } from '../service/pages.ts'
import type { Invocation } from '../arguments/command.ts'
import { type Column, listing, timeColumn } from '../terminal/table.ts'
import { painter } from '../terminal/io.ts'
import { pretty } from '../terminal/text.ts'

const COLUMNS: readonly Column<ActionRecord>[] = [
  { heading: 'seq', cell: row => row.audit_seq, whole: true, right: true, rank: 0 },
  timeColumn('when', row => row.created_at, { rank: 1 }),
  { heading: 'action', cell: row => row.action, rank: 2 },
  { heading: 'result', cell: ({ result }) => RESULT_WORDS[result], rank: 3 },
  { heading: 'release', cell: row => row.release_id, whole: true, rank: 4 },
  { heading: 'agent', cell: row => row.agent_id, rank: 6 },
  { heading: 'env', cell: row => row.environment, rank: 5 },
  { heading: 'baseline', cell: row => row.baseline_release_id, whole: true, rank: 10 },
  { heading: 'actor', cell: row => row.actor, rank: 8 },
  { heading: 'reason', cell: row => row.reason, rank: 7 },
  {
    heading: 'policy',
    cell: row => (row.policy_passed ? null : row.policy_reasons.join('; ')),
    rank: 9,
  },
]

/** Prints matching actions, newest first, all of them unless --limit says how many: the trail has no end. */
export async function history({ options, io, api }: Invocation): Promise<number> {
  const limit = options.number('limit')
  const filter = {
    agent: options.text('agent'),
    env: options.text('env'),
    evidence: options.json ? 'true' : undefined,
  }
  const actions: ActionRecord[] = []
  const paint = painter(io)
  const forcedInRed = ({ result }: ActionRecord, line: string): string =>
    result === 'forced' ? paint('red', line) : line
  let found = 0
  const pages = pagesOf(await api(), 'GET /v1/actions', filter, limit)
  for await (const { actions: page } of pages) {
    found += page.length
    if (options.json || io.outIsTty) actions.push(...page)
    else io.out(listing(COLUMNS, page, io))
  }
  io.out(options.json ? pretty({ actions }) : listing(COLUMNS, actions, io, forcedInRed))
  if (found === 0 && !options.json)
    io.err(`svc: no actions${placeText(filter)} yet; promote a release with \`svc release promote\`\n`)
  return 0
}
