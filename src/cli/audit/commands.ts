import { LOG_KINDS } from '../../models/names.ts'
import type { CommandSpec } from '../arguments/command.ts'
import { LIMIT, OUTPUT, TARGET } from '../arguments/options.ts'

/** `svc audit …` */
export const AUDIT_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'audit explain',
    args: '<SEQ|ACTION_ID>',
    summary: 'Decide an action again from its evidence, limit by limit; exit 1 if the record says otherwise',
    options: [
      { flags: '--against <POLICY>', description: 'Decide by this policy (YAML or JSON) instead' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc audit explain 17 --against policy.yaml',
    load: async () => (await import('./explain.ts')).explain,
  },
  {
    name: 'audit log',
    summary: 'The audit log, newest first: decisions, policies, price tables and all else that governs',
    options: [
      { flags: '--kind <KIND>', description: 'Only entries of this kind', values: LOG_KINDS },
      { ...LIMIT, description: 'The newest N (default all)' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc audit log --kind policy.set',
    load: async () => (await import('./log.ts')).log,
  },
]
