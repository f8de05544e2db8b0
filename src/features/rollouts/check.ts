import { sha256 } from '../../base/bytes.ts'
import { DAY_MS } from '../../base/time.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { SETTLE_MS } from './rules_steps.ts'
import { type Row, type Sql, type Statement, raw, rowsOf, sql } from '../../sql/port.ts'
import { TEXT_COLUMNS, textOf } from '../../ledger/events/event_texts.ts'
import { PART_TOKENS, type PartRow } from '../../ledger/events/parts.ts'
import {
  type Check,
  type CheckOptions,
  type DoctorCheck,
  fail,
  overdueCheck,
  pass,
} from '../../ledger/doctor/check.ts'
import type { LogRecord } from '../../ledger/trail/chain.ts'
import {
  type AssignedRun,
  type Assigning,
  SUM_TABLES,
  assignedRuns,
  recountStatements,
  toAssigning,
} from './counting.ts'
import { COLUMNS, DUE, OPEN } from './rows.ts'
import { SIDES } from './sums.ts'

export const CHECKS: readonly Check[] = [
  { name: 'rollouts', run: db => overdueCheck(db, DUE, 'open') },
  { name: 'rollout_key', deep: true, run: checkKey },
  { name: 'rollout_sums', deep: true, run: checkSums },
]

/** The key of users' units is that which the newest rollout began with: another one would split all users again. */
async function checkKey(db: Sql): Promise<DoctorCheck[]> {
  const name = 'rollout_key'
  const [mark, newest] = await db.snapshot([
    sql`SELECT assignment_key FROM rollout_mark WHERE id = 1`,
    sql`SELECT log_seq, record_json FROM audit_log WHERE kind = 'rollout.started' ORDER BY log_seq DESC LIMIT 1`,
  ])
  const [started] = newest!.rows
  if (started === undefined) return []
  const { details } = JSON.parse(String(started.record_json)) as LogRecord
  const key = String(mark!.rows[0]!.assignment_key)
  return [
    details?.assignment_key_sha256 === (await sha256(key))
      ? pass(name, 'is that of the newest rollout')
      : fail(name, `does not match log_seq ${started.log_seq}: users are split in another way; restore it`),
  ]
}

/** Assigns the events of each open rollout again, and compares all sums. Where events were pruned or erased, sums are all there is. */
async function checkSums(db: Sql, { onProgress }: CheckOptions): Promise<DoctorCheck> {
  const name = 'rollout_sums'
  const ownerless = await ownerlessRow(db)
  if (ownerless !== undefined) return fail(name, ownerless)
  const rollouts = await rowsOf(db, sql`SELECT ${COLUMNS} FROM rollouts WHERE ${OPEN} ORDER BY seq`)
  let compared = 0
  for (const [done, row] of rollouts.entries()) {
    onProgress?.('rollouts', done, rollouts.length)
    const counted = await recount(db, row)
    if (counted === undefined) continue
    compared += 1
    const problem = await differenceOf(db, row, counted)
    if (problem !== undefined)
      return fail(name, `${row.rollout_id}: ${problem}; abort it and begin another one`)
  }
  return pass(name, `those of ${compared} of ${rollouts.length} open rollouts equal their runs`)
}

/** Sums of no rollout. */
async function ownerlessRow(db: Sql): Promise<string | undefined> {
  for (const table of [...SUM_TABLES.map(({ table: own }) => own), 'rollout_counts', 'rollout_units']) {
    const [row] = await rowsOf(
      db,
      sql`SELECT s.rollout FROM ${raw(table)} s WHERE NOT EXISTS (SELECT 1 FROM rollouts o WHERE o.seq = s.rollout) LIMIT 1`,
    )
    if (row !== undefined) return `${table} has sums of rollout ${row.rollout}, which is missing`
  }
  return undefined
}

/** What the events of a rollout add up to. */
interface Recounted {
  /** By table and key, its sums. */
  readonly sums: ReadonlyMap<string, readonly number[]>
  /** By step and side, units. */
  readonly units: ReadonlyMap<string, ReadonlySet<number>>
  /** Runs that may have been counted in the step before: they are dated behind its end, and came in before. */
  readonly unsure: number
}

/** Sums that differ. Runs that were dated ahead of the clock are known by their own sums, but not where they lie by now. */
async function differenceOf(db: Sql, { seq }: Row, counted: Recounted): Promise<string | undefined> {
  const kept = new Map<string, readonly number[]>()
  let ahead = 0
  for (const table of SUM_TABLES) {
    const sums = table.sums.map(([column]) => column)
    for (const row of await rowsOf(db, sql`SELECT * FROM ${raw(table.table)} WHERE rollout = ${seq!}`)) {
      if (row.side === SIDES.ahead) ahead += Number(row.runs ?? 0)
      else
        kept.set(
          keyOf(table, row),
          sums.map(column => Number(row[column])),
        )
    }
  }
  const units = await rowsOf(
    db,
    sql`SELECT step, side, sum(units) AS units, (SELECT count(*) FROM rollout_units u
        WHERE u.rollout = c.rollout AND u.step = c.step) AS listed
      FROM rollout_counts c WHERE rollout = ${seq!} GROUP BY rollout, step, side`,
  )
  // Some runs lie elsewhere than where they counted: then only their number can be compared.
  const isExact = ahead + counted.unsure === 0
  const tolerated = ahead + counted.unsure
  for (const key of new Set([...kept.keys(), ...counted.sums.keys()])) {
    const [found, wanted] = [kept.get(key) ?? [], counted.sums.get(key) ?? []]
    const isSame = isExact
      ? found.length === wanted.length && found.every((value, index) => isNear(value, wanted[index]!))
      : Math.abs(runsIn(key, found) - runsIn(key, wanted)) <= tolerated
    if (!isSame)
      return `${key} sums ${found.join(', ') || 'nothing'}, and its runs ${wanted.join(', ') || 'nothing'}`
  }
  const seen = new Map(units.map(row => [`${row.step} ${row.side}`, Number(row.units)]))
  for (const key of new Set([...seen.keys(), ...counted.units.keys()])) {
    const [found, wanted] = [seen.get(key) ?? 0, counted.units.get(key)?.size ?? 0]
    if (Math.abs(found - wanted) > tolerated)
      return `step and side ${key} have ${found} units, and there are ${wanted}`
  }
  const listed = units.find(row => {
    const all = units.filter(({ step }) => step === row.step).reduce((sum, own) => sum + Number(own.units), 0)
    return Number(row.listed) !== all
  })
  if (listed !== undefined) return `of the units of step ${listed.step} ${listed.listed} are listed`
  return isExact ? strangeUnit(db, seq!, counted.units) : undefined
}

/** A unit that is listed for a step, but of which no run counts there: one that is listed is not counted again. */
async function strangeUnit(
  db: Sql,
  seq: Row[string],
  counted: Recounted['units'],
): Promise<string | undefined> {
  const rows = await rowsOf(db, sql`SELECT step, unit FROM rollout_units WHERE rollout = ${seq}`)
  const strange = rows.find(
    ({ step, unit }) =>
      ![SIDES.baseline, SIDES.candidate].some(side => counted.get(`${step} ${side}`)?.has(Number(unit))),
  )
  return strange === undefined ? undefined : `unit ${strange.unit} of step ${strange.step} has no run`
}

function keyOf({ table, last }: (typeof SUM_TABLES)[number], row: Row): string {
  return `${table} ${row.step} ${row.side} ${row.bucket} ${row[last]}`
}

function runsIn(key: string, sums: readonly number[]): number {
  return sums[key.startsWith('rollout_sums') ? 1 : 0] ?? 0
}

/** Sums of doubles depend on their order in the last bits. */
function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b), 1)
}

/** Undefined where events of its time are gone. */
async function recount(db: Sql, row: Row): Promise<Recounted | undefined> {
  const assigning = toAssigning(row)
  const from = Number(row.started_at)
  const scopes = await rowsOf(
    db,
    sql`SELECT id, release_id, environment, CASE WHEN EXISTS (SELECT 1 FROM event_gaps g
        WHERE g.scope = scopes.id AND g.day >= ${Math.floor(from / DAY_MS)}) THEN 1 ELSE 0 END AS has_gap
      FROM scopes WHERE environment = ${row.environment!} ORDER BY id`,
  )
  if (scopes.some(({ has_gap }) => has_gap === 1)) return undefined
  const sums = new Map<string, number[]>()
  const units = new Map<string, Set<number>>()
  let unsure = 0
  for (const scope of scopes) {
    for await (const { events, parts } of eventsOf(db, scope, from)) {
      const runs: AssignedRun[] = []
      for (const [begun, own] of Map.groupBy(events, ({ seq }) => begunBy(assigning, seq))) {
        const [known, list] = [withSteps(assigning, begun), own.map(({ event }) => event)]
        runs.push(...(await assignedRuns(list, [known], Infinity)))
        unsure += (await assignedRuns(list, [behindItsSteps(known)], Infinity)).length
      }
      for (const { row: run } of runs) {
        const [, , , step, side, , unit] = run
        if (side < SIDES.none) setOf(units, `${step} ${side}`).add(unit)
      }
      const times = new Map(runs.map(({ row: [run_id, ts] }) => [run_id, ts]))
      const own = parts.filter(([run_id]) => times.has(run_id))
      for (const { statement, ...summed } of recountStatements(runs, own)) {
        for (const found of await rowsOf(db, statement)) {
          const key = keyOf(summed, found)
          const before = sums.get(key) ?? summed.sums.map(() => 0)
          sums.set(
            key,
            before.map((value, index) => value + Number(found[summed.sums[index]![0]])),
          )
        }
      }
    }
  }
  return { sums, units, unsure }
}

/** How many steps had begun when an event came: by its number, because clocks may have been set since. */
function begunBy({ steps }: Assigning, event: number): number {
  return steps.filter(({ after_event }) => after_event < event).length
}

/** A rollout as events were assigned by it when so many of its steps had begun. */
function withSteps(assigning: Assigning, begun: number): Assigning {
  const steps = assigning.steps.slice(0, begun)
  const isOver = begun === assigning.steps.length
  return {
    ...assigning,
    steps: steps.map((step, i) => (isOver || i < begun - 1 ? step : { ...step, to: Infinity })),
  }
}

/** The moments behind the end of each step in which nothing counts, but did before that was known. */
function behindItsSteps(assigning: Assigning): Assigning {
  const steps = assigning.steps
    .filter(({ to }) => to !== Infinity)
    .map(step => ({ ...step, from: step.to, to: step.to + SETTLE_MS }))
  return { ...assigning, steps }
}

function setOf(sets: Map<string, Set<number>>, key: string): Set<number> {
  const found = sets.get(key) ?? new Set<number>()
  sets.set(key, found)
  return found
}

/** Events that are read at a time. */
const PAGE = 1000

async function* eventsOf(
  db: Sql,
  scope: Row,
  from: number,
): AsyncGenerator<{
  readonly events: { readonly seq: number; readonly event: StoredEvent }[]
  readonly parts: PartRow[]
}> {
  let after: Statement = sql`e.ts >= ${from}`
  for (;;) {
    const rows = await rowsOf(
      db,
      sql`SELECT e.seq, ${TEXT_COLUMNS} FROM run_events e JOIN variants v ON v.id = e.variant
        WHERE e.scope = ${scope.id!} AND ${after} ORDER BY e.ts, e.seq LIMIT ${PAGE}`,
    )
    const last = rows.at(-1)
    if (last === undefined) return
    const named = { release_id: String(scope.release_id), environment: String(scope.environment) }
    const parts = await rowsOf(
      db,
      sql`SELECT e.run_id, p.variant, ${raw(PART_TOKENS.map(token => `p.${token}`).join(', '))}, e.ts
        FROM run_parts p JOIN run_events e ON e.seq = p.event
        WHERE p.scope = ${scope.id!} AND p.ts >= ${rows[0]!.ts!} AND p.ts <= ${last.ts!} AND ${after}`,
    )
    const inPage = new Set(rows.map(({ run_id }) => String(run_id)))
    yield {
      events: rows.map(found => ({
        seq: Number(found.seq),
        event: JSON.parse(textOf(found, named)) as StoredEvent,
      })),
      parts: parts.filter(({ run_id }) => inPage.has(String(run_id))).map(toPartRow),
    }
    if (rows.length < PAGE) return
    after = sql`(e.ts > ${last.ts!} OR (e.ts = ${last.ts!} AND e.seq > ${last.seq!}))`
  }
}

function toPartRow(row: Row): PartRow {
  const [input = 0, output = 0, cached = 0, written = 0] = PART_TOKENS.map(token => Number(row[token]))
  return [String(row.run_id), Number(row.variant), input, output, cached, written, Number(row.ts)]
}
