export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function everyValue(value: Fields, accepts: (item: unknown) => boolean): boolean {
  for (const key of Object.keys(value)) if (!accepts(value[key])) return false
  return true
}
