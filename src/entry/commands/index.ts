import type { CommandSpec } from '../../cli/arguments/command.ts'
import { OUTPUT } from '../../cli/arguments/options.ts'
import { MCP_COMMANDS } from '../../features/mcp/cli.ts'
import { AUDIT_COMMANDS } from './audit.ts'
import { PROFILE_COMMANDS } from '../../features/profiles/cli_commands.ts'
import { RELEASE_COMMANDS } from './release.ts'
import { RULES_COMMANDS } from './rules.ts'
import { RUNS_COMMANDS } from './runs.ts'
import { SCORES_COMMANDS } from '../../features/scores/cli.ts'
import { TOKEN_COMMANDS } from '../../features/tokens/cli.ts'
import { WEBHOOK_COMMANDS } from './webhook.ts'
import { WATCH_COMMANDS } from '../../features/watch/cli.ts'
import { RETENTION_COMMANDS } from '../../features/retention/cli_commands.ts'
import { UPKEEP_COMMANDS, WORKSPACE_COMMANDS } from './workspace.ts'

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
    load: async () => (await import('../../cli/arguments/version.ts')).version,
  },
  {
    name: 'completion',
    args: '<SHELL>',
    summary: 'Print a script that completes commands and options in bash, zsh or fish',
    example: 'source <(svc completion bash)',
    load: async () => (await import('../../cli/arguments/completion.ts')).completion,
  },
]
