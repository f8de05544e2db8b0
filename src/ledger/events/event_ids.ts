import { isTagged, isWholeText } from '../../rules/event_rest.ts'
import { REST, STRATA_KINDS, type StrataKind } from '../../rules/strata.ts'
import { STRATA_SOURCES, strataTable } from './strata_sql.ts'
import type { Progress } from '../world/ledger.ts'
import { type Sql, type Statement, join, raw, rowsOf, sql } from '../../sql/port.ts'

/** Strata of roll-ups that stand for nothing, or for something of another agent, environment or kind. */
function strayStrata(kind: StrataKind): Statement {
  return sql`SELECT u.scope, u.stratum FROM (${join(
    STRATA_SOURCES.map(of => sql`SELECT scope, stratum, variant FROM ${raw(strataTable(kind, of))}`),
    ' UNION ',
  )}) AS u
    JOIN scopes s ON s.id = u.scope JOIN variants v ON v.id = u.variant
    LEFT JOIN strata t ON t.id = u.stratum AND t.kind = ${kind} AND t.agent_id = v.agent_id
      AND t.environment = s.environment
    WHERE u.stratum <> ${REST} AND t.id IS NULL`
}

/** Events compared at a time. */
const PAGE = 2000

/**
 * Ids of scopes and variants that stand for nothing, or for something else than the text of an event that was stored
 * whole, or for its tag: the first few.
 */
export async function scopeProblems(db: Sql, onProgress?: Progress, most = 3): Promise<string[]> {
  const orphans = await rowsOf(
    db,
    sql`SELECT DISTINCT h.scope, h.variant FROM rollup_hours h
      LEFT JOIN scopes s ON s.id = h.scope LEFT JOIN variants v ON v.id = h.variant
      WHERE s.id IS NULL OR v.id IS NULL LIMIT ${most}`,
  )
  const problems = orphans.map(({ scope, variant }) => `scope ${scope} or variant ${variant} is not there`)
  for (const kind of STRATA_KINDS) {
    const strays = await rowsOf(db, sql`${strayStrata(kind)} LIMIT ${most}`)
    problems.push(
      ...strays.map(({ scope, stratum }) => `stratum ${stratum} of scope ${scope} is no ${kind} there`),
    )
  }
  const [newest] = await rowsOf(db, sql`SELECT coalesce(max(seq), 0) AS seq FROM run_events`)
  const last = Number(newest!.seq)
  for (let seq = 0; problems.length < most;) {
    const rows = await rowsOf(
      db,
      sql`SELECT e.seq, e.run_id, e.event_json, s.release_id, s.environment, v.agent_id, v.provider, v.model
        FROM run_events e LEFT JOIN scopes s ON s.id = e.scope LEFT JOIN variants v ON v.id = e.variant
        WHERE e.seq > ${seq} ORDER BY e.seq LIMIT ${PAGE}`,
    )
    if (rows.length === 0) break
    seq = Number(rows.at(-1)!.seq)
    onProgress?.('events', seq, last)
    for (const { run_id, event_json, ...ids } of rows) {
      if (!isTagged({ event_json, ...ids } as unknown as Parameters<typeof isTagged>[0])) {
        const { release_id, environment, model } = ids
        problems.push(
          `run_id ${run_id} was stored for another release or model than ${release_id ?? 'none'} in ` +
            `${environment ?? 'none'}, ${model ?? 'none'}, for which it is counted`,
        )
      }
      if (!isWholeText(String(event_json))) continue
      const { release_id, environment, agent_id, usage } = JSON.parse(String(event_json))
      const text = {
        release_id,
        environment,
        agent_id,
        provider: usage.model.provider,
        model: usage.model.model,
      }
      const wrong = Object.entries(text).find(([name, value]) => ids[name] !== value)
      if (wrong !== undefined && problems.length < most) {
        const [name, value] = wrong
        problems.push(`run_id ${run_id} says ${name} ${value}, but is counted for ${ids[name] ?? 'none'}`)
      }
    }
  }
  return problems.slice(0, most)
}
