import type { StatusPart } from '../../cli/arguments/command.ts'

/** What `svc status` says of live releases. */
export const LIVE_COMMANDS: readonly StatusPart[] = [
  { adds: 'status', load: async () => (await import('./cli_status.ts')).statusLines },
]
