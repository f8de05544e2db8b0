import type { CommandSpec } from '../arguments/command.ts'

/** Commands that keep a ledger from growing for ever. */
export const RETENTION_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'ledger compact',
    summary: 'Rewrite run events of version 0.1.0 to a third of their size, also while the service runs',
    example: 'svc ledger compact',
    load: async () => (await import('./compact.ts')).compact,
  },
]
