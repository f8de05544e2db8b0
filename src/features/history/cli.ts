import type { CommandSpec } from '../../cli/arguments/command.ts'
import { LIMIT, OUTPUT, TARGET } from '../../cli/arguments/options.ts'

/** `svc policy history`, `policy diff` and `pricing history` */
export const HISTORY_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'pricing history',
    summary: 'Every import of price tables, newest first: who, when, why, and what it changed',
    options: [
      { flags: '--provider <P>', description: 'Only tables of this provider' },
      { flags: '--version <V>', description: 'Only tables of this version' },
      { ...LIMIT, description: 'The newest N (default all)' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc pricing history --provider openai',
    load: async () => (await import('./cli_history.ts')).prices,
  },
  {
    name: 'policy history',
    summary: 'Every policy that was set, newest first: who, when, why, and what it changed',
    options: [{ ...LIMIT, description: 'The newest N (default all)' }, OUTPUT, ...TARGET],
    example: 'svc policy history --limit 5',
    load: async () => (await import('./cli_history.ts')).policies,
  },
  {
    name: 'policy diff',
    args: '[ID@SEQ] [ID@SEQ]',
    summary:
      'What differs between two policies of the history; of the one in force and the one before unless named',
    options: [OUTPUT, ...TARGET],
    example: 'svc policy diff default@3 default@5',
    load: async () => (await import('./cli_history.ts')).diff,
  },
]
