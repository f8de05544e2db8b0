/** What JSON Schema says of checks, apart from the models: who describes a model need not load the library that checks it. */

export interface Rejecting {
  reject(problem: { expected: string; actual: string }): false
}

/** What JSON Schema says in place of a check. */
type Keywords = Readonly<Record<string, unknown>>

/** A check with what JSON Schema says of it. */
export function described<C extends object>(check: C, keywords: Keywords): C & Described {
  return Object.assign(check, { keywords })
}

interface Described {
  readonly keywords: Keywords
}

/** What JSON Schema says of a check; nothing where it has no words for it. */
export function keywordsOf(check: object): Keywords {
  return (check as Partial<Described>).keywords ?? {}
}

/** What JSON Schema says of a text that we take: we keep no NUL. */
export const NO_NUL = '^[^\\u0000]*$'
