import type { Retirement, RetiringRelease, SaidRetirement } from './models.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { callJson, goodJson, warningsIn } from '../../cli/service/api.ts'
import { type Column, listing, table } from '../../cli/terminal/table.ts'
import { warn } from '../../cli/terminal/io.ts'
import { pretty, safe } from '../../cli/terminal/text.ts'
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
    run: list,
  },
  'models retirements set <PROVIDER> <MODEL> <DAY>': {
    summary: 'Set the date on which a provider retires a model; it overrides price lists',
    options: { ...REASON, ...ANSWER },
    example: 'svc models retirements set openai gpt-4.1-mini 2026-10-01 --reason "their deprecations page"',
    run: set,
  },
  'models retirements clear <PROVIDER> <MODEL>': {
    summary: 'Remove a date that was set by hand; price lists apply again',
    options: { ...REASON, ...ANSWER },
    example: 'svc models retirements clear openai gpt-4.1-mini --reason "postponed"',
    run: clear,
  },
})

async function list({ options, io, api }: Invocation): Promise<number> {
  const query = { days: options.number('days'), all: options.flag('all') }
  const answer = await callJson(await api(), 'GET /v1/retirements', { query })
  const { live, models } = answer
  if (options.json) io.out(pretty(answer))
  else {
    io.out(listing(LIVE, live, io))
    if (models.length > 0) io.out(`\n${table(ENDS, models, io)}`)
    if (live.length === 0) io.err('svc: no model of a live release is known to end in that time\n')
  }
  return options.flag('fail') === true && live.length > 0 ? 1 : 0
}

function set(invocation: Invocation): Promise<number> {
  return say(invocation, invocation.args[2]!)
}

function clear(invocation: Invocation): Promise<number> {
  return say(invocation, null)
}

async function say({ args, options, io, api }: Invocation, retires_on: string | null): Promise<number> {
  const [provider, model] = args
  const answer = await (
    await api()
  ).send('POST /v1/retirements', {
    body: { provider, model, retires_on, reason: options.required('reason') },
  })
  const said = goodJson<SaidRetirement>(answer)
  warn(warningsIn(answer), io)
  const until = said.retires_on === null ? 'no date is set by hand' : `retires on ${said.retires_on}`
  io.out(options.json ? pretty(said) : `${safe(said.provider)}/${safe(said.model)}: ${until}\n`)
  if (said.reused === true) io.err('svc: that was set before; nothing was written\n')
  return 0
}
