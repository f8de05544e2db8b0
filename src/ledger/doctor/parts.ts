import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { partsOf } from '../../rules/rollup.ts'
import { toMillionths } from '../../rules/millionths.ts'
import { type Row, type Sql, type Statement, rowsOf, sql } from '../../sql/port.ts'
import { TEXT_COLUMNS, textOf } from '../events/event_texts.ts'
import { type DoctorCheck, fail, pass } from './report.ts'

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
