import type { Result } from '../../models/documents/policy.ts'

/**
 * What `--detailed-exitcode` tells apart. Without it the specification's codes hold: 1 is an error and a block alike, 2
 * the mismatch of `release verify`.
 */
export const EXIT = { pass: 0, error: 1, mismatch: 2, block: 3, inconclusive: 4 } as const

export function exitCode(
  { passed, result }: { readonly passed: boolean; readonly result: Result },
  detailed: boolean,
): number {
  if (passed) return EXIT.pass
  if (!detailed) return EXIT.error
  return result === 'not_yet' ? EXIT.inconclusive : EXIT.block
}
