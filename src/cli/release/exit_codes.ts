import { verdictOf } from '../../rules/policy.ts'

/**
 * What `--detailed-exitcode` tells apart. Without it the specification's codes hold: 1 is an error and a block alike, 2
 * the mismatch of `release verify`.
 */
export const EXIT = { pass: 0, error: 1, mismatch: 2, block: 3, inconclusive: 4 } as const

/** The exit code of a verdict. */
export function exitCode(
  policy: { readonly reasons: readonly string[]; readonly passed: boolean },
  detailed: boolean,
): number {
  if (policy.passed) return EXIT.pass
  return detailed ? EXIT[verdictOf(policy)] : EXIT.error
}
