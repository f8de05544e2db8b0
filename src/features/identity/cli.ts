import { LIMIT, ANSWER, LISTED } from '../../cli/arguments/options.ts'
import { commands } from '../../cli/arguments/records.ts'

/** `svc login`, `svc logout`, `svc whoami`, `svc session …`; renewals, and what a server checks before it starts. */
export const COMMANDS = commands({
  login: {
    summary: 'Sign in to a service, and keep the session in a profile',
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
    load: async () => (await import('./cli_session.ts')).whoami,
  },
  'session list': {
    summary: 'List sessions, newest first: your own, or all if you are an admin',
    lists: 'session',
    options: { ...LIMIT, ...LISTED },
    example: 'svc session list',
    load: async () => (await import('./cli_session.ts')).list,
  },
  'session revoke <SESSION>': {
    summary: 'End a session now, and refuse its renewal',
    options: ANSWER,
    example: 'svc session revoke ses_0123456789ab',
    load: async () => (await import('./cli_session.ts')).revoke,
  },
})
