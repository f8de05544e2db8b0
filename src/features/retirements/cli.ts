import type { CommandSpec } from '../../cli/arguments/command.ts'
import { OUTPUT, TARGET } from '../../cli/arguments/options.ts'

const REASON = {
  flags: '--reason <TEXT>',
  description: 'Why, such as where the provider says so; kept in the audit log',
  required: true,
  mayBeEmpty: true,
} as const
const MODEL = '<PROVIDER> <MODEL>'

/** `svc models …` */
export const RETIREMENTS_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'models retirements',
    summary: 'List live releases whose models a provider retires soon, fallbacks included',
    options: [
      { flags: '--days <N>', description: 'Within N days (default 90)', number: 'whole' },
      { flags: '--all', description: 'Also list every model whose date is known' },
      { flags: '--fail', description: 'Exit 1 if a live release is listed' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc models retirements --days 30',
    load: async () => (await import('./cli_retirements.ts')).list,
  },
  {
    name: 'models retirements set',
    args: `${MODEL} <DAY>`,
    summary: 'Set the date on which a provider retires a model; it overrides price lists',
    options: [REASON, OUTPUT, ...TARGET],
    example: 'svc models retirements set openai gpt-4.1-mini 2026-10-01 --reason "their deprecations page"',
    load: async () => (await import('./cli_retirements.ts')).set,
  },
  {
    name: 'models retirements clear',
    args: MODEL,
    summary: 'Remove a date that was set by hand; price lists apply again',
    options: [REASON, OUTPUT, ...TARGET],
    example: 'svc models retirements clear openai gpt-4.1-mini --reason "postponed"',
    load: async () => (await import('./cli_retirements.ts')).clear,
  },
]
