import { fitsBytes, isBlank, isDisguised } from '../../base/text.ts'
import type { Role } from '../../models/answers/token.ts'

/** What tokens and people of an identity provider are good for where they have all of these claims. */
export interface ClaimRule {
  readonly role: Role
  readonly claims: Readonly<Record<string, string | readonly string[]>>
  readonly agents?: readonly string[] | null | undefined
  readonly environments?: readonly string[] | null | undefined
}

export type Claims = Readonly<Record<string, unknown>>

/** The first rule whose claims a token has, all of them. A rule without claims holds for every token of its issuer. */
export function ruleFor<R extends ClaimRule>(rules: readonly R[], claims: Claims): R | undefined {
  return rules.find(rule => unmet(rule, claims).length === 0)
}

/** The claims that a rule asks for and a token doesn't have so. */
function unmet(rule: ClaimRule, claims: Claims): string[] {
  return Object.entries(rule.claims).flatMap(([name, wanted]) =>
    isVouched(claims, name) && hasClaim(claims[name], wanted) ? [] : [name],
  )
}

/** Whether the issuer says so itself. Anybody may enter any address, so one that nobody verified says nothing. */
function isVouched(claims: Claims, name: string): boolean {
  return name !== 'email' || claims.email_verified === true
}

/** Whether a claim, or one of its texts where it is a list (groups), is one of those that are wanted. */
function hasClaim(claim: unknown, wanted: string | readonly string[]): boolean {
  const given = textsOf(claim)
  const patterns = typeof wanted === 'string' ? [wanted] : wanted
  return given.some(text => patterns.some(pattern => fits(text, pattern)))
}

function textsOf(claim: unknown): string[] {
  return (Array.isArray(claim) ? claim : [claim]).flatMap(textOf)
}

/** Claims that are numbers or flags, such as GitHub's run_number, are compared as they are written. */
function textOf(value: unknown): string[] {
  return ['string', 'number', 'boolean'].includes(typeof value) ? [String(value)] : []
}

/** `*` at the end fits any rest. */
function fits(text: string, pattern: string): boolean {
  return pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern
}

/** The claims that decide what somebody is good for and is called. */
export function claimsNeeded(rules: readonly ClaimRule[], nameClaim: string): string[] {
  const names = [...rules.flatMap(({ claims }) => Object.keys(claims)), nameClaim]
  return [...new Set([...names, ...(names.includes('email') ? ['email_verified'] : [])])]
}

/** Why no rule holds: what is wrong with each claim that the nearest rules, those with the fewest such claims, ask for. */
export function whyNoRule(rules: readonly ClaimRule[], claims: Claims): string {
  const lacking = rules.map(rule => unmet(rule, claims))
  const fewest = Math.min(...lacking.map(names => names.length))
  const names = new Set(lacking.filter(({ length }) => length === fewest).flat())
  return Array.from(names, name => `${name} ${whatCame(claims, name)}`).join(', ')
}

function whatCame(claims: Claims, name: string): string {
  if (!Object.hasOwn(claims, name))
    return isLeftOut(claims, name) ? 'was left out, as there are too many' : 'is missing'
  if (!isVouched(claims, name)) return 'is not verified'
  const claim = claims[name]
  const count = textsOf(claim).length
  if (count === 0)
    return Array.isArray(claim) ? 'is empty' : `is ${claim === null ? 'null' : typeof claim}, not a text`
  return count === 1 ? 'has another value' : `has ${count} other values`
}

/** A provider names the place of a claim that is too large for a token (OpenID Connect Core 1.0, 5.6.2). */
function isLeftOut(claims: Claims, name: string): boolean {
  const { _claim_names: named } = claims
  return typeof named === 'object' && named !== null && Object.hasOwn(named, name)
}

const MOST_NAME_BYTES = 512

/** The name to put on record, or why there is none. */
export function nameIn(
  claims: Claims,
  claim: string,
): { readonly name: string } | { readonly problem: string } {
  const name = Object.hasOwn(claims, claim) ? claims[claim] : undefined
  if (typeof name !== 'string')
    return { problem: `its ${claim} is ${name === undefined ? 'missing' : 'no text'}` }
  if (!isVouched(claims, claim)) return { problem: `its ${claim} is not verified` }
  return isBlank(name) || isDisguised(name) || !fitsBytes(name, MOST_NAME_BYTES)
    ? { problem: `its ${claim} is not a name that can be put on record` }
    : { name }
}
