import type { Context } from '../http/context.ts'

/** A context that still lacks the caller, which each request brings. */
export type Services = Omit<Context, 'peer'>

export const MAX_BODY_BYTES = 16 * 1024 * 1024
