/** The command that shows what could have been meant, where a message of the service names none: it also answers others. */
export function mendOf(message: string): string | undefined {
  return MENDS.find(([pattern]) => pattern.test(message))?.[1]
}

const MENDS: readonly (readonly [RegExp, string])[] = [
  [
    /^Unknown (?:\w+ )?release: /,
    '`svc release list` lists releases; type the id of one, its beginning, or a version',
  ],
  [/^Unknown action: /, '`svc release history` lists actions, each behind its number'],
  [/^Nothing of .+ is live in [^:]+\.$/, '`svc release promoted` lists what is live, and where'],
]
