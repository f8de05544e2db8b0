import { DEFAULT_POLICY } from '../../rules/policy.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { MeasuredBy, StatisticsQuestion } from '../../rules/diff_statistics.ts'
import type { Sql } from '../../sql/port.ts'
import { type Query, together } from '../../sql/query.ts'
import { type Ledger, partsOf } from '../world/ledger.ts'
import { endsQuery } from '../events/ends.ts'
import { type SideQuery, type Sides, sidesQuery } from './sides.ts'

/** Measures of features, and what they are read for. */
export interface Measures extends Asked {
  readonly measures: readonly Measure[]
}

export const NO_MEASURES: Measures = {
  measures: [],
  policy: DEFAULT_POLICY,
  isDiff: false,
  isRollback: false,
}

/** The measures of features that a policy decides by, those that diffs show, and those that are asked for by name. */
export async function measuresOf(
  { features }: Pick<Ledger, 'features'>,
  asked: Asked,
  names: readonly string[] = [],
): Promise<Measures> {
  const all = await partsOf<Measure>(features, 'measure')
  const measures = all.filter(
    ({ name, isShown = false, isLimited }) =>
      names.includes(name) || (isShown && asked.isDiff) || isLimited(asked.policy),
  )
  return { ...asked, measures }
}

/** All that one snapshot reads to compare two releases in a window, for {@link readWindow}. */
export function comparisonQuery({ dialect }: Sql, query: SideQuery, { measures, ...asked }: Measures) {
  const extras: Record<string, Query<unknown>> = {}
  for (const measure of measures) extras[measure.name] = measure.query(dialect, query, asked)
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
  { measures }: Measures,
  read: Readonly<Record<string, unknown>>,
): Promise<Pick<StatisticsQuestion, 'extras' | 'apart'>> {
  const extras = measures.map(({ name, measured }) => measured(ledger, query, sides, read[name] as never))
  return {
    extras: await Promise.all(extras),
    apart: measures.flatMap(({ name, apart }) => apart?.(read[name] as never) ?? []),
  }
}

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
