import type { DiffReport } from '../../models/answers/diff.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { changeSentence } from '../../rules/change_sentence.ts'
import { join, rowsOf, sql } from '../../sql/port.ts'
import { nullable } from '../../sql/query.ts'
import type { Ledger } from '../world/ledger.ts'

type NamedStrata = NonNullable<DiffReport['strata']>

/** The names of the tenants and tasks that the statistics mention. */
export async function namedStrata(
  db: Ledger['sql'],
  { hot_spots, compared }: DiffStatistics,
): Promise<NamedStrata> {
  const { candidate, baseline } = compared?.left_out ?? {}
  const ids = new Set([
    ...(hot_spots?.found ?? []).map(({ stratum }) => stratum),
    ...(candidate?.largest ?? []),
    ...(baseline?.largest ?? []),
  ])
  if (ids.size === 0) return []
  const rows = await rowsOf(
    db,
    sql`SELECT id, kind, name FROM strata WHERE id IN (${join(
      [...ids].map(id => sql`${id}`),
      ', ',
    )}) ORDER BY id`,
  )
  return rows.map(({ id, kind, name }) => ({
    id: Number(id),
    kind: kind === 'task' ? 'task' : 'tenant',
    name: nullable(name, String),
  }))
}

/** How a sentence names a tenant or task; by its id where its name was erased. */
export function namerOf(named: NamedStrata): NonNullable<Parameters<typeof changeSentence>[3]> {
  return ({ kind, stratum }) => `${kind} ${named.find(({ id }) => id === stratum)?.name ?? stratum}`
}

/** Statistics that name no single tenant or task, not even by its id. */
export function withoutStrata({
  hot_spots: _spots,
  compared,
  limits,
  ...statistics
}: DiffStatistics): DiffStatistics {
  const { left_out: _leftOut, ...rest } = compared ?? {}
  return {
    ...statistics,
    ...(compared === undefined ? {} : { compared: rest as NonNullable<DiffStatistics['compared']> }),
    limits: limits.map(limit => ({ ...limit, metric: withoutIds(limit.metric) })),
  }
}

export function withoutIds(text: string): string {
  return text.replaceAll(/ of (tenant|task) \d+/g, ' of a $1')
}
