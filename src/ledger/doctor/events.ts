import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import { type Row, type Sql, type Statement, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asJson,
  asNumber,
  asRow,
  ask,
  asText,
  columns,
  field,
  firstRow,
  hasRow,
  onlyRow,
  orNull,
  together,
} from '../../sql/query.ts'
import type { LogRecord } from '../trail/chain.ts'
import { rollupFaults } from '../events/rebuild.ts'
import { blockProblem, hasBlocks } from '../events/blocks.ts'
import type { Features, Progress } from '../world/ledger.ts'
import { type DoctorCheck, fail, pass } from './check.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { partsOf, scoresOf } from '../../rules/rollup.ts'
import { PLACED_COLUMNS, toPlacedText } from '../events/event_texts.ts'
import { isTagged } from '../../rules/event_rest.ts'

export async function checkRollups(db: Sql, features: Features, onProgress?: Progress): Promise<DoctorCheck> {
  const name = 'rollups'
  const problems = await rollupFaults(db, features, onProgress)
  const mark = await markProblem(db)
  const block = await blockProblem(db, onProgress)
  const faults = [...problems, ...(block === undefined ? [] : [block])]
  if (faults.length > 0) return fail(name, `${faults.join('; ')}; repair with \`svc rollups rebuild\``)
  if (mark !== undefined) return fail(name, mark)
  return pass(name, 'equal to the raw events')
}

/** The mark of the rollups is the newest event, or that which was it before it was pruned or erased. */
async function markProblem(db: Sql): Promise<string | undefined> {
  if (!hasBlocks(db)) return undefined
  const seqs = onlyRow(
    sql`SELECT (SELECT seq FROM rollup_mark WHERE id = 1) AS mark, (SELECT coalesce(max(seq), 0) FROM run_events) AS last,
      (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'run_events') AS given`,
    columns({ mark: orNull(asNumber), last: asNumber, given: asNumber }),
  )
  const { mark, last, given } = await ask(db, seqs)
  const isRight = mark !== null && mark >= last && mark <= given
  return isRight ? undefined : `the mark of the rollups is ${mark}, but the newest event is ${last}`
}

/** Events and rollups name scopes and variants by ids: each has to be there, and to be what the event itself says. */
export async function checkScopes(db: Sql, onProgress?: Progress): Promise<DoctorCheck> {
  const problems = await scopeProblems(db, onProgress)
  return problems.length === 0
    ? pass('event_ids', 'releases and models of all events match their texts')
    : fail('event_ids', problems.join('; '))
}

/** Days that are said not to be whole are not, and what was pruned is what the audit log says. */
export async function checkGaps(db: Sql): Promise<DoctorCheck> {
  const name = 'event_gaps'
  const { before, pruned, wasRestored } = await ask(
    db,
    together({
      before: firstRow(
        sql`SELECT events_before FROM retention WHERE id = 1`,
        field('events_before', asNumber),
      ),
      pruned: firstRow(
        sql`SELECT record_json FROM audit_log WHERE kind = 'events.pruned' AND kind <> 'decision'
          ORDER BY log_seq DESC LIMIT 1`,
        field('record_json', asJson<LogRecord>),
      ),
      wasRestored: hasRow(
        sql`SELECT 1 FROM audit_log WHERE kind IN ('events.restoring', 'events.restored') AND kind <> 'decision' LIMIT 1`,
      ),
    }),
  )
  if (before === undefined) return fail(name, 'retention has no row')
  if (before % DAY_MS !== 0) return fail(name, 'retention ended within a day, by its row')
  const said = pruned === undefined ? 0 : Date.parse(String(pruned.details.before))
  if (before < said) return fail(name, "events were pruned up to a later day than in retention's row")
  const { gap, day } = await ask(db, together({ gap: fullGaps(before), day: unmarkedDays(before) }))
  if (gap !== undefined) return fail(name, `scope ${gap.scope}, day ${gap.day}: all events are there`)
  if (day !== undefined && !wasRestored) {
    const detail = `scope ${day.scope}, day ${day.day} is before the kept time of retention, but neither pruned nor restored`
    return { name, ok: true, detail, warning: true }
  }
  return pass(name, 'days that are not whole lack events')
}

interface Day {
  readonly scope: number
  readonly day: number
}

const readDay = columns({ scope: asNumber, day: asNumber })

/** Gaps of the time that is kept, of which nothing is missing: what was pruned may have been restored. */
function fullGaps(before: number): Query<Day | undefined> {
  const gaps = sql`SELECT g.scope, g.day FROM event_gaps g WHERE g.day >= ${Math.ceil(before / DAY_MS)}
    AND (SELECT coalesce(sum(h.runs), 0) FROM rollup_hours h
      WHERE h.scope = g.scope AND h.bucket >= g.day * 24 AND h.bucket < (g.day + 1) * 24)
    <= (SELECT count(*) FROM run_events e
      WHERE e.scope = g.scope AND e.ts >= g.day * 86400000 AND e.ts < (g.day + 1) * 86400000)
    ORDER BY g.scope, g.day LIMIT 1`
  return firstRow(gaps, readDay)
}

/** Days before what is kept that no pruning has marked. */
function unmarkedDays(before: number): Query<Day | undefined> {
  const days = sql`SELECT h.scope, h.bucket / 24 AS day FROM rollup_hours h
    WHERE h.bucket < ${Math.floor(before / HOUR_MS)}
      AND NOT EXISTS (SELECT 1 FROM event_gaps g WHERE g.scope = h.scope AND g.day = h.bucket / 24) LIMIT 1`
  return firstRow(days, readDay)
}

/** Rows that are read at a time. */
const PAGE = 1000

/** Parts and scores of runs are what the texts of their events say. Names the first that isn't. */
export async function checkParts(db: Sql): Promise<DoctorCheck> {
  const name = 'run_parts_and_scores'
  let verified = 0
  for (const { table, statement, isSaid } of DERIVED) {
    for (let last: Row = { at: -1, name: '' }; ;) {
      const rows: Row[] = await ask(db, allRows(statement(last), asRow))
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
  return pass(name, `${verified} match the texts of their events`)
}

/** Events that are looked through at a time for those that have parts or scores. */
const SLICE = 20_000

/** The first event whose text says more than is stored with it. */
async function firstUnstored(db: Sql): Promise<string | undefined> {
  const newest = await ask(db, NEWEST_EVENT)
  for (let seq = 0; seq < newest; seq += SLICE) {
    for (const row of await ask(db, allRows(eventsWithMore(seq), readMore))) {
      const { event } = row
      const parts = new Set(partsOf(event).map(({ provider, model }) => `${provider}\0${model}`)).size
      const scores = scoresOf(event).length
      if (parts > row.parts) return `run_parts of event ${row.at} are incomplete`
      if (scores > row.scores) return `run_scores of event ${row.at} are incomplete`
    }
  }
  return undefined
}

const NEWEST_EVENT = onlyRow(sql`SELECT coalesce(max(seq), 0) AS seq FROM run_events`, field('seq', asNumber))

const readCounts = columns({ at: asNumber, parts: asNumber, scores: asNumber })

function readMore(row: Row) {
  return { ...readCounts(row), event: eventOf(row) }
}

function eventsWithMore(seq: number): Statement {
  return sql`SELECT e.seq AS at, (SELECT count(*) FROM run_parts p WHERE p.event = e.seq) AS parts,
      (SELECT count(*) FROM run_scores p WHERE p.event = e.seq) AS scores, ${PLACED_COLUMNS}
    FROM run_events e JOIN scopes s ON s.id = e.scope JOIN variants v ON v.id = e.variant
    WHERE e.seq > ${seq} AND e.seq <= ${seq + SLICE} AND substr(e.event_json, 1, 1) <> '{'
      AND (e.event_json LIKE '%"models"%' OR e.event_json LIKE '%"written"%' OR e.event_json LIKE '%"scores"%'
        OR e.event_json LIKE '%"ttft"%')
    ORDER BY e.seq`
}

function problemOf(row: Row, isSaid: (event: StoredEvent, row: Row) => boolean): string | undefined {
  if (row.run_id === null) return 'belong to no event'
  const wrong = ['scope', 'ts', 'tenant_id', 'task_id'].find(
    column => row[`part_${column}`] !== undefined && row[`part_${column}`] !== row[column],
  )
  if (wrong !== undefined) return `have another ${wrong} than the event`
  return isSaid(eventOf(row), row) ? undefined : 'differ from its text'
}

function eventOf(row: Row): StoredEvent {
  return JSON.parse(toPlacedText(row)) as StoredEvent
}

/** A table whose rows follow from the texts of events. */
interface Derived {
  readonly table: string
  readonly statement: (last: Row) => Statement
  /** Whether the text of an event has what the row has. */
  readonly isSaid: (event: StoredEvent, row: Row) => boolean
}

const EVENT = sql`LEFT JOIN run_events e ON e.seq = p.event LEFT JOIN scopes s ON s.id = e.scope
  LEFT JOIN variants v ON v.id = e.variant`

const DERIVED: readonly Derived[] = [
  {
    table: 'run_parts',
    statement: ({ at, part_variant = -1 }) => sql`SELECT p.event AS at, p.variant AS part_variant,
        p.scope AS part_scope, p.ts AS part_ts, p.tenant_id AS part_tenant_id, p.task_id AS part_task_id,
        p.input_tokens AS part_input, p.output_tokens AS part_output, p.cached_input_tokens AS part_cached,
        p.cache_write_input_tokens AS part_write, u.provider AS part_provider, u.model AS part_model,
        e.scope, ${PLACED_COLUMNS}
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
        e.scope, ${PLACED_COLUMNS}
      FROM run_scores p ${EVENT}
      WHERE (p.event, p.name) > (${at!}, ${name!}) ORDER BY p.event, p.name LIMIT ${PAGE}`,
    isSaid: (event, { name, score }) =>
      scoresOf(event).some(([said, stored]) => said === name && stored === score),
  },
]

/** Events compared at a time. */
const EVENTS_AT_ONCE = 2000

/** An event with what its ids name; null is what they don't. */
const readNamed = columns({
  seq: asNumber,
  run_id: asText,
  event_json: asText,
  release_id: orNull(asText),
  environment: orNull(asText),
  agent_id: orNull(asText),
  provider: orNull(asText),
  model: orNull(asText),
})

type NamedRow = ReturnType<typeof readNamed>

/**
 * Ids of scopes and variants that name nothing, or something else than the text of an event that was stored
 * whole, or for its tag: the first few.
 */
async function scopeProblems(db: Sql, onProgress?: Progress, most = 3): Promise<string[]> {
  const orphans = allRows(
    sql`SELECT DISTINCT h.scope, h.variant FROM rollup_hours h
      LEFT JOIN scopes s ON s.id = h.scope LEFT JOIN variants v ON v.id = h.variant
      WHERE s.id IS NULL OR v.id IS NULL LIMIT ${most}`,
    columns({ scope: asNumber, variant: asNumber }),
  )
  const problems = (await ask(db, orphans)).map(
    ({ scope, variant }) => `scope ${scope} or variant ${variant} is missing`,
  )
  const last = await ask(db, NEWEST_EVENT)
  for (let seq = 0; problems.length < most;) {
    const page = sql`SELECT e.seq, e.run_id, e.event_json, s.release_id, s.environment, v.agent_id, v.provider, v.model
      FROM run_events e LEFT JOIN scopes s ON s.id = e.scope LEFT JOIN variants v ON v.id = e.variant
      WHERE e.seq > ${seq} ORDER BY e.seq LIMIT ${EVENTS_AT_ONCE}`
    const rows: NamedRow[] = await ask(db, allRows(page, readNamed))
    if (rows.length === 0) break
    seq = rows.at(-1)!.seq
    onProgress?.('events', seq, last)
    for (const { seq: _seq, run_id, event_json, ...ids } of rows) {
      if (!isTagged({ event_json, ...ids } as Parameters<typeof isTagged>[0])) {
        const { release_id, environment, model } = ids
        problems.push(
          `run_id ${run_id} was stored for another release or model than ${release_id ?? 'none'} in ` +
            `${environment ?? 'none'}, ${model ?? 'none'}, for which it is counted`,
        )
      }
    }
  }
  return problems.slice(0, most)
}
