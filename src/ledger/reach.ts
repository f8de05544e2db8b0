import type { MissingForHigh } from '../models/decision.ts'
import type { Thresholds } from '../rules/confidence.ts'
import { HOUR_MS, MINUTE_MS } from '../rules/time.ts'
import { windowCovering } from '../rules/window.ts'
import { type Sql, rowsOf, sql } from '../sql/port.ts'
import { scopeCte } from './rollups.ts'
import type { Side } from './sides.ts'

/** Counts what is missing for HIGH, from roll-ups. */
export async function missingForHigh(
  db: Sql,
  sides: { baseline: Side; candidate: Side },
  thresholds: Thresholds,
  environment: string,
  until: number,
): Promise<MissingForHigh> {
  const { baseline, candidate } = sides
  const [baselineMinutes, candidateMinutes] = await Promise.all([
    minutesToHold(db, baseline.release.release_id, environment, until, thresholds.min_baseline_runs),
    minutesToHold(db, candidate.release.release_id, environment, until, thresholds.min_candidate_runs),
  ])
  const minutes =
    baselineMinutes === null || candidateMinutes === null ? null : Math.max(baselineMinutes, candidateMinutes)
  return {
    baseline_runs_needed: Math.max(0, thresholds.min_baseline_runs - baseline.metrics.runs),
    candidate_runs_needed: Math.max(0, thresholds.min_candidate_runs - candidate.metrics.runs),
    shortest_window: minutes === null ? null : windowCovering(minutes),
  }
}

/** Hours up to now that are searched minute by minute; older ones by the hour. */
const FINE_HOURS = 3

/** Minutes back from `until` that hold `wanted` runs of a release; null where there are not so many. */
async function minutesToHold(
  db: Sql,
  releaseId: string,
  environment: string,
  until: number,
  wanted: number,
): Promise<number | null> {
  if (wanted <= 0) return 0
  const lastMinute = Math.floor(until / MINUTE_MS)
  const fineFrom = Math.max(0, Math.floor(until / HOUR_MS) - FINE_HOURS)
  const scope = scopeCte(releaseId, environment)
  const [edge, fine] = await db.snapshot([
    sql`WITH ${scope} SELECT count(*) AS runs FROM run_events
      WHERE scope = (SELECT id FROM scope) AND ts >= ${lastMinute * MINUTE_MS} AND ts < ${until}`,
    sql`WITH ${scope} SELECT bucket, sum(runs) AS runs FROM rollup_minutes
      WHERE scope = (SELECT id FROM scope) AND bucket >= ${fineFrom * 60} AND bucket < ${lastMinute}
      GROUP BY bucket ORDER BY bucket DESC`,
  ])
  let held = Number(edge!.rows[0]!.runs)
  if (held >= wanted) return minutesSince(lastMinute * MINUTE_MS, until)
  for (const row of fine!.rows) {
    held += Number(row.runs)
    if (held >= wanted) return minutesSince(Number(row.bucket) * MINUTE_MS, until)
  }
  const [coarse] = await rowsOf(
    db,
    sql`WITH ${scope}, hourly AS (
        SELECT bucket, sum(runs) AS runs FROM rollup_hours
        WHERE scope = (SELECT id FROM scope) AND bucket < ${fineFrom} GROUP BY bucket
      ), running AS (SELECT bucket, sum(runs) OVER (ORDER BY bucket DESC) AS total FROM hourly)
      SELECT max(bucket) AS bucket FROM running WHERE total >= ${wanted - held}`,
  )
  return coarse?.bucket == null ? null : minutesSince(Number(coarse.bucket) * HOUR_MS, until)
}

function minutesSince(start: number, until: number): number {
  return Math.ceil((until - start) / MINUTE_MS)
}
