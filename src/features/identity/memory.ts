import { type Memo, remembered } from '../../ledger/world/memo.ts'
import type { Clock } from '../../rules/clock.ts'
import type { SigningKey } from './rules_credential.ts'
import type { StoredSession } from './sessions.ts'

/** What a process remembers of sign-ins. */
interface Memory {
  key: SigningKey | undefined
  /** When the key was last looked for, by the time that this process counts, ms. */
  keyReadAt: number
  /** Sessions that were asked for lately, by their ids. */
  readonly sessions: Map<string, SeenSession>
  /** When the use of each was last noted, by the time that this process counts, ms. */
  readonly used: Map<string, number>
  /** How often this process changed any. */
  changes: number
  /** What is known of each provider, by its issuer. */
  readonly providers: Map<string, unknown>
}

/** A session as one read saw it; undefined where there is none. */
export interface SeenSession {
  readonly session: StoredSession | undefined
  readonly readAt: number
  readonly clock: Clock
}

export function memoryOf(memo: Pick<Memo, 'features'>): Memory {
  return remembered(memo, 'identity', () => ({
    key: undefined,
    keyReadAt: Number.NEGATIVE_INFINITY,
    sessions: new Map(),
    used: new Map(),
    changes: 0,
    providers: new Map(),
  }))
}
