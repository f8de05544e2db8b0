import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import { type Sql, type Row, type Statement, rowsOf, sql } from '../../sql/port.ts'
import type { LogRecord } from '../trail/log.ts'
import { rollupFaults } from '../events/rebuild.ts'
import { blockProblem } from '../events/blocks.ts'
import type { AnyFeature, Progress } from '../world/ledger.ts'
import { type DoctorCheck, fail, pass } from './check.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { partsOf } from '../../rules/rollup.ts'
import { toMillionths } from '../../rules/millionths.ts'
import { TEXT_COLUMNS, textOf } from '../events/event_texts.ts'
import { isTagged, isWholeText } from '../../rules/event_rest.ts'

export async function checkRollups(
  db: Sql,
  features: readonly AnyFeature[],
  onProgress?: Progress,
): Promise<DoctorCheck> {
  const name = 'rollups'
  const { problems, lacking } = await rollupFaults(db, features, onProgress)
  const mark = await markProblem(db)
  const block = db.dialect === 'sqlite' ? await blockProblem(db, onProgress) : undefined
  const faults = [...problems, ...(block === undefined ? [] : [block])]
  if (faults.length > 0) return fail(name, `${faults.join('; ')}; repair with \`svc rollups rebuild\``)
  if (mark !== undefined) return fail(name, mark)
  const older = `; ${lacking} spans of time lack sums that an older version did not store: \`svc rollups rebuild\` adds them`
  return pass(name, `equal to the raw events${lacking === 0 ? '' : older}`)
}

/** The mark of SQLite is the newest event, or that which was it before it was pruned or erased. */
async function markProblem(db: Sql): Promise<string | undefined> {
  if (db.dialect !== 'sqlite') return undefined
  const [row] = await rowsOf(
    db,
    sql`SELECT (SELECT seq FROM rollup_mark WHERE id = 1) AS mark, (SELECT coalesce(max(seq), 0) FROM run_events) AS last,
      (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'run_events') AS given`,
  )
  const { mark, last, given } = row!
  const isRight = mark !== null && Number(mark) >= Number(last) && Number(mark) <= Number(given)
  return isRight ? undefined : `the mark of the roll-ups is ${mark}, but the newest event is ${last}`
}

/** Events and roll-ups name scopes and variants by ids: each has to be there, and to be what the event itself says. */
export async function checkScopes(db: Sql, onProgress?: Progress): Promise<DoctorCheck> {
  const problems = await scopeProblems(db, onProgress)
  return problems.length === 0
    ? pass('event_ids', 'releases and models of all events are as their texts say')
    : fail('event_ids', problems.join('; '))
}

/** Days that are said not to be whole are not, and what was pruned is what the audit log says. */
export async function checkGaps(db: Sql): Promise<DoctorCheck> {
  const name = 'event_gaps'
  const [state, pruned, restored] = await db.snapshot([
    sql`SELECT events_before FROM retention WHERE id = 1`,
    sql`SELECT record_json FROM audit_log WHERE kind = 'events.pruned' AND kind <> 'decision'
      ORDER BY log_seq DESC LIMIT 1`,
    sql`SELECT 1 FROM audit_log WHERE kind IN ('events.restoring', 'events.restored') AND kind <> 'decision' LIMIT 1`,
  ])
  const row = state!.rows[0]
  if (row === undefined) return fail(name, 'retention has no row')
  const before = Number(row.events_before)
  if (before % DAY_MS !== 0) return fail(name, 'retention says that it ended within a day')
  const last = pruned!.rows[0]
  const said = last === undefined ? 0 : Date.parse(beforeOf(String(last.record_json)))
  if (before < said) return fail(name, 'events were pruned up to a later day than retention says')
  const [whole, untold] = await db.snapshot([fullGaps(before), untoldDays(before)])
  const gap = whole!.rows[0]
  if (gap !== undefined) return fail(name, `scope ${gap.scope}, day ${gap.day}: all events are there`)
  const day = untold!.rows[0]
  if (day !== undefined && restored!.rows.length === 0) {
    const detail = `scope ${day.scope}, day ${day.day} is before what retention keeps, but neither pruned nor restored`
    return { name, ok: true, detail, warning: true }
  }
  return pass(name, 'days that are not whole lack events')
}

function beforeOf(recordJson: string): string {
  return String((JSON.parse(recordJson) as LogRecord).details.before)
}

/** Gaps of the time that is kept, of which nothing is missing: what was pruned may have been restored. */
function fullGaps(before: number) {
  return sql`SELECT g.scope, g.day FROM event_gaps g WHERE g.day >= ${Math.ceil(before / DAY_MS)}
    AND (SELECT coalesce(sum(h.runs), 0) FROM rollup_hours h
      WHERE h.scope = g.scope AND h.bucket >= g.day * 24 AND h.bucket < (g.day + 1) * 24)
    <= (SELECT count(*) FROM run_events e
      WHERE e.scope = g.scope AND e.ts >= g.day * 86400000 AND e.ts < (g.day + 1) * 86400000)
    ORDER BY g.scope, g.day LIMIT 1`
}

/** Days before what is kept that no pruning has marked. */
function untoldDays(before: number) {
  return sql`SELECT h.scope, h.bucket / 24 AS day FROM rollup_hours h
    WHERE h.bucket < ${Math.floor(before / HOUR_MS)}
      AND NOT EXISTS (SELECT 1 FROM event_gaps g WHERE g.scope = h.scope AND g.day = h.bucket / 24) LIMIT 1`
}

/** Rows that are read at a time. */
const PAGE = 1000

/** Parts and scores of runs are what the texts of their events say. Names the first that isn't. */
export async function checkParts(db: Sql): Promise<DoctorCheck> {
  const name = 'run_parts_and_scores'
  let verified = 0
  for (const { table, statement, isSaid } of BESIDE) {
    for (let last: Row = { at: -1, name: '' }; ;) {
      const rows = await rowsOf(db, statement(last))
      for (const row of rows) {
        const problem = problemOf(row, isSaid)
        if (problem !== undefined) return fail(name, `${table} of event ${row.at} ${problem}`)
      }
      verified += rows.length
      if (rows.length < PAGE) break
      last = rows.at(-1)!
    }
  }
  const problem = await firstUnstored(db)
  if (problem !== undefined) return fail(name, problem)
  return pass(name, `${verified} are as the texts of their events say`)
}

/** Events that are looked through at a time for those that have parts or scores. */
const SLICE = 20_000

/** The first event whose text says more than is stored beside it. Those of 0.1.0 had neither parts nor scores. */
async function firstUnstored(db: Sql): Promise<string | undefined> {
  const [newest] = await rowsOf(db, sql`SELECT coalesce(max(seq), 0) AS seq FROM run_events`)
  for (let seq = 0; seq < Number(newest!.seq); seq += SLICE) {
    const rows = await rowsOf(db, eventsWithMore(seq))
    for (const row of rows) {
      const event = eventOf(row)
      const parts = new Set(partsOf(event).map(({ provider, model }) => `${provider}\0${model}`)).size
      const scores = event.type === 'run_end' ? Object.keys(event.scores ?? {}).length : 0
      if (parts > Number(row.parts)) return `run_parts of event ${row.at} are not all there`
      if (scores > Number(row.scores)) return `run_scores of event ${row.at} are not all there`
    }
  }
  return undefined
}

function eventsWithMore(seq: number): Statement {
  return sql`SELECT e.seq AS at, (SELECT count(*) FROM run_parts p WHERE p.event = e.seq) AS parts,
      (SELECT count(*) FROM run_scores p WHERE p.event = e.seq) AS scores, s.release_id, s.environment, ${TEXT_COLUMNS}
    FROM run_events e JOIN scopes s ON s.id = e.scope JOIN variants v ON v.id = e.variant
    WHERE e.seq > ${seq} AND e.seq <= ${seq + SLICE} AND substr(e.event_json, 1, 1) <> '{'
      AND (e.event_json LIKE '%"models"%' OR e.event_json LIKE '%"written"%' OR e.event_json LIKE '%"scores"%')
    ORDER BY e.seq`
}

function problemOf(row: Row, isSaid: (event: StoredEvent, row: Row) => boolean): string | undefined {
  if (row.run_id === null) return 'are of no event'
  const wrong = ['scope', 'ts', 'tenant_id', 'task_id'].find(
    column => row[`part_${column}`] !== undefined && row[`part_${column}`] !== row[column],
  )
  if (wrong !== undefined) return `have another ${wrong} than that`
  return isSaid(eventOf(row), row) ? undefined : 'are not what its text says'
}

function eventOf(row: Row): StoredEvent {
  const { release_id, environment } = row
  return JSON.parse(textOf(row, { release_id: String(release_id), environment: String(environment) }))
}

interface Beside {
  readonly table: string
  readonly statement: (last: Row) => Statement
  /** Whether the text of an event has what the row has. */
  readonly isSaid: (event: StoredEvent, row: Row) => boolean
}

const EVENT = sql`LEFT JOIN run_events e ON e.seq = p.event LEFT JOIN scopes s ON s.id = e.scope
  LEFT JOIN variants v ON v.id = e.variant`

const BESIDE: readonly Beside[] = [
  {
    table: 'run_parts',
    statement: ({ at, part_variant = -1 }) => sql`SELECT p.event AS at, p.variant AS part_variant,
        p.scope AS part_scope, p.ts AS part_ts, p.tenant_id AS part_tenant_id, p.task_id AS part_task_id,
        p.input_tokens AS part_input, p.output_tokens AS part_output, p.cached_input_tokens AS part_cached,
        p.cache_write_input_tokens AS part_write, u.provider AS part_provider, u.model AS part_model,
        e.scope, s.release_id, s.environment, ${TEXT_COLUMNS}
      FROM run_parts p LEFT JOIN variants u ON u.id = p.variant ${EVENT}
      WHERE (p.event, p.variant) > (${at!}, ${part_variant}) ORDER BY p.event, p.variant LIMIT ${PAGE}`,
    isSaid: (event, row) =>
      partsOf(event).some(
        part =>
          part.provider === row.part_provider &&
          part.model === row.part_model &&
          part.input_tokens === row.part_input &&
          part.output_tokens === row.part_output &&
          part.cached_input_tokens === row.part_cached &&
          part.cache_write_input_tokens === row.part_write,
      ),
  },
  {
    table: 'run_scores',
    statement: ({
      at,
      name,
    }) => sql`SELECT p.event AS at, p.name, p.score, p.scope AS part_scope, p.ts AS part_ts,
        e.scope, s.release_id, s.environment, ${TEXT_COLUMNS}
      FROM run_scores p ${EVENT}
      WHERE (p.event, p.name) > (${at!}, ${name!}) ORDER BY p.event, p.name LIMIT ${PAGE}`,
    isSaid: ({ scores = {} }, { name, score }) => {
      const said = scores[String(name)]
      return said !== undefined && toMillionths(said) === score
    },
  },
]

/** Events compared at a time. */
const EVENTS_AT_ONCE = 2000

/**
 * Ids of scopes and variants that stand for nothing, or for something else than the text of an event that was stored
 * whole, or for its tag: the first few.
 */
async function scopeProblems(db: Sql, onProgress?: Progress, most = 3): Promise<string[]> {
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
        WHERE e.seq > ${seq} ORDER BY e.seq LIMIT ${EVENTS_AT_ONCE}`,
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
