/** What generated acceptors are made of. */

export type Fields = Readonly<Record<string, unknown>>

/** The names of the fields of an object: true where nothing below is named, a list for a list of objects. */
export interface Known {
  readonly [field: string]: true | Known | readonly [Known]
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function hasOnly(value: Fields, known: ReadonlySet<string>): boolean {
  for (const key in value) if (!known.has(key)) return false
  return true
}

export function everyValue(value: Fields, accepts: (item: unknown) => boolean): boolean {
  for (const key of Object.keys(value)) if (!accepts(value[key])) return false
  return true
}

/** A copy of a value in which nothing is left out that has a default; defaults of a part apply where it is left out. */
export function withDefaults(value: Fields, defaults: Fields): Fields {
  const filled: Record<string, unknown> = { ...value }
  for (const [key, fallback] of Object.entries(defaults)) {
    const given = filled[key]
    if (isFields(fallback)) filled[key] = withDefaults(isFields(given) ? given : {}, fallback)
    else if (given === undefined) filled[key] = fallback
  }
  return filled
}
