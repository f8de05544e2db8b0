import type { Policy } from '../../models/documents/policy.ts'
import type { MeasuredBy } from '../../rules/diff_statistics.ts'
import type { Sql } from '../../sql/port.ts'
import { type Query, together } from '../../sql/query.ts'
import { type Ledger, partsOf } from '../world/ledger.ts'
import { endsQuery } from '../events/ends.ts'
import { type SideQuery, type Sides, sidesQuery } from './sides.ts'

/** The measures of features that a policy decides by, and those that are asked for by name. */
export async function measuresOf(
  { features }: Pick<Ledger, 'features'>,
  policy: Policy,
  asked: readonly string[] = [],
): Promise<Measure[]> {
  const measures = await partsOf<Measure>(features, 'measure')
  return measures.filter(({ name, isLimited }) => asked.includes(name) || isLimited(policy))
}

/** All that one snapshot reads to compare two releases in a window, for {@link readWindow}. */
export function comparisonQuery({ dialect }: Sql, query: SideQuery, measures: readonly Measure[]) {
  const extras: Record<string, Query<unknown>> = {}
  for (const measure of measures) extras[measure.name] = measure.query(dialect, query)
  return together({
    ends: endsQuery(query, Math.max(0, ...measures.map(({ bucketMs = 0 }) => bucketMs))),
    sides: sidesQuery(dialect, query),
    extras: together(extras),
  })
}

/** What the measures read, as the statistics take it. */
export async function readExtras(
  ledger: Pick<Ledger, 'sql'>,
  query: SideQuery,
  sides: Sides,
  measures: readonly Measure[],
  extras: Readonly<Record<string, unknown>>,
): Promise<MeasuredBy[]> {
  return Promise.all(
    measures.map(({ name, measured }) => measured(ledger, query, sides, extras[name] as never)),
  )
}

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
    ledger: Pick<Ledger, 'sql'>,
    query: SideQuery,
    sides: Sides,
    read: Read,
  ) => Promise<MeasuredBy>
}
