import type { CommandSpec } from './command.ts'

/** How a command is typed: `svc release verify <RELEASE_ID> --path <BUNDLE_PATH> [options]`. */
export function usage({ name, args, options = [] }: CommandSpec): string {
  const required = options.filter(option => option.required === true).map(option => option.flags)
  const hasMore = options.some(option => option.required !== true)
  return ['svc', name, args, ...required, hasMore ? '[options]' : undefined].filter(Boolean).join(' ')
}

export function commandHelp(spec: CommandSpec): string {
  const rows = (spec.options ?? []).map(({ flags, description, required, many }) => {
    const note = required === true ? ' (required)' : many === true ? ' (repeatable)' : ''
    return `  ${flags.padEnd(30)} ${description}${note}`
  })
  return [
    `${spec.summary}\n`,
    `Usage: ${usage(spec)}\n`,
    ...(rows.length === 0 ? [] : [`Options:\n${rows.join('\n')}\n`]),
    `Example:\n${spec.example
      .split('\n')
      .map(line => `  ${line}`)
      .join('\n')}\n`,
  ].join('\n')
}

export function generalHelp(commands: readonly CommandSpec[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  return [
    'svc: the release governance ledger for AI agents\n',
    'Usage: svc <command> [options]\n',
    `Commands:\n${lines.join('\n')}\n`,
    'Each command has its own --help with an example. Start with `svc demo`, or `svc init` in your project.',
    '`svc help exit-codes` lists what commands exit with.',
    'Where a command takes the id of a release, its version or the beginning of the id does as well.',
    'With --url URL (or SERVICE_URL) a command talks to a running service; SERVICE_LOCAL_API_TOKEN is its token.',
    '`svc profile set` keeps both under a name, for --profile NAME (or SERVICE_PROFILE).\n',
  ].join('\n')
}

/** Values in words: `text, json or off`. */
export function oneOf(values: readonly string[]): string {
  return [values.slice(0, -1).join(', '), values.at(-1)].filter(Boolean).join(' or ')
}
