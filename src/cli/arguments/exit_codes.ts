/** What each command exits with. Commands that are not here exit with what every command does. */
export const EXIT_CODES: readonly (readonly [commands: string, codes: string])[] = [
  ['every command', '0 done; 1 an error, or a question that was answered with no'],
  ['every command', '130 ended by Ctrl-C, 143 by SIGTERM'],
  ['serve', '0 also after Ctrl-C or SIGTERM; 1 it did not finish in 25 s'],
  ['release gate', '0 pass; 1 not decided; 3 block; 4 too little evidence'],
  ['release diff', '0 whatever the policy says'],
  ['release diff --fail-on-policy', '1 the policy does not pass'],
  ['release promote, promote-*, rollback', '1 the policy does not pass'],
  ['  with --detailed-exitcode, release diff too', '1 an error alone; 3 block; 4 too little evidence'],
  ['release acknowledge, rollout start|request --expect ID', '1 something else is live'],
  ['release watch --follow', '1 regressed or rolled back'],
  ['  with --detailed-exitcode', '1 an error alone; 3 regressed or rolled back; 4 ended undecided'],
  ['release verify', '2 the bundle is not what was registered'],
  ['release verify-attestation', '1 not signed by the key, not about this, or FAILED'],
  ['audit verify, audit explain', '1 the log or the record does not hold'],
  ['doctor', '1 a check failed'],
  ['policy test --fail-on-change', '1 a decision would change, or nothing can tell'],
  ['pricing check --fail', '1 a bundled table is stale'],
  ['pricing check RELEASE_ID', '1 a model that the release used has no price'],
  ['models retirements --fail', '1 a model of a live release ends'],
  ['apply --plan --detailed-exitcode', '1 an error alone; 3 there are changes'],
  ['webhook test', '1 it was not delivered'],
  ['examples/ci/gate.sh, release.sh', 'as release gate'],
]

/** `svc help exit-codes` */
export function exitCodesHelp(): string {
  const width = Math.max(...EXIT_CODES.map(([commands]) => commands.length))
  const lines = EXIT_CODES.map(([commands, codes], index) => {
    const isNew = commands !== EXIT_CODES[index - 1]?.[0]
    return `  ${(isNew ? commands : '').padEnd(width)}  ${codes}\n`
  })
  return `Exit codes\n\n${lines.join('')}`
}
