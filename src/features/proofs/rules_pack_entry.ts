/** An entry of the audit log, as far as a pack reads it (docs/project/audit-format.md). */
export interface PackEntry {
  readonly log_seq: number
  readonly kind: string
  readonly subject: string
  readonly actor: string
  readonly actor_source: string
  readonly reason: string | null
  /** Epoch ms. */
  readonly created_at: number
  readonly fact: string | null
  readonly details: Readonly<Record<string, unknown>>
}

/** A value of details as text; they may hold anything. */
export function word(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
