import type { Role } from '../../models/answers/token.ts'

/** What tokens of an identity provider are good for where they have all of these claims. */
export interface ClaimRule {
  readonly role: Role
  readonly claims: Readonly<Record<string, string | readonly string[]>>
  readonly agents?: readonly string[] | null | undefined
  readonly environments?: readonly string[] | null | undefined
}

type Claims = Readonly<Record<string, unknown>>

/** The first rule whose claims a token has, all of them. A rule without claims holds for every token of its issuer. */
export function ruleFor<R extends ClaimRule>(rules: readonly R[], claims: Claims): R | undefined {
  return rules.find(rule =>
    Object.entries(rule.claims).every(([name, wanted]) =>
      Object.hasOwn(claims, name) ? hasClaim(claims[name], wanted) : false,
    ),
  )
}

/** Whether a claim, or one of its texts where it is a list (groups), is one of those that are wanted. */
function hasClaim(claim: unknown, wanted: string | readonly string[]): boolean {
  const given = (Array.isArray(claim) ? claim : [claim]).flatMap(textOf)
  const patterns = typeof wanted === 'string' ? [wanted] : wanted
  return given.some(text => patterns.some(pattern => fits(text, pattern)))
}

/** Claims that are numbers or flags, such as GitHub's run_number, are compared as they are written. */
function textOf(value: unknown): string[] {
  return ['string', 'number', 'boolean'].includes(typeof value) ? [String(value)] : []
}

/** `*` at the end matches any rest. */
function fits(text: string, pattern: string): boolean {
  return pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern
}
