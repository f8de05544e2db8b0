import { isoTime } from '../../base/time.ts'

/** An entry of the audit log, as far as a pack reads it (docs/audit-format.md). */
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

/** A question of an auditor, and what the entries of a pack say to it. */
export interface Answer {
  readonly question: string
  /** A sentence each, which names the entries that it rests on. */
  readonly found: readonly string[]
  /** Said where nothing was found. */
  readonly none: string
  readonly missing: readonly string[]
}

export function where({ log_seq, created_at }: PackEntry): string {
  return `${seqText(log_seq)} ${isoTime(created_at)}`
}

export function seqText(seq: number): string {
  return `[${seq}]`
}

export function numbers(entries: readonly PackEntry[]): string {
  return entries.map(({ log_seq }) => seqText(log_seq)).join(', ')
}

/** What nothing evidences of these entries; nothing where there are none. */
export function missingOf(words: string, entries: readonly PackEntry[]): string[] {
  return entries.length === 0 ? [] : [`${words}: ${numbers(entries)}`]
}

/** Says whose name is only claimed. */
export function unvouched(entries: readonly PackEntry[]): string[] {
  return missingOf(
    'that these actors are who they say, because no token or identity provider vouches',
    entries.filter(({ actor_source: source }) => !PROVEN.has(source)),
  )
}

/** How an actor is known where somebody else vouches for it. */
const PROVEN = new Set(['token', 'oidc', 'service'])

export function placeText({ details }: PackEntry): string {
  const { action, agent_id, environment, release_id, candidate_release_id: candidate } = details
  return `${action === undefined ? '' : `${word(action)} `}${word(release_id ?? candidate)} of ${word(agent_id)} in ${word(environment)}`
}

/** A value of details as text; they may hold anything. */
export function word(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
