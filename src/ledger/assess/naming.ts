import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { NamedCase } from '../../models/answers/suites.ts'
import {
  type SegmentRegression,
  type SegmentNames,
  idsInTexts,
  withNames,
  namerOf,
  withoutSegments,
} from '../../rules/change_sentence.ts'
import type { Sql } from '../../sql/port.ts'
import { type Ledger, partsOf } from '../world/ledger.ts'

/** How a feature tells what statistics mention by an id. */
export interface Naming {
  /** Ids of the tenants and tasks that they mention. */
  readonly idsIn?: (statistics: DiffStatistics) => readonly number[]
  /** Names of tenants and tasks by their ids. */
  readonly namesOf?: (db: Sql, ids: readonly number[]) => Promise<SegmentNames>
  /** The cases of evaluations that they list, by their names. */
  readonly casesIn?: (
    ledger: Pick<Ledger, 'sql' | 'memo'>,
    statistics: DiffStatistics,
  ) => Promise<readonly NamedCase[]>
}

interface NamedStatistics {
  readonly statistics: DiffStatistics
  /** Names of what they mention; none for a caller that may not read. */
  readonly names: SegmentNames
  readonly cases: readonly NamedCase[]
  readonly nameOf: (spot: SegmentRegression) => string
}

/** Removes tenant, task and case names for callers without read access. */
export async function namedFor(
  ledger: Pick<Ledger, 'sql' | 'memo' | 'features'>,
  statistics: DiffStatistics,
  isReader: boolean,
): Promise<NamedStatistics> {
  if (!isReader) return { statistics: withoutSegments(statistics), names: [], cases: [], nameOf: namerOf([]) }
  const parts = await partsOf(ledger.features, 'naming')
  const found = await Promise.all(
    parts.map(async ({ idsIn, namesOf, casesIn }) => ({
      names: (await namesOf?.(ledger.sql, idsIn?.(statistics) ?? [])) ?? [],
      cases: (await casesIn?.(ledger, statistics)) ?? [],
    })),
  )
  const [names, cases] = [found.flatMap(each => each.names), found.flatMap(each => each.cases)]
  const limits = statistics.limits.map(limit => ({ ...limit, metric: withNames(limit.metric, names) }))
  return { statistics: { ...statistics, limits }, names, cases, nameOf: namerOf(names) }
}

/** Names of the tenants and tasks that texts mention by their ids. */
export async function namesIn(
  { sql: db, features }: Pick<Ledger, 'sql' | 'features'>,
  texts: readonly string[],
): Promise<SegmentNames> {
  const ids = idsInTexts(texts)
  if (ids.length === 0) return []
  const parts = await partsOf(features, 'naming')
  return (await Promise.all(parts.map(async ({ namesOf }) => (await namesOf?.(db, ids)) ?? []))).flat()
}
