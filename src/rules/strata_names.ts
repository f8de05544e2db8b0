import type { DiffReport } from '../models/answers/diff.ts'
import type { DiffStatistics } from '../models/answers/statistics.ts'
import type { HotSpot } from './change_sentence.ts'

/** Names of tenants and tasks by their ids; null where a name was erased. */
export type StrataNames = NonNullable<DiffReport['strata']>

/** How a sentence names a tenant or task; by its id where its name was erased. */
export function namerOf(names: StrataNames): (spot: HotSpot) => string {
  return ({ kind, stratum }) => `${kind} ${names.find(({ id }) => id === stratum)?.name ?? stratum}`
}

/** Statistics that mention no single tenant, task or case, not even by its id. */
export function withoutStrata({
  hot_spots: _spots,
  compared,
  suites,
  limits,
  ...statistics
}: DiffStatistics): DiffStatistics {
  const { left_out: _leftOut, ...rest } = compared ?? {}
  return {
    ...statistics,
    ...(suites === undefined
      ? {}
      : { suites: { ...suites, imported: suites.imported.map(suite => ({ ...suite, listed: [] })) } }),
    ...(compared === undefined ? {} : { compared: rest as NonNullable<DiffStatistics['compared']> }),
    limits: limits.map(limit => ({ ...limit, metric: withoutIds(limit.metric) })),
  }
}

/** The text of a limit or reason, without the id of a tenant or task. */
export function withoutIds(text: string): string {
  return text.replaceAll(/ of (tenant|task) \d+/g, ' of a $1')
}
