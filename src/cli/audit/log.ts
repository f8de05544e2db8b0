import type { AuditEntry } from '../../models/answers/audit.ts'
import type { Invocation } from '../arguments/command.ts'
import { pagesOf } from '../service/pages.ts'
import { type Column, listing, timeColumn } from '../terminal/table.ts'
import { pretty } from '../terminal/text.ts'

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

/** Prints the audit log, newest first, all of it unless --limit says how much. */
export async function log({ options, io, api }: Invocation): Promise<number> {
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
