import { ANSWER, LISTED } from '../../cli/arguments/options.ts'
import { type OptionTable, commands, many, required } from '../../cli/arguments/records.ts'
import { oneOf } from '../../base/text.ts'
import { ROLES } from '../../models/names.ts'

const EXPIRES: OptionTable = { '--expires <AGE>': 'How long it is valid: 90d, 24h, 30m' }

/** `svc token …` */
export const COMMANDS = commands({
  'token create <NAME>': {
    summary: 'Make a named token for the HTTP API, and print it, this once',
    task: 'Run the service',
    options: {
      '--role <ROLE>': required(oneOf(ROLES), { values: ROLES }),
      '--agent <AGENT>': many('Only for this agent; repeatable'),
      '--env <ENV>': many('Only for this environment; repeatable'),
      '--source <SOURCE>': 'With the role ingest: only for aggregates of this source',
      ...EXPIRES,
      '--yes': "Don't ask before the first token, which closes the service to everybody without one",
      ...ANSWER,
    },
    example: 'svc token create ci-deploy --role write --agent support-bot --env prod --expires 90d',
    load: async () => (await import('./cli_token.ts')).create,
  },
  'token list': {
    summary: 'List named tokens, also ended ones',
    lists: 'token',
    options: LISTED,
    example: 'svc token list',
    load: async () => (await import('./cli_token.ts')).list,
  },
  'token rotate <NAME>': {
    summary: 'Replace a named token and print the new one; the old one stays valid for a while',
    options: {
      '--overlap <AGE>': 'How long the old one stays valid (default 24h; 0m ends it now)',
      ...EXPIRES,
      ...ANSWER,
    },
    example: 'svc token rotate ci-deploy --overlap 1h',
    load: async () => (await import('./cli_token.ts')).rotate,
  },
  'token revoke <NAME>': {
    summary: 'Revoke a named token now',
    options: ANSWER,
    example: 'svc token revoke ci-deploy',
    load: async () => (await import('./cli_token.ts')).revoke,
  },
})
