import { oneOf } from '../../base/text.ts'
import { badRequest } from '../../base/errors.ts'
import { type Api, callJson } from '../service/api.ts'
import { safe } from '../terminal/text.ts'
import type { CommandSpec, Invocation, OptionSpec } from './command.ts'
import { commandOf } from './parse.ts'
import { type Word, namesOf, optionNamed, readWords, takesValue } from './words.ts'

/** Prints a script that completes commands, options and values in a shell. */
export async function completion({ args, io }: Invocation): Promise<number> {
  const script = SCRIPTS[args[0]!]
  if (script === undefined) {
    throw badRequest(`The shell must be ${oneOf(Object.keys(SCRIPTS))} (it is '${args[0]}').`)
  }
  io.out(script)
  return 0
}

/**
 * Each asks `svc __complete` with the words behind `svc`, the one under the cursor last, and gets lines of a word, a
 * tab and what it is. Where it gets none, the shell offers file names.
 */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# Completion of svc for bash. In ~/.bashrc: source <(svc completion bash)
_svc() {
  local word rest
  COMPREPLY=()
  while IFS=$'\\t' read -r word rest; do
    COMPREPLY+=("$word")
  done < <("$1" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _svc svc
`,
  zsh: `#compdef svc
# Completion of svc for zsh. In ~/.zshrc, after compinit: source <(svc completion zsh)
_svc() {
  local -a found
  found=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)found/$'\\t'/:}")
  if [[ -n "\${found[1]}" ]]; then
    _describe svc found
  else
    _files
  fi
}
compdef _svc svc
`,
  fish: `# Completion of svc for fish. svc completion fish > ~/.config/fish/completions/svc.fish
function __svc_find
  set -l words (commandline -opc) (commandline -ct)
  set -g __svc_found ($words[1] __complete $words[2..-1] 2>/dev/null)
  test (count $__svc_found) -gt 0
end
complete -c svc -n __svc_find -f -a '$__svc_found'
`,
}

/** What the values of a line are looked up in. */
interface Sources {
  /** Opens what a command talks to, with the --url or --profile of its line. Throws where there is nothing. */
  readonly open: (
    command: CommandSpec,
    where: { readonly url: string | undefined; readonly profile: string | undefined },
  ) => Promise<Api>
  /** The names of all profiles. */
  readonly profiles: () => Promise<readonly string[]>
}

/**
 * What may take the place of the last of `words`, which are those behind `svc`: lines of a word, a tab and what it is.
 * None where a shell had better offer file names. Never throws.
 */
export async function complete(
  words: readonly string[],
  commands: readonly CommandSpec[],
  sources: Sources,
): Promise<string> {
  // Bash takes the = of --output=json for a word of its own.
  const [before, last = ''] = [words.slice(0, -1).filter(word => word !== '='), words.at(-1)]
  const current = last === '=' ? '' : last
  const command = commandOf(before, commands)
  const found =
    command === undefined
      ? namesBehind(before, commands)
      : [
          ...namesBehind(before, commands),
          ...(await wordsFor(command, before, current, sources).catch(() => [])),
        ]
  return found
    .filter(({ word }) => word.startsWith(current) && PLAIN.test(word))
    .map(({ word, about }) => `${about === undefined ? word : `${word}\t${safe(about)}`}\n`)
    .join('')
}

/** Words that mean themselves in every shell; of others, such as names that a ledger holds, none is offered. */
const PLAIN = /^[\w.@%+=,/-]+$/

/** The words that may follow those of `before` in the name of a command. */
function namesBehind(before: readonly string[], commands: readonly CommandSpec[]): Candidate[] {
  const behind = new Map<string, string>()
  for (const { name, summary } of commands) {
    const words = name.split(' ')
    const word = words[before.length]
    if (word === undefined || before.some((typed, index) => words[index] !== typed)) continue
    behind.set(word, words.length > before.length + 1 ? `The commands of svc ${word}` : summary)
  }
  return Array.from(behind, ([word, about]) => ({ word, about }))
}

/** What may come at the end of a line that has the name of a command: a value, an option or an argument. */
async function wordsFor(
  command: CommandSpec,
  before: readonly string[],
  current: string,
  sources: Sources,
): Promise<readonly Candidate[]> {
  const { options = [], args = '' } = command
  const typed = before.slice(command.name.split(' ').length)
  const words = readWords(typed, options)
  const where = { url: valueIn(words, '--url'), profile: valueIn(words, '--profile') }
  const here: Values = { open: () => sources.open(command, where), profiles: sources.profiles }

  const waiting = optionNamed(typed.at(-1) ?? '', options)
  if (waiting !== undefined && takesValue(waiting)) return valuesOf(waiting, here)
  const name = /^(--[\w-]+)=/.exec(current)?.[1] ?? ''
  const begun = optionNamed(name, options)
  if (begun !== undefined) {
    return (await valuesOf(begun, here)).map(({ word, about }) => ({ word: `${name}=${word}`, about }))
  }
  if (current.startsWith('-') && !typed.includes('--')) return [...options.flatMap(optionWords), HELP]
  const place = words.filter(word => word.kind === 'argument').length
  return valuesCalled(args.split(' ')[place] ?? '', here)
}

const HELP: Candidate = { word: '--help', about: 'Show the options and an example' }

function optionWords(option: OptionSpec): Candidate[] {
  return namesOf(option).map(word => ({ word, about: option.description }))
}

function valueIn(words: readonly Word[], name: string): string | undefined {
  return words.flatMap(word => (word.kind === 'option' && word.name === name ? [word.value] : []))[0]
}

/** The same for the command of the line. */
interface Values {
  readonly open: () => Promise<Api>
  readonly profiles: () => Promise<readonly string[]>
}

async function valuesOf({ flags, values }: OptionSpec, here: Values): Promise<readonly Candidate[]> {
  return values?.map(word => ({ word })) ?? valuesCalled(flags, here)
}

/** Values of an argument or option that is written `<RELEASE_ID>`, `[WEBHOOK_ID]`, `--env <ENV>`. */
async function valuesCalled(placeholder: string, here: Values): Promise<readonly Candidate[]> {
  const name = /[<[](\w+)[>\]]$/.exec(placeholder)?.[1] ?? ''
  if (name === 'SHELL') return ['bash', 'zsh', 'fish'].map(word => ({ word }))
  if (name === 'PROFILE') return (await here.profiles()).map(word => ({ word }))
  const values = LEDGER_VALUES[name]
  if (values === undefined) return []
  const api = await here.open()
  try {
    return await values(api)
  } finally {
    await api.close()
  }
}

/** A word that may come in a line, and what it is. */
interface Candidate {
  readonly word: string
  readonly about?: string | undefined
}

/** What a ledger holds that can be given for `<RELEASE_ID>`, `<ENV>` and other names of arguments and values. */
const LEDGER_VALUES: Readonly<Record<string, (api: Api) => Promise<readonly Candidate[]>>> = {
  RELEASE_ID: releases,
  BASELINE_ID: releases,
  CANDIDATE_ID: releases,
  REQUEST_ID: pendingRequests,
  WEBHOOK_ID: webhooks,
  DELIVERY_ID: failedDeliveries,
  AGENT_ID: agents,
  ENV: environments,
}

async function releases(api: Api): Promise<Candidate[]> {
  const answer = await callJson(api, 'GET /v1/releases')
  return answer.releases.map(({ release_id, agent_id, version, environment }) => ({
    word: release_id,
    about: `${agent_id} ${version} in ${environment}`,
  }))
}

async function pendingRequests(api: Api): Promise<Candidate[]> {
  const query = { status: 'pending' }
  const answer = await callJson(api, 'GET /v1/promotion-requests', {
    query,
  })
  return answer.requests.map(({ request_id, agent_id, environment, reason }) => ({
    word: request_id,
    about: `${agent_id} in ${environment}: ${reason}`,
  }))
}

async function webhooks(api: Api): Promise<Candidate[]> {
  const answer = await callJson(api, 'GET /v1/webhooks')
  return answer.webhooks.map(({ webhook_id, url }) => ({ word: webhook_id, about: url }))
}

async function failedDeliveries(api: Api): Promise<Candidate[]> {
  const query = { status: 'failed' }
  const answer = await callJson(api, 'GET /v1/webhook-deliveries', { query })
  return answer.deliveries.map(({ delivery_id, event, problem }) => ({
    word: delivery_id,
    about: `${event}: ${problem}`,
  }))
}

async function agents(api: Api): Promise<Candidate[]> {
  const { board } = await callJson(api, 'GET /v1/board')
  return [...new Set(board.map(({ agent_id }) => agent_id))].map(word => ({ word }))
}

async function environments(api: Api): Promise<Candidate[]> {
  const { board } = await callJson(api, 'GET /v1/board')
  return [...new Set(board.map(({ environment }) => environment))].map(word => ({ word }))
}
