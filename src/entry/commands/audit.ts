import { LOG_KINDS } from '../../models/names.ts'
import type { CommandSpec } from '../../cli/arguments/command.ts'
import { LIMIT, OUTPUT, TARGET } from '../../cli/arguments/options.ts'

/** `svc audit …` */
export const AUDIT_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'audit log',
    summary: 'The audit log, newest first: decisions, policies, price tables and all else that governs',
    task: 'Ask why',
    options: [
      { flags: '--kind <KIND>', description: 'Only entries of this kind', values: LOG_KINDS },
      { ...LIMIT, description: 'The newest N (default all)' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc audit log --kind policy.set',
    load: async () => (await import('../../cli/audit/log.ts')).log,
  },
]
