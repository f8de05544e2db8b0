import { listAll } from '../service/run.ts'
import { timeColumn } from '../terminal/table.ts'
import { LOG_FAMILIES, LOG_KINDS } from '../../models/names.ts'
import { LISTED } from '../arguments/options.ts'
import { among, commands, whole } from '../arguments/records.ts'

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
    run: listAll(
      'GET /v1/audit',
      'entries',
      [
        { heading: 'seq', cell: row => row.log_seq, whole: true, right: true, rank: 0 },
        timeColumn('when', row => row.created_at, { rank: 1 }),
        { heading: 'kind', cell: row => row.kind, whole: true, rank: 2 },
        { heading: 'subject', cell: row => row.subject, whole: true, rank: 3 },
        { heading: 'actor', cell: row => row.actor, rank: 4 },
        { heading: 'reason', cell: row => row.reason, rank: 5 },
        { heading: 'details', cell: row => detailsText(row.details), rank: 6 },
      ],
      { empty: () => 'no such entries yet' },
    ),
  },
})

function detailsText(details: object): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(' ')
}
