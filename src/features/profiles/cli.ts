import { HEADER, OUTPUT } from '../../cli/arguments/options.ts'
import { commands, required } from '../../cli/arguments/records.ts'

/** `svc profile …` */
export const COMMANDS = commands({
  'profile set <NAME>': {
    summary: 'Save the URL and token of a service for --profile; the token is read from stdin',
    options: { '--url <URL>': required('The service') },
    example: 'svc profile set prod --url https://releases.example.com < token.txt',
    load: async () => (await import('./cli_profile.ts')).set,
  },
  'profile list': {
    summary: 'List profiles, without tokens',
    options: { ...HEADER, ...OUTPUT },
    example: 'svc profile list',
    load: async () => (await import('./cli_profile.ts')).list,
  },
  'profile remove <PROFILE>': {
    summary: 'Delete a profile and its token',
    options: OUTPUT,
    example: 'svc profile remove prod',
    load: async () => (await import('./cli_profile.ts')).remove,
  },
})
