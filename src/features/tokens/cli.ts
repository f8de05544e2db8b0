import { oneOf } from '../../base/text.ts'
import { ROLES } from '../../models/names.ts'
import type { CommandSpec, OptionSpec } from '../../cli/arguments/command.ts'
import { HEADER, OUTPUT, TARGET } from '../../cli/arguments/options.ts'

const EXPIRES: OptionSpec = {
  flags: '--expires <AGE>',
  description: 'How long it is good for: 90d, 24h, 30m',
}

/** `svc token …` */
export const TOKEN_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'token create',
    args: '<NAME>',
    summary: 'Make a named credential for the HTTP API; prints it, this once',
    task: 'Run the service',
    options: [
      { flags: '--role <ROLE>', description: oneOf(ROLES), values: ROLES, required: true },
      {
        flags: '--agent <AGENT>',
        description: 'Good for this agent only; say it again for more',
        many: true,
      },
      {
        flags: '--env <ENV>',
        description: 'Good for this environment only; say it again for more',
        many: true,
      },
      {
        flags: '--source <SOURCE>',
        description: 'Of the role ingest: good for aggregates of this source alone',
      },
      EXPIRES,
      {
        flags: '--yes',
        description: 'Do not ask before the first token, from which on servers answer nobody without one',
      },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc token create ci-deploy --role write --agent support-bot --env prod --expires 90d',
    load: async () => (await import('./cli_token.ts')).create,
  },
  {
    name: 'token list',
    summary: 'List named credentials, also those that are over; tab-separated in a pipe',
    lists: 'token',
    options: [HEADER, OUTPUT, ...TARGET],
    example: 'svc token list',
    load: async () => (await import('./cli_token.ts')).list,
  },
  {
    name: 'token rotate',
    args: '<NAME>',
    summary: 'Replace a named credential; prints the new one, and the one before stays good for a while',
    options: [
      {
        flags: '--overlap <AGE>',
        description: 'How long the one before stays good (default 24h; 0m ends it now)',
      },
      EXPIRES,
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc token rotate ci-deploy --overlap 1h',
    load: async () => (await import('./cli_token.ts')).rotate,
  },
  {
    name: 'token revoke',
    args: '<NAME>',
    summary: 'End a named credential now',
    options: [OUTPUT, ...TARGET],
    example: 'svc token revoke ci-deploy',
    load: async () => (await import('./cli_token.ts')).revoke,
  },
]
