import { MINUTE_MS } from '../../base/time.ts'
import type { Window } from '../../rules/window.ts'
import { type Statement, sql } from '../../sql/port.ts'
import { filterConditions } from './matching.ts'
import { type Filters, IN_SCOPE, scopeCte } from './rollups.ts'

/** One run_id of a side that has the given agent or model, found through the minutes that hold it. */
export function oneRunStatement(
  releaseId: string,
  environment: string,
  { since, until }: Window,
  filters: Filters,
  variant: { agent_id?: string; model?: string },
): Statement {
  return sql`WITH ${scopeCte(releaseId, environment)}
    SELECT e.run_id FROM variants v
    JOIN rollup_minutes m ON m.variant = v.id AND m.${IN_SCOPE}
      AND m.bucket >= ${Math.floor(Math.max(0, since) / MINUTE_MS)} AND m.bucket < ${Math.ceil(until / MINUTE_MS)}
    JOIN run_events e ON e.scope = m.scope AND e.variant = v.id
      AND e.ts >= m.bucket * 60000 AND e.ts < (m.bucket + 1) * 60000
    WHERE e.ts >= ${since} AND e.ts < ${until} AND ${filterConditions({ ...filters })}
      AND ${
        variant.model === undefined
          ? sql`v.agent_id = ${variant.agent_id ?? null}`
          : sql`v.model = ${variant.model}`
      }
    LIMIT 1`
}
