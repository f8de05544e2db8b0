import { oneOf } from '../../base/text.ts'
import { ROLES } from '../../models/names.ts'
import type { CommandSpec, OptionSpec } from '../../cli/arguments/command.ts'
import { HEADER, OUTPUT, TARGET } from '../../cli/arguments/options.ts'

const EXPIRES: OptionSpec = {
  flags: '--expires <AGE>',
  description: 'How long it is valid: 90d, 24h, 30m',
}

/** `svc token …` */
export const TOKEN_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'token create',
    args: '<NAME>',
    summary: 'Make a named token for the HTTP API, and print it, this once',
    task: 'Run the service',
    options: [
      { flags: '--role <ROLE>', description: oneOf(ROLES), values: ROLES, required: true },
      {
        flags: '--agent <AGENT>',
        description: 'Only for this agent; repeatable',
        many: true,
      },
      {
        flags: '--env <ENV>',
        description: 'Only for this environment; repeatable',
        many: true,
      },
      {
        flags: '--source <SOURCE>',
        description: 'With the role ingest: only for aggregates of this source',
      },
      EXPIRES,
      {
        flags: '--yes',
        description: "Don't ask before the first token, which closes the service to everybody without one",
      },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc token create ci-deploy --role write --agent support-bot --env prod --expires 90d',
    load: async () => (await import('./cli_token.ts')).create,
  },
  {
    name: 'token list',
    summary: 'List named tokens, also ended ones',
    lists: 'token',
    options: [HEADER, OUTPUT, ...TARGET],
    example: 'svc token list',
    load: async () => (await import('./cli_token.ts')).list,
  },
  {
    name: 'token rotate',
    args: '<NAME>',
    summary: 'Replace a named token and print the new one; the old one stays valid for a while',
    options: [
      {
        flags: '--overlap <AGE>',
        description: 'How long the old one stays valid (default 24h; 0m ends it now)',
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
    summary: 'Revoke a named token now',
    options: [OUTPUT, ...TARGET],
    example: 'svc token revoke ci-deploy',
    load: async () => (await import('./cli_token.ts')).revoke,
  },
]
