import { badRequest } from '../../base/errors.ts'
import type { Invocation } from './command.ts'
import { oneOf } from './help.ts'

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
