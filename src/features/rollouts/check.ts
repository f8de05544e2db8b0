import { DAY_MS, MINUTE_MS } from '../../base/time.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { type Row, type Sql, type Statement, rowsOf, sql } from '../../sql/port.ts'
import { TEXT_COLUMNS, textOf } from '../../ledger/events/event_texts.ts'
import type { Check, CheckOptions } from '../../ledger/doctor/check.ts'
import { type DoctorCheck, fail, pass } from '../../ledger/doctor/report.ts'
import { assignedRuns, toAssigning } from './counting.ts'
import { COLUMNS, OPEN } from './rows.ts'

export const CHECKS: readonly Check[] = [
  { name: 'rollouts', run: checkLooks },
  { name: 'rollout_sums', deep: true, run: checkSums },
]

/** Rollouts are looked at every minute; past this nobody does. */
const OVERDUE_MS = 10 * MINUTE_MS

/** Whether somebody looks at the rollouts that are open: harm that nobody looks for is not found. */
async function checkLooks(db: Sql): Promise<DoctorCheck[]> {
  const [row] = await rowsOf(
    db,
    sql`SELECT count(*) AS n, min(due_at) AS due, ${db.clock} AS now FROM rollouts WHERE ${OPEN}`,
  )
  const n = Number(row!.n)
  if (n === 0) return []
  const lateMs = Number(row!.now) - Number(row!.due)
  if (lateMs <= OVERDUE_MS) return [{ name: 'rollouts', ok: true, detail: `${n} are open` }]
  const minutes = Math.floor(lateMs / MINUTE_MS)
  const detail =
    `nobody has looked at one for ${minutes} minutes; a running \`svc serve\` on this ledger does, or the ` +
    "Worker's cron trigger"
  return [{ name: 'rollouts', ok: true, detail, warning: true }]
}

/** Runs that come between two statements of a change of step, or are dated ahead, may count in the step before. */
const TOLERATED = { runs: 10, share: 0.01 } as const

/**
 * Assigns the events of each rollout again, and compares how many runs each side has. Where events were pruned or erased
 * the sums are the only record. Those of a rollout that has ended lack what came in later.
 */
async function checkSums(db: Sql, { digestAll, onProgress }: CheckOptions): Promise<DoctorCheck> {
  const name = 'rollout_sums'
  const rollouts = await rowsOf(db, sql`SELECT ${COLUMNS} FROM rollouts ORDER BY seq`)
  let compared = 0
  for (const [done, row] of rollouts.entries()) {
    onProgress?.('rollouts', done, rollouts.length)
    const counted = await recount(db, row, digestAll)
    if (counted === undefined) continue
    compared += 1
    const kept = await rowsOf(
      db,
      sql`SELECT step, side, sum(runs) AS runs FROM rollout_sums WHERE rollout = ${row.seq!} GROUP BY step, side
        ORDER BY step, side`,
    )
    const isOpen = row.state === 'running' || row.state === 'paused'
    const keys = new Set([...counted.keys(), ...kept.map(keyOf)])
    const wrong = [...keys].find(key => {
      const [found, again] = [Number(kept.find(own => keyOf(own) === key)?.runs ?? 0), counted.get(key) ?? 0]
      const tolerated = Math.max(TOLERATED.runs, TOLERATED.share * again)
      return found > again + tolerated || (isOpen && found < again - tolerated)
    })
    if (wrong === undefined) continue
    const [step, side] = wrong.split(' ')
    const found = Number(kept.find(own => keyOf(own) === wrong)?.runs ?? 0)
    return fail(
      name,
      `${row.rollout_id} counts ${found} runs in step ${step} on side ${side}, and there are ${counted.get(wrong) ?? 0}; ` +
        'abort it and begin another one',
    )
  }
  return pass(name, `${compared} of ${rollouts.length} rollouts count the runs that there are`)
}

function keyOf({ step, side }: Row): string {
  return `${step} ${side}`
}

/** Events that are read at a time. */
const PAGE = 2000

/** Runs by step and side; undefined where events of its time are gone. */
async function recount(
  db: Sql,
  row: Row,
  digestAll: CheckOptions['digestAll'],
): Promise<ReadonlyMap<string, number> | undefined> {
  const assigning = toAssigning(row)
  const [from, until] = [Number(row.started_at), Number(row.hold_until ?? row.ended_at ?? Number.MAX_SAFE_INTEGER)]
  const scopes = await rowsOf(
    db,
    sql`SELECT id, release_id, environment, CASE WHEN EXISTS (SELECT 1 FROM event_gaps g
        WHERE g.scope = scopes.id AND g.day >= ${Math.floor(from / DAY_MS)}) THEN 1 ELSE 0 END AS has_gap
      FROM scopes WHERE environment = ${row.environment!} ORDER BY id`,
  )
  if (scopes.some(({ has_gap }) => has_gap === 1)) return undefined
  const counted = new Map<string, number>()
  for (const scope of scopes) {
    for await (const events of eventsOf(db, scope, { from, until })) {
      for (const { row: run } of await assignedRuns({ digestAll }, events, [assigning])) {
        const key = `${run[3]} ${run[4]}`
        counted.set(key, (counted.get(key) ?? 0) + 1)
      }
    }
  }
  return counted
}

async function* eventsOf(
  db: Sql,
  scope: Row,
  { from, until }: { readonly from: number; readonly until: number },
): AsyncGenerator<StoredEvent[]> {
  let after: Statement = sql`e.ts >= ${from}`
  for (;;) {
    const rows = await rowsOf(
      db,
      sql`SELECT e.seq, ${TEXT_COLUMNS} FROM run_events e JOIN variants v ON v.id = e.variant
        WHERE e.scope = ${scope.id!} AND e.ts < ${until} AND ${after} ORDER BY e.ts, e.seq LIMIT ${PAGE}`,
    )
    const named = { release_id: String(scope.release_id), environment: String(scope.environment) }
    yield rows.map(found => JSON.parse(textOf(found, named)) as StoredEvent)
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return
    after = sql`(e.ts > ${last.ts!} OR (e.ts = ${last.ts!} AND e.seq > ${last.seq!}))`
  }
}
