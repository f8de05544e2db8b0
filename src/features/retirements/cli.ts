import { ANSWER } from '../../cli/arguments/options.ts'
import { type OptionTable, commands, reason, whole } from '../../cli/arguments/records.ts'

const REASON: OptionTable = {
  '--reason <TEXT>': reason('Why, such as where the provider says so; kept in the audit log'),
}

/** `svc models …` */
export const COMMANDS = commands({
  'models retirements': {
    summary: 'List live releases whose models a provider retires soon, fallbacks included',
    options: {
      '--days <N>': whole('Within N days (default 90)'),
      '--all': 'Also list every model whose date is known',
      '--fail': 'Exit 1 if a live release is listed',
      ...ANSWER,
    },
    example: 'svc models retirements --days 30',
    load: async () => (await import('./cli_retirements.ts')).list,
  },
  'models retirements set <PROVIDER> <MODEL> <DAY>': {
    summary: 'Set the date on which a provider retires a model; it overrides price lists',
    options: { ...REASON, ...ANSWER },
    example: 'svc models retirements set openai gpt-4.1-mini 2026-10-01 --reason "their deprecations page"',
    load: async () => (await import('./cli_retirements.ts')).set,
  },
  'models retirements clear <PROVIDER> <MODEL>': {
    summary: 'Remove a date that was set by hand; price lists apply again',
    options: { ...REASON, ...ANSWER },
    example: 'svc models retirements clear openai gpt-4.1-mini --reason "postponed"',
    load: async () => (await import('./cli_retirements.ts')).clear,
  },
})
