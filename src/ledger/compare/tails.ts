import { isoTime } from '../../base/time.ts'
import type { Tails } from '../../rules/diff_statistics.ts'
import type { Sketch } from '../../rules/statistics/sketch.ts'
import type { Sql } from '../../sql/port.ts'
import { type Query, ofSides } from '../../sql/query.ts'
import { latenciesKnownSince, sketchStatement, toSketch } from '../events/latency_counts.ts'
import type { Ledger } from '../ledger.ts'
import type { Side, SideQuery, Sides } from './sides.ts'

/** The latencies of both sides, for the snapshot that reads these. */
export function sketchesQuery(
  dialect: Sql['dialect'],
  { environment, window, filters, ...query }: SideQuery,
): Query<Sketches> {
  return ofSides(side => {
    const statement = sketchStatement(dialect, query[`${side}Id`], environment, window, filters)
    return { statements: [statement], read: ([result]) => toSketch(result!.rows) }
  })
}

export interface Sketches {
  readonly baseline: Sketch
  readonly candidate: Sketch
}

/** The same with their sums. Where it is not as many runs as carry a latency, it says from when on it would be. */
export async function readTails(
  { sql: db }: Pick<Ledger, 'sql'>,
  { environment, window }: SideQuery,
  sides: Sides,
  sketches: Sketches,
): Promise<Tails> {
  const baseline = withSum(sketches.baseline, sides.baseline)
  const candidate = withSum(sketches.candidate, sides.candidate)
  const lacking = [
    { side: sides.baseline, sketch: baseline },
    { side: sides.candidate, sketch: candidate },
  ].filter(({ side, sketch }) => countOf(sketch) !== side.timedRuns)
  if (lacking.length === 0) return { baseline, candidate, known_since: null }
  const since = await Promise.all(
    lacking.map(({ side }) => latenciesKnownSince(db, side.release.release_id, environment, window)),
  )
  return { baseline, candidate, known_since: isoTime(Math.max(...since)) }
}

function withSum(sketch: Sketch, side: Side): Sketch {
  const sum = latencySum(side)
  return Number.isSafeInteger(sum) ? { ...sketch, sum } : sketch
}

function countOf({ counts }: Sketch): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

/** Without the runs that were left out of the side: less than all of the sketch then, so it is not taken to be constant. */
function latencySum({ variants }: Side): number {
  return variants.reduce((sum, { latency_sum_ms }) => sum + latency_sum_ms, 0)
}
