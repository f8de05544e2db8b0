import type { CreatedToken } from '../../models/answers/token.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import { call, list } from '../../cli/service/run.ts'
import { confirmed } from '../../cli/terminal/io.ts'
import { timeColumn } from '../../cli/terminal/table.ts'
import { safe } from '../../cli/terminal/text.ts'
import { ANSWER, LISTED } from '../../cli/arguments/options.ts'
import { type OptionTable, commands, many, required } from '../../cli/arguments/records.ts'
import { oneOf } from '../../base/text.ts'
import { ROLES } from '../../models/names.ts'

const EXPIRES: OptionTable = { '--expires <AGE>': 'How long it is valid: 90d, 24h, 30m' }

/** The token alone on stdout, so that it can be piped to where it is kept. */
const tokenText = ({ token }: CreatedToken): string => `${safe(token)}\n`

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
    run: call('POST /v1/tokens', {
      args: ['name'],
      as: { agent: 'agents', env: 'environments', yes: null },
      asks: mayClose,
      text: tokenText,
      note: tokenNote,
    }),
  },
  'token list': {
    summary: 'List named tokens, also ended ones',
    lists: 'token',
    options: LISTED,
    example: 'svc token list',
    run: list(
      'GET /v1/tokens',
      'tokens',
      [
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
      ],
      { empty: 'no tokens yet; make one with `svc token create NAME --role ROLE`' },
    ),
  },
  'token rotate <NAME>': {
    summary: 'Replace a named token and print the new one; the old one stays valid for a while',
    options: {
      '--overlap <AGE>': 'How long the old one stays valid (default 24h; 0m ends it now)',
      ...EXPIRES,
      ...ANSWER,
    },
    example: 'svc token rotate ci-deploy --overlap 1h',
    run: call('POST /v1/tokens/{name}/rotate', { text: tokenText, note: tokenNote }),
  },
  'token revoke <NAME>': {
    summary: 'Revoke a named token now',
    options: {
      '--open': 'Also the last one, which keeps the service closed to everybody without a token',
      ...ANSWER,
    },
    example: 'svc token revoke ci-deploy',
    run: call('DELETE /v1/tokens/{name}', { text: ({ name }) => `${safe(name)} revoked\n` }),
  },
})

/** The first token closes the service to everybody without one. */
async function mayClose({ options, io, api }: Invocation): Promise<string | undefined> {
  if (!(await isOpen(await api()))) return undefined
  io.err(
    'svc: this is the first token. After that, servers of this ledger answer only callers with a token: all others who read, promote or send run events get 401.\n',
  )
  return options.flag('yes') === true || (await confirmed('Make it?', io)) ? undefined : 'no token was made'
}

function tokenNote({ name, role, expires_at }: CreatedToken): string {
  const until = expires_at === null ? '' : `, good until ${safe(expires_at)}`
  return `token ${safe(name)} (${safe(role)}${until}); it is not shown again`
}

/** Whether servers answer without a token so far. A token that has expired keeps them closed. */
async function isOpen(api: Api): Promise<boolean> {
  const { tokens } = await callJson(api, 'GET /v1/tokens')
  if (tokens.some(({ state }) => state !== 'revoked')) return false
  return (await callJson(api, 'GET /health')).mutation_auth === 'loopback'
}
