import { HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import { type DoctorCheck, fail, pass } from '../../ledger/doctor/check.ts'
import { SUM_COLUMNS } from '../../ledger/events/block_sums.ts'
import type { Rollup } from '../../ledger/events/event_sums.ts'
import { revisionOf } from '../../ledger/trail/chain.ts'
import type { Ledger, Pace } from '../../ledger/world/ledger.ts'
import { type Row, type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import { jsonRows } from '../../sql/dialect.ts'
import { allRows, asNumber, asRow, asText, ask, columns, orNull, together } from '../../sql/query.ts'
import { SEGMENT_KINDS } from './rules_segments.ts'
import { type PackedRow, packedText } from './rules_tables.ts'
import { listedRows, segmentTable } from './tables.ts'

const HOURS = raw('segment_hours')

/** Which hours have sums: made again with them, and not packed then. */
export const HOURS_ROLLUP: Rollup = {
  key: ['scope', 'bucket'],
  columns: [],
  same: () => true,
  table: HOURS.text,
  widthMs: HOUR_MS,
  from: 'run_events',
  select: (widthMs, source) =>
    sql`SELECT DISTINCT scope, ts / ${raw(String(widthMs))} AS bucket FROM ${source}`,
}

/** Part of a batch that adds events to sums, behind what adds them: their hours are packed no longer. */
export function unpackHours(by: string, events: Statement): Statement {
  return sql`INSERT INTO ${HOURS} (scope, bucket, changed_by)
    SELECT scope, bucket, CAST(${by} AS TEXT) FROM (
      SELECT DISTINCT scope, ts / ${raw(String(HOUR_MS))} AS bucket FROM ${listedRows('runs', events)}) AS summed
    WHERE true ORDER BY 1, 2
    ON CONFLICT (scope, bucket) DO UPDATE SET changed_by = excluded.changed_by, size = NULL, tenants = NULL, tasks = NULL`
}

/** The same of hours whose sums came from elsewhere. `inHours` is a condition on a scope and a bucket. */
export function replacedHours(inHours: Statement): Statement[] {
  const tables = SEGMENT_KINDS.map(kind => segmentTable(kind, 'runs'))
  return [
    sql`DELETE FROM ${HOURS} WHERE ${inHours}`,
    ...tables.map(
      table => sql`INSERT INTO ${HOURS} (scope, bucket)
        SELECT DISTINCT scope, bucket FROM ${raw(table)} WHERE ${inHours} ON CONFLICT DO NOTHING`,
    ),
  ]
}

/** Hours that are read at a time, and how long ago an hour has to be over: events come a little late. */
const HOURS_AT_ONCE = 8
const OVER_MS = 5 * MINUTE_MS
/** A longer text would be more than D1 takes in a row. */
const LONGEST = 500_000

/** Packs the hours that are over, the oldest first. Cheap where there is nothing to do. */
export async function packHours({ sql: db }: Pick<Ledger, 'sql'>, pace: Pace): Promise<void> {
  const open = sql`SELECT h.scope, h.bucket FROM ${HOURS} h
    WHERE h.tenants IS NULL AND h.bucket < (${db.clock} - ${raw(String(OVER_MS))}) / ${raw(String(HOUR_MS))}
    ORDER BY h.bucket, h.scope LIMIT ${HOURS_AT_ONCE}`
  for (;;) {
    const hours = await readHours(db, await ask(db, allRows(open, readKey)))
    if (hours.length === 0) return
    await pace(() => db.batch(hours.map(packStatement)))
  }
}

/** Does nothing where somebody changed the sums meanwhile, or made them again. */
function packStatement({ scope, bucket, changed_by, revision, texts }: Hour): Statement {
  const packed = texts.map(text => (text === undefined || text.length > LONGEST ? '' : text))
  const isPacked = packed.every((text, index) => text === texts[index])
  const [tenants, tasks] = isPacked ? packed : ['', '']
  const size = isPacked ? packed.join('').length : null
  return sql`UPDATE ${HOURS} SET size = ${size}, tenants = ${tenants!}, tasks = ${tasks!}
    WHERE scope = ${scope} AND bucket = ${bucket} AND changed_by = ${changed_by} AND tenants IS NULL
      AND ${revisionOfScope(sql`${HOURS}.scope`)} = ${revision}`
}

function revisionOfScope(scope: Statement): Statement {
  return revisionOf(
    sql`(SELECT r.agent_id FROM scopes s JOIN releases r ON r.release_id = s.release_id WHERE s.id = ${scope})`,
  )
}

interface Hour extends ReturnType<typeof readHour> {
  /** What the rows of {@link SEGMENT_KINDS} are as a text; undefined where they can't be one. */
  readonly texts: readonly (string | undefined)[]
}

const readHour = columns({
  scope: asNumber,
  bucket: asNumber,
  changed_by: asText,
  revision: asNumber,
  size: orNull(asNumber),
  tenants: orNull(asText),
  tasks: orNull(asText),
})

const readKey = columns({ scope: asNumber, bucket: asNumber })

/** Hours, with their rows as one snapshot saw them. */
async function readHours(db: Sql, keys: readonly ReturnType<typeof readKey>[]): Promise<Hour[]> {
  if (keys.length === 0) return []
  const listed = jsonRows(keys.map(({ scope, bucket }) => [scope, bucket]))
  const of = (table: string): Statement =>
    raw(`${table}.scope = CAST(g.value ->> 0 AS BIGINT) AND ${table}.bucket = CAST(g.value ->> 1 AS BIGINT)`)
  const sums = raw(SUM_COLUMNS.map(([column]) => `t.${column}`).join(', '))
  const rowsOf = (table: string) =>
    allRows(
      sql`SELECT t.scope, t.bucket, t.segment, t.variant, ${sums} FROM ${listed} CROSS JOIN ${raw(table)} t WHERE ${of('t')}`,
      asRow,
    )
  const { hours, tenant, task } = await ask(
    db,
    together({
      hours: allRows(
        sql`SELECT h.scope, h.bucket, h.changed_by, h.size, h.tenants, h.tasks, ${revisionOfScope(sql`h.scope`)} AS revision
          FROM ${listed} CROSS JOIN ${HOURS} h WHERE ${of('h')}`,
        readHour,
      ),
      tenant: rowsOf(segmentTable('tenant', 'runs')),
      task: rowsOf(segmentTable('task', 'runs')),
    }),
  )
  const byHour = [tenant, task].map(rows => Map.groupBy(rows, ({ scope, bucket }) => `${scope} ${bucket}`))
  return hours.map(hour => ({
    ...hour,
    texts: byHour.map(own =>
      packedText((own.get(`${hour.scope} ${hour.bucket}`) ?? []).map(toPacked).sort(inOrder)),
    ),
  }))
}

function toPacked(row: Row): PackedRow {
  return [
    asNumber(row.segment),
    asNumber(row.variant),
    ...SUM_COLUMNS.map(([column]) => asNumber(row[column])),
  ]
}

function inOrder([a, variant]: PackedRow, [b, other]: PackedRow): number {
  return a - b || variant - other
}

/** Packed hours say what their rows say. */
export async function checkHours(db: Sql): Promise<DoctorCheck> {
  const name = 'segments_hours'
  for (let last = { scope: -1, bucket: -1 }; ;) {
    const keys = await ask(
      db,
      allRows(
        sql`SELECT scope, bucket FROM ${HOURS} WHERE (scope, bucket) > (${last.scope}, ${last.bucket})
          AND tenants IS NOT NULL ORDER BY scope, bucket LIMIT ${HOURS_AT_ONCE}`,
        readKey,
      ),
    )
    if (keys.length === 0) return pass(name, 'packed hours equal their rows')
    for (const { scope, bucket, size, tenants, tasks, texts } of await readHours(db, keys)) {
      // One that can't be packed is empty.
      const isSame = size === null ? `${tenants}${tasks}` === '' : tenants === texts[0] && tasks === texts[1]
      if (!isSame || (size !== null && size !== tenants!.length + tasks!.length))
        return fail(
          name,
          `hour ${bucket} of scope ${scope} differs from its rows; \`svc rollups rebuild\` repairs it`,
        )
    }
    last = keys.at(-1)!
  }
}
