import { LOG_FAMILIES, LOG_KINDS } from '../../models/names.ts'
import { LISTED } from '../../cli/arguments/options.ts'
import { among, commands, whole } from '../../cli/arguments/records.ts'
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
    load: async () => (await import('../../cli/audit/log.ts')).log,
  },
})
