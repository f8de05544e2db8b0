import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { NamedCase } from '../../models/answers/suites.ts'
import {
  type SegmentRegression,
  type SegmentNames,
  namerOf,
  withoutSegments,
} from '../../rules/change_sentence.ts'
import type { Sql } from '../../sql/port.ts'
import { type Ledger, partsOf } from '../world/ledger.ts'

/** How a feature tells what statistics mention by an id. */
export interface Told {
  readonly namesIn?: (db: Sql, statistics: DiffStatistics) => Promise<SegmentNames>
  /** The cases of evaluations that they list, by their names. */
  readonly casesIn?: (
    ledger: Pick<Ledger, 'sql' | 'memo'>,
    statistics: DiffStatistics,
  ) => Promise<readonly NamedCase[]>
}

interface ToldStatistics {
  readonly statistics: DiffStatistics
  /** Names of what they mention; none for a caller that may not read. */
  readonly names: SegmentNames
  readonly cases: readonly NamedCase[]
  readonly nameOf: (spot: SegmentRegression) => string
}

/** Statistics as a caller is told them: who may not read is told of no single tenant, task or case. */
export async function toldTo(
  ledger: Pick<Ledger, 'sql' | 'memo' | 'features'>,
  statistics: DiffStatistics,
  isReader: boolean,
): Promise<ToldStatistics> {
  if (!isReader) return { statistics: withoutSegments(statistics), names: [], cases: [], nameOf: namerOf([]) }
  const parts = await partsOf(ledger.features, 'told')
  const found = await Promise.all(
    parts.map(async ({ namesIn, casesIn }) => ({
      names: (await namesIn?.(ledger.sql, statistics)) ?? [],
      cases: (await casesIn?.(ledger, statistics)) ?? [],
    })),
  )
  const [names, cases] = [found.flatMap(each => each.names), found.flatMap(each => each.cases)]
  return { statistics, names, cases, nameOf: namerOf(names) }
}
