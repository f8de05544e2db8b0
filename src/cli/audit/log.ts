import type { AuditEntry } from '../../models/answers/audit.ts'
import type { Invocation } from '../arguments/command.ts'
import { pagesOf } from '../service/pages.ts'
import { type Column, listing, timeColumn } from '../terminal/table.ts'
import { pretty } from '../terminal/text.ts'
import { LOG_FAMILIES, LOG_KINDS } from '../../models/names.ts'
import { LISTED } from '../arguments/options.ts'
import { among, commands, whole } from '../arguments/records.ts'

const COLUMNS: readonly Column<AuditEntry>[] = [
  { heading: 'seq', cell: row => row.log_seq, whole: true, right: true, rank: 0 },
  timeColumn('when', row => row.created_at, { rank: 1 }),
  { heading: 'kind', cell: row => row.kind, whole: true, rank: 2 },
  { heading: 'subject', cell: row => row.subject, whole: true, rank: 3 },
  { heading: 'actor', cell: row => row.actor, rank: 4 },
  { heading: 'reason', cell: row => row.reason, rank: 5 },
  { heading: 'details', cell: row => detailsText(row.details), rank: 6 },
]

const FILTERS = ['kind', 'agent', 'env', 'actor', 'since', 'until'] as const

/** `svc audit …` */
export const COMMANDS = commands({
  'audit log': {
    summary: 'List the audit log, newest first: decisions, policies, prices, tokens and other changes',
    task: 'Ask why',
    options: {
      '--kind <KIND>': among(
        [...LOG_KINDS, ...LOG_FAMILIES],
        'Only entries of this kind, or of all kinds with this prefix, such as policy',
      ),
      '--agent <AGENT_ID>': 'Only entries about this agent',
      '--env <ENV>': 'Only entries about this environment',
      '--actor <NAME>': 'Only entries by this actor',
      '--since <TIME>': 'Only entries since then: an ISO-8601 date and time',
      '--until <TIME>': 'Only entries before then: an ISO-8601 date and time',
      '--limit <N>': whole('The newest N (default all)'),
      ...LISTED,
    },
    example: 'svc audit log --kind policy.set',
    run: log,
  },
})

/** Prints the audit log, newest first, all of it unless --limit says how much. */
async function log({ options, io, api }: Invocation): Promise<number> {
  const query = Object.fromEntries(FILTERS.map(name => [name, options.text(name)]))
  const entries: AuditEntry[] = []
  let found = 0
  for await (const page of pagesOf(await api(), 'GET /v1/audit', query, options.number('limit'))) {
    found += page.entries.length
    if (options.json || io.outIsTty) entries.push(...page.entries)
    else io.out(listing(COLUMNS, page.entries, io))
  }
  io.out(options.json ? pretty({ entries }) : listing(COLUMNS, entries, io))
  if (found === 0 && !options.json) io.err('svc: no such entries yet\n')
  return 0
}

function detailsText(details: object): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(' ')
}
