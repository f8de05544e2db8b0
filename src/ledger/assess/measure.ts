import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { NamedCase } from '../../models/answers/suites.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { MeasuredBy } from '../../rules/diff_statistics.ts'
import type { Sql } from '../../sql/port.ts'
import type { Query } from '../../sql/query.ts'
import type { Ledger } from '../world/ledger.ts'
import type { SideQuery, Sides } from './sides.ts'

/** A further measure of two releases, read in the snapshot that compares them. */
export interface Measure<Read = never> {
  /** What a diff asks for it by. */
  readonly name: string
  /** Whether a policy decides by it, so that it has to be read. */
  readonly isLimited: (policy: Policy) => boolean
  /** Width of its roll-up's buckets, ms, where that is not a minute. */
  readonly bucketMs?: number
  readonly query: (dialect: Sql['dialect'], query: SideQuery) => Query<unknown>
  /** What the query read, as the statistics take it. */
  readonly measured: (
    ledger: Pick<Ledger, 'sql' | 'memo'>,
    query: SideQuery,
    sides: Sides,
    read: Read,
  ) => Promise<MeasuredBy>
  /** The cases that the statistics list, as a reader is told of them. */
  readonly told?: (ledger: Pick<Ledger, 'sql'>, statistics: DiffStatistics) => Promise<NamedCase[]>
}
