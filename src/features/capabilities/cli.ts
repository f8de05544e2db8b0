import { LIMIT, ANSWER, LISTED, PLACE, IN_ENV, REASON } from '../../cli/arguments/options.ts'
import { commands } from '../../cli/arguments/records.ts'

/** `svc release capabilities` and `acknowledge` */
export const COMMANDS = commands({
  'release capabilities <RELEASE_ID>': {
    summary: 'Show the capabilities of a release, and undeclared tools and models of its runs',
    options: ANSWER,
    example: 'svc release capabilities rel_0123456789ab',
    load: async () => (await import('./cli_capabilities.ts')).show,
  },
  'release acknowledge <RELEASE_ID>': {
    summary: 'Approve new capabilities of a release, which the policy blocks',
    options: {
      ...IN_ENV,
      ...REASON,
      '--expect <RELEASE_ID>': 'Approve only if this release is live; otherwise exit 1',
      '--yes': 'Approve without showing the difference and asking',
      ...ANSWER,
    },
    example: 'svc release acknowledge rel_0123456789ab --env prod --reason "mail is reviewed"',
    load: async () => (await import('./cli_capabilities.ts')).acknowledge,
  },
  'release acknowledgements': {
    summary: 'List approvals of capabilities, newest first',
    options: { ...PLACE, ...LIMIT, ...LISTED },
    example: 'svc release acknowledgements --env prod',
    load: async () => (await import('./cli_capabilities.ts')).acknowledgements,
  },
})
