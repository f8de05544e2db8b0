/** Formats of texts, apart from the models: who describes a model need not load the library that checks it. */

export interface Rejecting {
  reject(problem: { expected: string; actual: string }): false
}

/** A check that JSON Schema has a name for. */
interface Formatted {
  (text: string, ctx: Rejecting): boolean
  readonly format: 'date-time'
}

export function formatted(check: (text: string, ctx: Rejecting) => boolean): Formatted {
  return Object.assign(check, { format: 'date-time' } as const)
}

/** The format of a check, for its JSON Schema. */
export function formatOf(check: object): string | undefined {
  return (check as Partial<Formatted>).format
}
