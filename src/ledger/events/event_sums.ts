import type { StoredEvent } from '../../models/documents/stored_event.ts'
import type { Range } from '../../rules/window.ts'
import type { Sql, Statement, Value } from '../../sql/port.ts'
import type { Aggregate, VariantSums } from '../../rules/rollup.ts'
import type { Query } from '../../sql/query.ts'
import type { Ledger, Pace } from '../world/ledger.ts'

/** A table of rollups, how it follows from rows, and how rows of it are compared. */
export interface Rollup {
  readonly table: string
  readonly widthMs: number
  /** What it is made of. */
  readonly from: 'run_events' | 'run_parts' | 'run_scores'
  readonly key: readonly string[]
  readonly columns: readonly string[]
  readonly select: (widthMs: number, source: Statement) => Statement
  readonly same: (kept: Value | undefined, summed: Value | undefined, column: string) => boolean
  /** Conditions on the rows that it counts already, and on the buckets that it keeps; all of both unless given. */
  readonly only?: () => { readonly rows: Statement; readonly buckets: Statement }
}

/** What a feature sums of run events, and what it does where events come, go and come back. */
export interface EventSums {
  /**
   * Part of the batch that stores events: a statement that writes. `added` are the new events, the rest of a FROM clause;
   * on PostgreSQL it becomes part of one statement, and sees nothing else of the batch.
   */
  readonly onStored: (db: Pick<Sql, 'clock'>, added: Statement) => Statement
  /** Called with events all of which were stored just now. */
  readonly afterStored: (
    ledger: Pick<Ledger, 'sql' | 'memo'>,
    events: readonly StoredEvent[],
  ) => Promise<void>
  /** What the doctor compares with the events, and `svc rollups rebuild` makes again from them. */
  readonly rollups: readonly Rollup[]
  readonly beforeRebuild: (db: Sql) => Promise<void>
  /** Sums what is not summed yet. Cheap where there is nothing to do. */
  readonly catchUp: (ledger: Pick<Ledger, 'sql' | 'newId'>, pace: Pace) => Promise<void>
  /**
   * Part of a batch that removes these events, before they go: sums those that are not summed yet. Does nothing where
   * `guard` does not hold.
   */
  readonly onRemoval: (
    ledger: Pick<Ledger, 'sql' | 'newId'>,
    seqs: readonly number[],
    guard: Statement,
  ) => readonly Statement[]
  /** Called when all events of a day (UTC, since the epoch) of some releases may be back. */
  readonly afterRestore: (db: Sql, day: number) => Promise<void>
  /** Sums by what runs name, for who splits a difference by it; undefined for what they are not summed by. */
  readonly byName: (what: string) => SumsByName | undefined
  /** Sums by tenant and task that come from elsewhere. */
  readonly elsewhere?: SumsElsewhere
  /** Has a row where the name of a tenant is kept. */
  readonly namesTenant: (tenant: string) => Statement
  /** Part of a batch that removes the name of a tenant, where `guard` holds. */
  readonly forgetTenant: (db: Pick<Sql, 'dialect'>, tenant: string, guard: Statement) => readonly Statement[]
}

/** How sums by a tenant or task that others made are kept: by the hour, in a table for each kind and each of runs and parts. */
export interface SumsElsewhere {
  readonly table: (kind: 'tenant' | 'task', of: 'runs' | 'parts') => string
  /** Part of a batch that makes the sums of hours again, a condition on a scope and a bucket: behind what makes them. */
  readonly replaced: (inHours: Statement) => readonly Statement[]
  /** Gives ids to names of an agent in an environment, as far as there is room, the first ones first; what has none shares 0. */
  readonly idsOf: (
    db: Sql,
    kind: 'tenant' | 'task',
    place: { readonly agent_id: string; readonly environment: string },
    names: readonly string[],
  ) => Promise<ReadonlyMap<string, number>>
}

/** Sums of runs by a name that they share, say their tenant. */
export interface SumsByName {
  /** How long the time is, up to now, of which all sums are there, ms. */
  readonly longestMs: number
  /**
   * The sums of a release's runs in some whole hours, numbers since the epoch; undefined where they lack runs, or a run
   * without a name of its own.
   */
  readonly query: (
    ledger: Pick<Ledger, 'memo'>,
    read: { readonly releaseId: string; readonly environment: string; readonly hours: Range },
  ) => Query<readonly SumsOfName[] | undefined>
}

/** Of the runs of one model. */
export type SumsOfName = { readonly name: string } & VariantSums &
  Pick<Aggregate, 'latency_sum_ms2' | 'token_products'>
