import type { CommandSpec } from './arguments/command.ts'
import { OUTPUT } from './arguments/options.ts'
import { MCP_COMMANDS } from './mcp/commands.ts'
import { AUDIT_COMMANDS } from './audit/commands.ts'
import { PROFILE_COMMANDS } from './profile/commands.ts'
import { RELEASE_COMMANDS } from './release/commands.ts'
import { RULES_COMMANDS } from './rules/commands.ts'
import { RUNS_COMMANDS } from './runs/commands.ts'
import { SCORES_COMMANDS } from './scores/commands.ts'
import { TOKEN_COMMANDS } from './token/commands.ts'
import { WEBHOOK_COMMANDS } from './webhook/commands.ts'
import { WATCH_COMMANDS } from './watch/commands.ts'
import { RETENTION_COMMANDS } from './upkeep/commands.ts'
import { UPKEEP_COMMANDS, WORKSPACE_COMMANDS } from './workspace/commands.ts'

/** All commands, in the order of the help. Each loads its code when it is called. */
export const COMMANDS: readonly CommandSpec[] = [
  ...WORKSPACE_COMMANDS,
  ...RELEASE_COMMANDS,
  ...WATCH_COMMANDS,
  ...RULES_COMMANDS,
  ...AUDIT_COMMANDS,
  ...RUNS_COMMANDS,
  ...SCORES_COMMANDS,
  ...WEBHOOK_COMMANDS,
  ...TOKEN_COMMANDS,
  ...UPKEEP_COMMANDS,
  ...RETENTION_COMMANDS,
  ...MCP_COMMANDS,
  ...PROFILE_COMMANDS,
  {
    name: 'version',
    summary: 'Print the version, as svc --version does',
    options: [OUTPUT],
    example: 'svc version',
    load: async () => (await import('./arguments/version.ts')).version,
  },
  {
    name: 'completion',
    args: '<SHELL>',
    summary: 'Print a script that completes commands and options in bash, zsh or fish',
    example: 'source <(svc completion bash)',
    load: async () => (await import('./arguments/completion.ts')).completion,
  },
]
