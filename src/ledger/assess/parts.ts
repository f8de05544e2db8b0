import type { ExplainedLimit } from '../../models/answers/statistics.ts'
import type { Outcome } from '../../models/answers/decision.ts'
import type { DiffReport } from '../../models/answers/diff.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { Clock } from '../../rules/clock.ts'
import type { Evidence } from '../../rules/evidence.ts'
import type { ConditionEvidence, ConditionRule, DecidedRelease } from '../../rules/judge.ts'
import type { StoredPolicy } from '../../rules/scope.ts'
import type { Window } from '../../rules/window.ts'
import type { MeasuredBy } from '../../rules/diff_statistics.ts'
import type { Statement } from '../../sql/port.ts'
import type { Query } from '../../sql/query.ts'
import type { Holds } from '../trail/bound_rows.ts'
import type { AuditRecord } from '../trail/chain.ts'
import type { Ledger, Wanting } from '../world/ledger.ts'
import type { Memo } from '../world/memo.ts'
import type { SideQuery, Sides } from './sides.ts'

/** What measures are read for. */
export interface Requested {
  /** The policy in force, and what it compares by unless the caller says otherwise. */
  readonly policy: Policy
  /** Whether a diff is shown, rather than a decision made. */
  readonly isDiff: boolean
  readonly isRollback: boolean
  /** What the process remembers of what it read before. */
  readonly memo?: Pick<Memo, 'features'>
}

/** A further measure of two releases, read in the snapshot that compares them. */
export interface Measure<Read = never> {
  /** What a diff asks for it by. */
  readonly name: string
  /** Whether a policy decides by it, so that it has to be read. */
  readonly isLimited: (policy: Policy) => boolean
  /** Whether each diff shows it, unasked. */
  readonly isShown?: true
  /** Width of its rollup's buckets, ms, where that is not a minute. */
  readonly bucketMs?: number
  readonly query: (query: SideQuery, requested: Requested) => Query<unknown>
  /** Why what it read keeps the sides from being compared by time although they ran at once, and what mends it. */
  readonly apart?: (read: Read) => string | undefined
  /** What the query read, as the statistics take it. */
  readonly measured: (
    ledger: Pick<Ledger, 'sql' | 'memo'>,
    query: SideQuery,
    sides: Sides,
    read: Read,
  ) => Promise<MeasuredBy>
}

/** A rule of a feature that a promotion has to meet besides the policy. */
export interface Condition<Read = never> extends ConditionRule {
  /** What it reads in the snapshot of an assessment; undefined where it reads nothing. */
  readonly reads: (
    ledger: Pick<Ledger, 'workspace' | 'sql'>,
    proposal: Pick<DecidedRelease, 'environment'> & { readonly action: string } & ComparedPair & ReadFor,
  ) => Query<unknown> | undefined
  /** What evidence keeps of it; undefined where no such rule concerns the proposal. Throws 503 where it is unknown. */
  readonly found: (
    ledger: Pick<Ledger, 'workspace'>,
    proposal: Pick<DecidedRelease, 'environment'> & { readonly action: string } & Standpoint,
    clock: Clock,
    read: Read | undefined,
  ) => Evidence['gates'] | Promise<Evidence['gates']>
  /** Each rule and how it decided, for an explanation; `passed` is null where evidence doesn't tell. Pure. */
  readonly explained: (evidence: ConditionEvidence, decided: DecidedRelease) => ExplainedLimit[]
  /** What to mind of a promotion that it lets pass. */
  readonly warnings?: ConditionRule['reasons']
  /** What a comparison of two releases shows of what it read. */
  readonly answer?: (read: Read) => Promise<ConditionAnswer>
}

/** Two releases, each by an expression of its id, and the time that is looked at. */
export interface ComparedPair {
  readonly release: Statement
  readonly baseline: Statement
  readonly window: Window
}

/** What a condition is read for. */
interface ReadFor {
  /** What it decides by; undefined where that isn't known yet, and so may be anything. */
  readonly policy: Policy | undefined
  /** Whether its {@link Condition.answer} is shown. */
  readonly isShown: boolean
}

/** What a condition knows besides what it read. */
interface Standpoint {
  readonly effective: StoredPolicy
  /** Whether nothing is live that the release is compared with. */
  readonly isFirst: boolean
  /** Who wants the promotion; undefined where nobody does yet, as at a gate. */
  readonly by: Wanting | undefined
}

/** What conditions add to answers that compare two releases. */
export type ConditionAnswer = Pick<DiffReport, 'capabilities'>

/** What a feature reads, writes and answers with a decision, in the decision's own batch. */
export interface DecisionPart<Read = never> {
  readonly name: string
  /** For the snapshot that the decision is made by. */
  readonly reads: (place: { readonly release_id: string; readonly environment: string }) => Query<unknown>
  readonly contribute: (decision: NewDecision, read: Read) => Promise<Contribution | undefined>
  /** What goes on where the decision leaves the pointer where it is, with the command that ends it. `now` is epoch ms. */
  readonly unmoved?: (read: Read, now: number) => readonly string[]
}

/** A decision that is about to be written. */
export interface NewDecision {
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
