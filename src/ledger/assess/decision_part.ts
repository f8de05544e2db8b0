import type { Outcome } from '../../models/answers/decision.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { Statement } from '../../sql/port.ts'
import type { Query } from '../../sql/query.ts'
import type { Holds } from '../trail/bound_rows.ts'
import type { AuditRecord } from '../trail/chain.ts'

/** What a feature reads, writes and answers with a decision, in the decision's own batch. */
export interface DecisionPart<Read = never> {
  readonly name: string
  /** For the snapshot that the decision is made by. */
  readonly reads: (place: { readonly release_id: string; readonly environment: string }) => Query<unknown>
  readonly contribute: (decided: Decided, read: Read) => Promise<Contribution | undefined>
}

/** A decision that is about to be written. */
export interface Decided {
  readonly record: AuditRecord
  readonly policy: Policy
  /** From when on runs were looked at, as a timestamp. */
  readonly since: string
  /** The database's clock, epoch ms. */
  readonly now: number
  readonly newId: (prefix: string) => string
}

export interface Contribution {
  /** Rows that the statements write, as they are then: the entry of the decision holds them. */
  readonly holds: Holds
  /** Each does nothing where the guard doesn't hold. */
  readonly statements: (guard: Statement) => readonly Statement[]
  readonly answer: Partial<Outcome>
}
