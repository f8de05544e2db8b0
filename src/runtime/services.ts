import type { Context } from '../http/access/context.ts'
import { hex } from '../base/text.ts'

/** A context that still lacks the caller, which each request brings. */
export type Services = Omit<Context, 'peer'>

export const MAX_BODY_BYTES = 16 * 1024 * 1024

/** A new id: the prefix and 12 hex digits. */
export function randomId(prefix: string): string {
  return prefix + hex(crypto.getRandomValues(new Uint8Array(6)))
}
