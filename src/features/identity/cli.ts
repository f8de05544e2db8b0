import type { CommandSpec, ServerJob, TokenRenewal } from '../../cli/arguments/command.ts'
import { HEADER, LIMIT, OUTPUT, PROFILE_OPTION, TARGET } from '../../cli/arguments/options.ts'

/** `svc login`, `svc logout`, `svc whoami`, `svc session …`; renewals, and what a server checks before it starts. */
export const IDENTITY_COMMANDS: readonly (CommandSpec | ServerJob | TokenRenewal)[] = [
  {
    name: 'login',
    summary: 'Sign in to a service, and keep the session in a profile',
    task: 'Run the service',
    options: [
      { ...PROFILE_OPTION, description: 'The profile, made if it is new (or SERVICE_PROFILE)' },
      { flags: '--url <URL>', description: 'The service, if the profile is new' },
      { flags: '--with <NAME>', description: 'The provider, if the service has several' },
      {
        flags: '--browser',
        description: 'Use a browser on this machine instead of a code',
      },
    ],
    example: 'svc login --profile prod --url https://releases.example.com',
    load: async () => (await import('./cli_login.ts')).login,
  },
  {
    name: 'logout',
    summary: 'Sign out of a profile, and revoke its refresh token',
    options: [{ ...PROFILE_OPTION, description: 'The profile (or SERVICE_PROFILE)' }],
    example: 'svc logout --profile prod',
    load: async () => (await import('./cli_login.ts')).logout,
  },
  {
    name: 'whoami',
    summary: 'Show the current identity and its permissions',
    options: [OUTPUT, ...TARGET],
    example: 'svc whoami --profile prod',
    load: async () => (await import('./cli_session.ts')).whoami,
  },
  {
    name: 'session list',
    summary: 'List sessions, newest first: your own, or all if you are an admin',
    lists: 'session',
    options: [LIMIT, HEADER, OUTPUT, ...TARGET],
    example: 'svc session list',
    load: async () => (await import('./cli_session.ts')).list,
  },
  {
    name: 'session revoke',
    args: '<SESSION>',
    summary: 'End a session now, and refuse its renewal',
    options: [OUTPUT, ...TARGET],
    example: 'svc session revoke ses_0123456789ab',
    load: async () => (await import('./cli_session.ts')).revoke,
  },
  { renews: 'profile', load: async () => (await import('./cli_login.ts')).renew },
  { runsIn: 'serve', whileReadOnly: true, load: async () => (await import('./jobs.ts')).checkLogins },
]
