import type { CommandBranch } from '../../cli/arguments/command.ts'

/** `svc pricing import --from` */
export const PRICE_LISTS_COMMANDS: readonly CommandBranch[] = [
  {
    of: 'pricing import',
    when: ['from'],
    options: [
      {
        flags: '--from <LIST>',
        description: 'PATH is a price list in JSON: litellm or genai-prices; needs --provider and --version',
      },
      { flags: '--provider <P>', description: 'Provider, by its name in the list' },
      { flags: '--version <V>', description: 'Version of the new table' },
      { flags: '--model <NAME>', description: 'Only this model, by its exact name', many: true },
      { flags: '--allow-free', description: 'Accept prices of 0' },
      { flags: '--yes', description: 'Do not ask' },
    ],
    load: async () => (await import('./cli_import.ts')).importFromList,
  },
]
