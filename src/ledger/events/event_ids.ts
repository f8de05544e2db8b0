import { isTagged, isWholeText } from '../../rules/event_rest.ts'
import type { Progress } from '../world/ledger.ts'
import { type Sql, rowsOf, sql } from '../../sql/port.ts'

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
