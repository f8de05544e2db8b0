import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { HotSpot } from '../../rules/change_sentence.ts'
import { type StrataNames, namerOf, withoutStrata } from '../../rules/strata_names.ts'
import type { Sql } from '../../sql/port.ts'
import { type Ledger, partsOf } from '../world/ledger.ts'

/** How a feature tells what statistics mention by an id. */
export interface Told {
  readonly namesIn: (db: Sql, statistics: DiffStatistics) => Promise<StrataNames>
}

interface ToldStatistics {
  readonly statistics: DiffStatistics
  /** Names of what they mention; none for a caller that may not read. */
  readonly names: StrataNames
  readonly nameOf: (spot: HotSpot) => string
}

/** Statistics as a caller is told them: who may not read is told of no single tenant or task. */
export async function toldTo(
  { sql: db, features }: Pick<Ledger, 'sql' | 'features'>,
  statistics: DiffStatistics,
  isReader: boolean,
): Promise<ToldStatistics> {
  if (!isReader) return { statistics: withoutStrata(statistics), names: [], nameOf: namerOf([]) }
  const parts = await partsOf<Told>(features, 'told')
  const names = (await Promise.all(parts.map(({ namesIn }) => namesIn(db, statistics)))).flat()
  return { statistics, names, nameOf: namerOf(names) }
}
