import { call, list } from '../../cli/service/run.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import { timeColumn } from '../../cli/terminal/table.ts'
import { pretty, safe } from '../../cli/terminal/text.ts'
import { allowedWords } from '../../models/names.ts'
import type { WhoAmI } from './models.ts'
import { SOURCES } from './rules_words.ts'
import { LIMIT, ANSWER, LISTED } from '../../cli/arguments/options.ts'
import { commands } from '../../cli/arguments/records.ts'

/** `svc login`, `svc logout`, `svc whoami`, `svc session …`; renewals, and what a server checks before it starts. */
export const COMMANDS = commands({
  login: {
    summary: 'Sign in to a service, and save the session in a profile',
    task: 'Run the service',
    options: {
      '--profile <PROFILE>': 'The profile, made if it is new (or SERVICE_PROFILE)',
      '--url <URL>': 'The service, if the profile is new',
      '--with <NAME>': 'The provider, if the service has several',
      '--browser': 'Use a browser on this machine instead of a code',
    },
    example: 'svc login --profile prod --url https://releases.example.com',
    load: async () => (await import('./cli_login.ts')).login,
  },
  logout: {
    summary: 'Sign out of a profile, and revoke its refresh token',
    options: { '--profile <PROFILE>': 'The profile (or SERVICE_PROFILE)' },
    example: 'svc logout --profile prod',
    load: async () => (await import('./cli_login.ts')).logout,
  },
  whoami: {
    summary: 'Show the current identity and its permissions',
    options: ANSWER,
    example: 'svc whoami --profile prod',
    run: whoami,
  },
  'session list': {
    summary: 'List sessions, newest first: your own, or all if you are an admin',
    lists: 'session',
    options: { ...LIMIT, ...LISTED },
    example: 'svc session list',
    run: list(
      'GET /v1/sessions',
      'sessions',
      [
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
      ],
      { empty: 'no sessions' },
    ),
  },
  'session revoke <SESSION>': {
    summary: "End a session now, so that it can't be renewed",
    options: ANSWER,
    example: 'svc session revoke ses_0123456789ab',
    run: call('DELETE /v1/sessions/{session_id}', {
      text: ({ ended }, { args }) => `${safe(args[0]!)} ${ended === 0 ? 'had ended before' : 'revoked'}\n`,
    }),
  },
})

async function whoami({ options, io, api }: Invocation): Promise<number> {
  const opened = await api()
  let who = await callJson(opened, 'GET /v1/session')
  if (who.problem !== null) {
    // Only what takes a credential has a session renewed that has ended.
    await callJson(opened, 'GET /v1/sessions', { query: { limit: 1 } }).catch(() => {})
    who = await callJson(opened, 'GET /v1/session')
  }
  io.out(options.json ? pretty(who) : `${describe(who, opened.target)}\n`)
  if (who.caller !== null) return 0
  io.err(`svc: ${safe(who.problem ?? (await refusalBy(opened)))}\n`)
  return 1
}

/** Why a route that takes a credential refuses what was sent. */
async function refusalBy(api: Api): Promise<string> {
  const read = callJson(api, 'GET /v1/sessions', { query: { limit: 1 } })
  return read.then(
    () => 'no token was sent',
    (error: unknown) => (error as Error).message,
  )
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
