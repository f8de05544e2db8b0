import type { CreatedToken, TokenRecord } from '../../models/answers/token.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import { confirmed } from '../../cli/terminal/io.ts'
import { type Column, listing, timeColumn } from '../../cli/terminal/table.ts'
import { pretty, safe } from '../../cli/terminal/text.ts'

export async function create(invocation: Invocation): Promise<number> {
  const { args, options, io, api } = invocation
  const [agents, environments] = [options.all('agent'), options.all('env')]
  const opened = await api()
  if (await isOpen(opened)) {
    io.err(
      'svc: this is the first token. Once it is made, servers of this ledger answer nobody without a token: everybody who reads, ' +
        'promotes or sends run events without one gets 401.\n',
    )
    if (options.flag('yes') !== true && !(await confirmed('Make it?', io))) {
      io.err('svc: no token was made\n')
      return 1
    }
  }
  const created = await callJson(opened, 'POST /v1/tokens', {
    body: {
      name: args[0]!,
      role: options.required('role'),
      ...(agents.length === 0 ? {} : { agents }),
      ...(environments.length === 0 ? {} : { environments }),
      ...given('source', options.text('source')),
      ...given('expires', options.text('expires')),
    },
  })
  tell(created, invocation)
  return 0
}

/** Whether servers answer without a token so far. A token that has expired keeps them closed. */
async function isOpen(api: Api): Promise<boolean> {
  if ((await fetchTokens(api)).some(({ state }) => state !== 'revoked')) return false
  return (await callJson(api, 'GET /health')).mutation_auth === 'loopback'
}

export async function rotate(invocation: Invocation): Promise<number> {
  const { args, options, api } = invocation
  const created = await callJson(await api(), 'POST /v1/tokens/{name}/rotate', {
    path: { name: args[0]! },
    body: { ...given('overlap', options.text('overlap')), ...given('expires', options.text('expires')) },
  })
  tell(created, invocation)
  return 0
}

function given(name: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [name]: value }
}

/** The token alone on stdout, so that it can be piped to where it is kept. */
function tell(created: CreatedToken, { options, io }: Invocation): void {
  io.out(options.json ? pretty(created) : `${safe(created.token)}\n`)
  const until = created.expires_at === null ? '' : `, good until ${safe(created.expires_at)}`
  io.err(`svc: token ${safe(created.name)} (${safe(created.role)}${until}); it is not shown again\n`)
}

const COLUMNS: readonly Column<TokenRecord>[] = [
  { heading: 'name', cell: row => row.name, whole: true },
  { heading: 'role', cell: row => (row.source === undefined ? row.role : `aggregates:${row.source}`) },
  { heading: 'agents', cell: row => row.agents?.join(',') ?? 'all' },
  { heading: 'environments', cell: row => row.environments?.join(',') ?? 'all' },
  { heading: 'state', cell: row => row.state },
  timeColumn('expires', row => row.expires_at),
  timeColumn('last used', row => row.last_used_at),
  timeColumn('made', row => row.created_at),
  { heading: 'by', cell: row => row.created_by, rank: 9 },
  { heading: 'token', cell: row => row.token_id, whole: true, rank: 10 },
]

export async function list({ options, io, api }: Invocation): Promise<number> {
  const tokens = await fetchTokens(await api())
  io.out(options.json ? pretty({ tokens }) : listing(COLUMNS, tokens, io))
  if (tokens.length === 0 && !options.json) {
    io.err('svc: no tokens yet; make one with `svc token create NAME --role ROLE`\n')
  }
  return 0
}

export async function revoke({ args, options, io, api }: Invocation): Promise<number> {
  const name = args[0]!
  const opened = await api()
  const others = (await fetchTokens(opened)).filter(token => token.name !== name && token.state !== 'revoked')
  const revoked = await callJson(opened, 'DELETE /v1/tokens/{name}', { path: { name } })
  io.out(options.json ? pretty(revoked) : `${safe(name)} revoked\n`)
  if (others.length === 0) {
    io.err(
      'svc: no token is left: from now on everybody can read from a server of this ledger, unless a token is set in its ' +
        'environment, or auth: named\n',
    )
  }
  return 0
}

async function fetchTokens(api: Api): Promise<TokenRecord[]> {
  return (await callJson(api, 'GET /v1/tokens')).tokens
}
