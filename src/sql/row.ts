import type { Value } from './port.ts'

/** A column that may be NULL, read by `read` where it is not; what a join did not find counts as NULL. */
export function nullable<T>(value: Value | undefined, read: (value: NonNullable<Value>) => T): T | null {
  return value === null || value === undefined ? null : read(value)
}
