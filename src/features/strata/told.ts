import type { Told } from '../../ledger/assess/told.ts'
import { join, rowsOf, sql } from '../../sql/port.ts'
import { nullable } from '../../sql/query.ts'

/** Names of the tenants and tasks that statistics mention by their ids. */
export const told: Told = {
  namesIn: async (db, { hot_spots, compared }) => {
    const { candidate, baseline } = compared?.left_out ?? {}
    const ids = new Set([
      ...(hot_spots?.found ?? []).map(({ stratum }) => stratum),
      ...(candidate?.largest ?? []),
      ...(baseline?.largest ?? []),
    ])
    if (ids.size === 0) return []
    const listed = join(
      [...ids].map(id => sql`${id}`),
      ', ',
    )
    const rows = await rowsOf(db, sql`SELECT id, kind, name FROM strata WHERE id IN (${listed}) ORDER BY id`)
    return rows.map(({ id, kind, name }) => ({
      id: Number(id),
      kind: kind === 'task' ? 'task' : 'tenant',
      name: nullable(name, String),
    }))
  },
}
