import type { Policy } from '../../models/documents/policy.ts'
import type { MeasuredBy } from '../../rules/diff_statistics.ts'
import type { Sql } from '../../sql/port.ts'
import type { Query } from '../../sql/query.ts'
import type { Ledger } from '../world/ledger.ts'
import type { SideQuery, Sides } from './sides.ts'

/** What it is read for. */
export interface Asked {
  /** The policy in force, and what it compares by unless the caller says otherwise. */
  readonly policy: Policy
  /** Whether a diff is shown, rather than a decision made. */
  readonly isDiff: boolean
  readonly isRollback: boolean
}

/** A further measure of two releases, read in the snapshot that compares them. */
export interface Measure<Read = never> {
  /** What a diff asks for it by. */
  readonly name: string
  /** Whether a policy decides by it, so that it has to be read. */
  readonly isLimited: (policy: Policy) => boolean
  /** Whether each diff shows it, unasked. */
  readonly isShown?: true
  /** Width of its roll-up's buckets, ms, where that is not a minute. */
  readonly bucketMs?: number
  readonly query: (dialect: Sql['dialect'], query: SideQuery, asked: Asked) => Query<unknown>
  /** Why what it read keeps the sides from being compared by time although they ran at once, and what mends it. */
  readonly apart?: (read: Read) => string | undefined
  /** What the query read, as the statistics take it. */
  readonly measured: (
    ledger: Pick<Ledger, 'sql'>,
    query: SideQuery,
    sides: Sides,
    read: Read,
  ) => Promise<MeasuredBy>
}
