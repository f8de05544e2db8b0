import type { Invocation } from '../../cli/arguments/command.ts'
import { callJson } from '../../cli/service/api.ts'
import { type Column, listing, timeColumn } from '../../cli/terminal/table.ts'
import { pretty, safe } from '../../cli/terminal/text.ts'
import { allowedWords } from '../../models/names.ts'
import type { SessionRecord, WhoAmI } from './models.ts'
import { SOURCES } from './rules_words.ts'

export async function whoami({ options, io, api }: Invocation): Promise<number> {
  const opened = await api()
  let who = await callJson(opened, 'GET /v1/session')
  if (who.problem !== null) {
    // Only what takes a credential has a session renewed that has ended.
    await callJson(opened, 'GET /v1/sessions', { query: { limit: 1 } }).catch(() => {})
    who = await callJson(opened, 'GET /v1/session')
  }
  io.out(options.json ? pretty(who) : `${describe(who, opened.target)}\n`)
  if (who.caller !== null) return 0
  io.err(`svc: ${safe(who.problem ?? 'no token was sent')}\n`)
  return 1
}

function describe({ caller, session }: WhoAmI, target: string): string {
  if (caller === null) return `nobody at ${safe(target)}`
  const { name, source, allows, agents, environments } = caller
  const limits = [
    ...(agents === null ? [] : [`agents ${agents.join(', ')}`]),
    ...(environments === null ? [] : [`environments ${environments.join(', ')}`]),
  ]
  const by =
    session === null ? SOURCES[source] : `signed in with ${session.issuer} until ${session.expires_at}`
  return safe(
    `${name} at ${target} (${by}); may ${allowedWords(allows)}` +
      (limits.length === 0 ? '' : `, for ${limits.join(' in ')} only`),
  )
}

const COLUMNS: readonly Column<SessionRecord>[] = [
  { heading: 'session', cell: row => row.session_id, whole: true, rank: 0 },
  { heading: 'name', cell: row => row.name, rank: 1 },
  { heading: 'kind', cell: row => row.kind, rank: 5 },
  { heading: 'role', cell: row => row.role, rank: 3 },
  { heading: 'state', cell: row => row.ended_because ?? row.state, rank: 2 },
  timeColumn('last used', row => row.last_used_at, { rank: 4 }),
  timeColumn('signed in', row => row.created_at, { rank: 6 }),
  timeColumn('ends', row => row.ended_at ?? row.idle_at, { rank: 7 }),
  { heading: 'subject', cell: row => row.subject, rank: 8 },
  { heading: 'issuer', cell: row => row.issuer, rank: 9 },
]

export async function list({ options, io, api }: Invocation): Promise<number> {
  const limit = options.number('limit')
  const { sessions } = await callJson(await api(), 'GET /v1/sessions', { query: { limit } })
  io.out(options.json ? pretty({ sessions }) : listing(COLUMNS, sessions, io))
  if (sessions.length === 0 && !options.json) io.err('svc: no sessions\n')
  return 0
}

export async function revoke({ args, options, io, api }: Invocation): Promise<number> {
  const session_id = args[0]!
  const path = { session_id }
  const ended = await callJson(await api(), 'DELETE /v1/sessions/{session_id}', { path })
  io.out(
    options.json
      ? pretty(ended)
      : `${safe(session_id)} ${ended.ended === 0 ? 'had ended before' : 'revoked'}\n`,
  )
  return 0
}
