import { refused } from '../../base/errors.ts'
import type { CommandSpec, Invocation } from './command.ts'
import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import type { WebhookEvent } from '../../models/answers/webhook.ts'
import { namesOf } from './words.ts'

type Commands = readonly CommandSpec[]

const SHELLS: Readonly<Record<string, (commands: Commands) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** Prints a script that completes commands and options in a shell. */
export async function completion({ args, io, commands }: Invocation): Promise<number> {
  const script = SHELLS[args[0]!]
  if (script === undefined) {
    throw refused(`The shell must be ${Object.keys(SHELLS).join(', ')} (it is '${args[0]}').`)
  }
  io.out(script(commands))
  return 0
}

/** Values of options that are one of a few. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  '--output': ['text', 'json'],
  '--log': ['text', 'json', 'off'],
  '--status': ['pending', 'completed', 'cancelled'] satisfies PromotionRequest['status'][],
  '--event': [
    'promote.succeeded',
    'promote.blocked',
    'promotion.requested',
    'rollback.succeeded',
    'test.ping',
  ] satisfies WebhookEvent[],
}

interface Word {
  readonly name: string
  readonly about: string
}

/** What may come first: a command of one word, or the first word of several. */
function firstWords(commands: Commands): Word[] {
  const groups = new Map<string, string>()
  for (const { name, summary } of commands) {
    const [first, second] = name.split(' ') as [string, string?]
    groups.set(
      first,
      second === undefined
        ? summary
        : `Commands: ${secondWords(commands, first)
            .map(word => word.name)
            .join(', ')}`,
    )
  }
  return [...groups].map(([name, about]) => ({ name, about }))
}

function secondWords(commands: Commands, first: string): Word[] {
  return commands
    .filter(({ name }) => name.startsWith(`${first} `))
    .map(({ name, summary }) => ({
      name: name.slice(first.length + 1),
      about: summary,
    }))
}

function groupNames(commands: Commands): string[] {
  return firstWords(commands)
    .map(({ name }) => name)
    .filter(name => secondWords(commands, name).length > 0)
}

/** The options of a command by every name they have. */
function optionsOf({ options = [] }: CommandSpec): (Word & { takesValue: boolean })[] {
  const help = { name: '--help', about: 'Show the options and an example', takesValue: false }
  const own = options.flatMap(option =>
    namesOf(option).map(name => ({
      name,
      about: option.description,
      takesValue: option.flags.includes('<'),
    })),
  )
  return [...own, help]
}

function spaced(words: readonly Word[]): string {
  return words.map(({ name }) => name).join(' ')
}

/** File names complete where nothing else does: `complete -o default`. */
function bashScript(commands: Commands): string {
  const groups = groupNames(commands).map(
    name => `      ${name}) words='${spaced(secondWords(commands, name))}' ;;`,
  )
  const values = Object.entries(VALUES).map(([name, words]) => `    ${name}) words='${words.join(' ')}' ;;`)
  const valued = [
    ...new Set(
      commands
        .flatMap(optionsOf)
        .filter(option => option.takesValue)
        .map(({ name }) => name),
    ),
  ]
  const options = commands.map(
    command =>
      `      '${command.name}'${command.name.includes(' ') ? '' : "|'" + command.name + " '*"}) words='${spaced(optionsOf(command))}' ;;`,
  )
  return `# Completion of svc for bash. In ~/.bashrc: source <(svc completion bash)
_svc() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" words=''
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${spaced(firstWords(commands))}' -- "$current"))
    return
  fi
  if ((COMP_CWORD == 2)) && [[ $current != -* ]]; then
    case "$previous" in
${groups.join('\n')}
      completion) words='${Object.keys(SHELLS).join(' ')}' ;;
    esac
    if [[ -n $words ]]; then
      COMPREPLY=($(compgen -W "$words" -- "$current"))
      return
    fi
  fi
  case "$previous" in
${values.join('\n')}
    ${valued.filter(name => !(name in VALUES)).join('|')}) return ;;
  esac
  if [[ -z $words && $current == -* ]]; then
    case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${options.join('\n')}
    esac
  fi
  if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$current")); fi
}
complete -o default -F _svc svc
`
}

/** Text in single quotes, for any of the shells: none of ours holds a quote that would need more. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`
}

function described(words: readonly Word[]): string {
  return words.map(({ name, about }) => quoted(`${name}:${about}`)).join(' ')
}

function zshScript(commands: Commands): string {
  const groups = groupNames(commands).map(
    name => `      ${name}) found=(${described(secondWords(commands, name))}) ;;`,
  )
  const options = commands.map(command => {
    const pattern = command.name.includes(' ') ? `'${command.name}'` : `'${command.name} '*`
    return `      ${pattern}) found=(${described(optionsOf(command))}) ;;`
  })
  const values = Object.entries(VALUES).map(
    ([name, words]) => `    ${name}) compadd -- ${words.join(' ')}; return ;;`,
  )
  return `#compdef svc
# Completion of svc for zsh. In ~/.zshrc, after compinit: source <(svc completion zsh)
_svc() {
  local -a found
  if ((CURRENT == 2)); then
    found=(${described(firstWords(commands))})
    _describe command found
    return
  fi
  if ((CURRENT == 3)); then
    case "\${words[2]}" in
${groups.join('\n')}
      completion) compadd -- ${Object.keys(SHELLS).join(' ')}; return ;;
    esac
    if ((\${#found})); then
      _describe command found
      return
    fi
  fi
  case "\${words[CURRENT - 1]}" in
${values.join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    case "\${words[2]} \${words[3]}" in
${options.join('\n')}
    esac
    _describe option found
  else
    _files
  fi
}
compdef _svc svc
`
}

function fishScript(commands: Commands): string {
  const seen = (name: string): string =>
    name
      .split(' ')
      .map(word => `__fish_seen_subcommand_from ${word}`)
      .join('; and ')
  const first = firstWords(commands).map(
    ({ name, about }) => `complete -c svc -f -n __fish_use_subcommand -a ${name} -d ${quoted(about)}`,
  )
  const second = groupNames(commands).flatMap(group => {
    const words = secondWords(commands, group)
    const open = quoted(`${seen(group)}; and not __fish_seen_subcommand_from ${spaced(words)}`)
    return words.map(({ name, about }) => `complete -c svc -f -n ${open} -a ${name} -d ${quoted(about)}`)
  })
  const options = commands.flatMap(command =>
    optionsOf(command).map(({ name, about, takesValue }) => {
      const words = VALUES[name]
      const value = takesValue ? ` -r${words === undefined ? '' : ` -f -a '${words.join(' ')}'`}` : ''
      const flag = name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`
      return `complete -c svc -n '${seen(command.name)}' ${flag}${value} -d ${quoted(about)}`
    }),
  )
  const shells = `complete -c svc -f -n '${seen('completion')}' -a '${Object.keys(SHELLS).join(' ')}'`
  return `# Completion of svc for fish. svc completion fish > ~/.config/fish/completions/svc.fish
${[...first, ...second, shells, ...options].join('\n')}
`
}
