import { DEFAULT_POLICY } from '../../rules/default_policy.ts'
import type { StatisticsQuestion } from '../../rules/diff_statistics.ts'
import type { Sql } from '../../sql/port.ts'
import { type Query, together } from '../../sql/query.ts'
import { partsOf } from '../world/feature.ts'
import type { Ledger } from '../world/ledger.ts'
import { endsQuery } from '../events/ends.ts'
import type { Asked, Measure } from './measure.ts'
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
