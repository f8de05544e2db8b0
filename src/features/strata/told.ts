import type { Told } from '../../ledger/assess/told.ts'
import type { StrataKind } from './rules_strata.ts'
import { join, sql } from '../../sql/port.ts'
import { allRows, asNumber, ask, asText, columns, orNull } from '../../sql/query.ts'

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
    return ask(
      db,
      allRows(sql`SELECT id, kind, name FROM strata WHERE id IN (${listed}) ORDER BY id`, readName),
    )
  },
}

const readName = columns({ id: asNumber, kind: asText<StrataKind>, name: orNull(asText) })
