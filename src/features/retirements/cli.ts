import type { Retirement, RetiringRelease, SaidRetirement } from './models.ts'
import { call } from '../../cli/service/run.ts'
import { type Column, listing, table } from '../../cli/terminal/table.ts'
import { safe } from '../../cli/terminal/text.ts'
import { ANSWER } from '../../cli/arguments/options.ts'
import { type OptionTable, commands, reason, whole } from '../../cli/arguments/records.ts'

const REASON: OptionTable = {
  '--reason <TEXT>': reason('Why, such as where the provider says so; kept in the audit log'),
}

const ENDS: readonly Column<Retirement>[] = [
  { heading: 'provider', cell: row => row.provider },
  { heading: 'model', cell: row => row.model },
  { heading: 'retires on', cell: row => row.retires_on, whole: true },
  { heading: 'days left', cell: row => row.days_left, right: true },
  { heading: 'source', cell: row => row.source, rank: 9 },
]

const LIVE: readonly Column<RetiringRelease>[] = [
  { heading: 'agent', cell: row => row.agent_id },
  { heading: 'environment', cell: row => row.environment },
  { heading: 'release', cell: row => row.release_id, whole: true },
  { heading: 'role', cell: row => row.role },
  ...(ENDS as readonly Column<RetiringRelease>[]),
]

/** How a date that was set, or removed, is printed. */
const SAYS = {
  warns: true,
  text: ({ provider, model, retires_on }: SaidRetirement): string =>
    `${safe(provider)}/${safe(model)}: ${retires_on === null ? 'no date is set by hand' : `retires on ${retires_on}`}\n`,
  note: ({ reused }: SaidRetirement) =>
    reused === true ? 'that was set before; nothing was written' : undefined,
} as const

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
    run: call('GET /v1/retirements', {
      as: { fail: null },
      text: ({ live, models }, { io }) =>
        listing(LIVE, live, io) + (models.length === 0 ? '' : `\n${table(ENDS, models, io)}`),
      note: ({ live }, { options }) =>
        options.json || live.length > 0
          ? undefined
          : 'no model of a live release is known to end in that time',
      exits: ({ live }, { options }) => (options.given('fail') && live.length > 0 ? 1 : 0),
    }),
  },
  'models retirements set <PROVIDER> <MODEL> <DAY>': {
    summary: 'Set the date on which a provider retires a model; it overrides price lists',
    options: { ...REASON, ...ANSWER },
    example: 'svc models retirements set openai gpt-4.1-mini 2026-10-01 --reason "their deprecations page"',
    run: call('POST /v1/retirements', { args: ['provider', 'model', 'retires_on'], ...SAYS }),
  },
  'models retirements clear <PROVIDER> <MODEL>': {
    summary: 'Remove a date that was set by hand; price lists apply again',
    options: { ...REASON, ...ANSWER },
    example: 'svc models retirements clear openai gpt-4.1-mini --reason "postponed"',
    run: call('POST /v1/retirements', {
      args: ['provider', 'model'],
      takes: () => ({ retires_on: null }),
      ...SAYS,
    }),
  },
})
