import type { ActionRecord } from '../../models/answers/action.ts'
import { type Api, callJson } from '../service/api.ts'
import type { Invocation } from '../arguments/command.ts'
import { type Column, listing, timeColumn } from '../terminal/table.ts'
import { pretty } from '../terminal/text.ts'

const COLUMNS: readonly Column<ActionRecord>[] = [
  { heading: 'seq', cell: row => row.audit_seq, whole: true, right: true, rank: 0 },
  timeColumn('when', row => row.created_at, { rank: 1 }),
  { heading: 'action', cell: row => row.action, rank: 2 },
  { heading: 'result', cell: row => (row.policy_passed ? 'passed' : 'blocked'), rank: 3 },
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
  let found = 0
  for await (const page of pagesOf(await api(), filter, limit)) {
    found += page.length
    if (options.json || io.outIsTty) actions.push(...page)
    else io.out(listing(COLUMNS, page, io))
  }
  io.out(options.json ? pretty({ actions }) : listing(COLUMNS, actions, io))
  if (found === 0 && !options.json)
    io.err('svc: no actions yet; promote a release with `svc release promote`\n')
  return 0
}

/** As many as the service gives at once. */
const PAGE = 500

async function* pagesOf(
  api: Api,
  filter: Record<string, string | undefined>,
  limit = Infinity,
): AsyncGenerator<ActionRecord[]> {
  let [left, after] = [limit, undefined as number | undefined]
  do {
    const page = await callJson<{ actions: ActionRecord[]; next_after: number | null }>(
      api,
      'GET /v1/actions',
      { query: { ...filter, limit: Math.min(PAGE, left), after } },
    )
    yield page.actions
    left -= page.actions.length
    after = page.next_after ?? undefined
  } while (after !== undefined && left > 0)
}
