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
  ...(
    [
      ['rollout', 'release rollout list'],
      ['rollout request', 'release rollout requests'],
      ['promotion request', 'release requests'],
      ['watch', 'release watches'],
      ['webhook', 'webhook list'],
      ['delivery', 'webhook deliveries'],
      ['token', 'token list'],
      ['session', 'session list'],
    ] as const
  ).map(([what, command]) => [new RegExp(`^Unknown ${what}: `), `\`svc ${command}\` lists them`] as const),
  [/^Nothing of .+ is live in [^:]+\.$/, '`svc release promoted` lists what is live, and where'],
]
