import type { CommandSpec } from '../../cli/arguments/command.ts'
import { HEADER, OUTPUT } from '../../cli/arguments/options.ts'

/** `svc profile …` */
export const PROFILE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'profile set',
    args: '<NAME>',
    summary: 'Save the URL and token of a service for --profile; the token is read from stdin',
    options: [{ flags: '--url <URL>', description: 'The service', required: true }],
    example: 'svc profile set prod --url https://releases.example.com < token.txt',
    load: async () => (await import('./cli_profile.ts')).set,
  },
  {
    name: 'profile list',
    summary: 'List profiles, without tokens',
    options: [HEADER, OUTPUT],
    example: 'svc profile list',
    load: async () => (await import('./cli_profile.ts')).list,
  },
  {
    name: 'profile remove',
    args: '<PROFILE>',
    summary: 'Delete a profile and its token',
    options: [OUTPUT],
    example: 'svc profile remove prod',
    load: async () => (await import('./cli_profile.ts')).remove,
  },
]
