import { HOUR_MS, isoTime } from '../../base/time.ts'
import type { Release } from '../../models/documents/release.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { isServedAs } from '../../spans/provider.ts'
import { type Sql, type Statement, raw, rowsOf, sql } from '../../sql/port.ts'
import { jsonRows, lockTables } from '../../sql/dialect.ts'
import {
  allRows,
  asFlag,
  asJson,
  asNumber,
  asText,
  ask,
  columns,
  field,
  firstRow,
  inTurn,
  onlyRow,
  together,
} from '../../sql/query.ts'
import { TEXT_COLUMNS, textOf } from '../../ledger/events/event_texts.ts'
import { isWhole } from '../../ledger/events/gaps.ts'
import {
  type Declared,
  RAN_TABLES,
  addRan,
  declaredBy,
  merged,
  nameKey,
  nameRan,
  undeclaredIn,
} from './ran.ts'

/** An hour of a release in an environment whose events are all there. */
interface Hour {
  readonly scope: number
  /** Hours since the epoch. */
  readonly bucket: number
  readonly release_id: string
  readonly environment: string
  readonly declared: Declared
}

const SCOPE = columns({ scope: asNumber, release_id: asText, environment: asText })

async function* wholeHours(db: Sql): AsyncGenerator<Hour> {
  const scopes = allRows(
    sql`SELECT s.id AS scope, s.release_id, s.environment FROM scopes s
      JOIN releases r ON r.release_id = s.release_id ORDER BY s.id`,
    SCOPE,
  )
  for (const scope of await ask(db, scopes)) {
    const declared = await declaredIn(db, scope.release_id)
    const id = sql`${scope.scope}`
    const hours = allRows(
      sql`SELECT bucket FROM (SELECT DISTINCT bucket FROM rollup_hours WHERE scope = ${id}) h
        WHERE ${isWhole(id, sql`h.bucket`, HOUR_MS)} ORDER BY bucket`,
      field('bucket', asNumber),
    )
    for (const bucket of await ask(db, hours)) yield { ...scope, bucket, declared }
  }
}

async function declaredIn(db: Sql, releaseId: string): Promise<Declared> {
  const artifact = onlyRow(
    sql`SELECT artifact_json FROM releases WHERE release_id = ${releaseId}`,
    columns({ artifact_json: asJson<Release> }),
  )
  return declaredBy((await ask(db, artifact)).artifact_json)
}

/** A use of a name by a run. */
interface Use {
  readonly ts: number
  readonly kind: string
  readonly name: string
  readonly calls: number
}

/** What runs of an hour used beyond what their release declares, and the newest event that was looked at. */
async function usesOf(
  db: Sql,
  hour: Hour,
): Promise<{ readonly uses: readonly Use[]; readonly newest: number }> {
  const { scope, bucket, declared } = hour
  const inHour = hourCondition('e', hour)
  const { variants, named, last } = await ask(
    db,
    together({
      variants: allRows(
        sql`SELECT v.id, v.model FROM variants v
          WHERE v.id IN (SELECT variant FROM rollup_hours WHERE scope = ${scope} AND bucket = ${bucket})`,
        columns({ id: asNumber, model: asText }),
      ),
      named: allRows(sql`SELECT kind, name FROM capability_names WHERE scope = ${scope}`, nameKey),
      last: onlyRow(
        sql`SELECT coalesce(max(e.seq), 0) AS newest FROM run_events e WHERE ${inHour}`,
        columns({ newest: asNumber }),
      ),
    }),
  )
  const { newest } = last
  const odd = variants.filter(({ model }) => !declared.models.some(requested => isServedAs(requested, model)))
  // Tools, further models and other names are in the rest of an event's text, which most events don't have.
  const matters = raw(
    [
      "e.event_json LIKE '%[%'",
      "substr(e.event_json, 1, 1) = '{'",
      ...(odd.length === 0 ? [] : [`e.variant IN (${odd.map(({ id }) => id).join(', ')})`]),
    ].join(' OR '),
  )
  const rows = await rowsOf(
    db,
    sql`SELECT ${TEXT_COLUMNS} FROM run_events e JOIN variants v ON v.id = e.variant
      WHERE ${inHour} AND e.is_end = 1 AND e.seq <= ${newest} AND (${matters}) ORDER BY e.seq`,
  )
  const names = new Set(named)
  const uses = rows.flatMap(row => {
    const event = JSON.parse(textOf(row, hour)) as StoredEvent
    const ts = asNumber(row.ts)
    return merged(undeclaredIn(event, declared), names).map((one): Use => ({ ts, ...one }))
  })
  return { uses, newest }
}

function hourCondition(alias: string, { scope, bucket }: Hour): Statement {
  const [from, to] = [bucket * HOUR_MS, (bucket + 1) * HOUR_MS]
  return sql`${raw(alias)}.scope = ${scope} AND ${raw(alias)}.ts >= ${from} AND ${raw(alias)}.ts < ${to}`
}

/** How often an hour is worked out again because events came meanwhile. */
const MOST_TRIES = 5

/** Works out again what runs used beyond what their releases declare, hour by hour; safe while events come in. */
export async function rebuildRan(db: Sql): Promise<void> {
  for await (const hour of wholeHours(db)) {
    for (let left = MOST_TRIES; left > 0; left--) if (await isRewritten(db, hour)) break
  }
}

async function isRewritten(db: Sql, hour: Hour): Promise<boolean> {
  const { scope, bucket } = hour
  const { uses, newest } = await usesOf(db, hour)
  const isCurrent = sql`NOT EXISTS (SELECT 1 FROM run_events e WHERE ${hourCondition('e', hour)} AND e.seq > ${newest})`
  const source = sql`(SELECT CAST(${scope} AS BIGINT) AS scope, ${USES} FROM ${jsonRows(uses)}
    WHERE ${isCurrent}) AS used`
  const lock = lockTables(db, 'rollup_capability_minutes, rollup_capability_hours')
  const results = await db.batch([
    ...lock,
    sql`SELECT CASE WHEN ${isCurrent} THEN 1 ELSE 0 END AS is_current`,
    ...RAN_TABLES.map(([table, width]) => {
      const perHour = HOUR_MS / width
      return sql`DELETE FROM ${raw(table)} WHERE scope = ${scope} AND bucket >= ${bucket * perHour}
        AND bucket < ${(bucket + 1) * perHour} AND ${isCurrent}`
    }),
    ...(uses.length === 0
      ? []
      : [nameRan(source), ...RAN_TABLES.map(([table, width]) => addRan(table, width, source))]),
  ])
  return asFlag(results[lock.length]!.rows[0]!.is_current)
}

const USES = raw(
  "CAST(g.value ->> 'ts' AS BIGINT) AS ts, g.value ->> 'kind' AS kind, g.value ->> 'name' AS name, CAST(g.value ->> 'calls' AS BIGINT) AS calls",
)

const MOST_PROBLEMS = 3

/** Compares the sums with the events that are there. Returns the first few differences. */
export async function ranFaults(db: Sql): Promise<string[]> {
  const problems = await unnamedSums(db)
  for await (const hour of wholeHours(db)) {
    const difference = await differenceIn(db, hour)
    if (difference === undefined) continue
    problems.push(
      `${hour.release_id} in ${hour.environment}, ${isoTime(hour.bucket * HOUR_MS)}: ${difference}`,
    )
    if (problems.length === MOST_PROBLEMS) break
  }
  return problems
}

/** Each name that has sums is listed, also in hours whose events are gone. */
async function unnamedSums(db: Sql): Promise<string[]> {
  const found = RAN_TABLES.map(([table]) =>
    firstRow(
      sql`SELECT s.scope, s.kind, s.name FROM ${raw(table)} s WHERE s.name <> '' AND NOT EXISTS (SELECT 1 FROM capability_names n
        WHERE n.scope = s.scope AND n.kind = s.kind AND n.name = s.name) LIMIT 1`,
      ({ scope, kind, name }) =>
        `${table} has sums of ${kind} ${JSON.stringify(name)} of scope ${scope}, which is missing from the list`,
    ),
  )
  return (await ask(db, inTurn(found))).filter(problem => problem !== undefined)
}

/** How the sums of an hour differ from what the events say. */
async function differenceIn(db: Sql, hour: Hour): Promise<string | undefined> {
  const { scope, bucket } = hour
  const { uses } = await usesOf(db, hour)
  for (const [table, width] of RAN_TABLES) {
    const perHour = HOUR_MS / width
    const kept = await ask(
      db,
      allRows(
        sql`SELECT bucket, kind, name, runs, calls FROM ${raw(table)}
          WHERE scope = ${scope} AND bucket >= ${bucket * perHour} AND bucket < ${(bucket + 1) * perHour}`,
        KEPT,
      ),
    )
    // Where names were too many it depends on the server which were summed together.
    const isFolded = kept.some(({ name }) => name === '')
    const said = uses.map(use => ({ ...use, bucket: Math.floor(use.ts / width), runs: 1 }))
    const [is, should] = [sumsOf(kept, isFolded), sumsOf(said, isFolded)]
    for (const key of new Set([...is.keys(), ...should.keys()])) {
      const [[runs, calls], [runsSaid, callsSaid]] = [is.get(key) ?? [0, 0], should.get(key) ?? [0, 0]]
      if (runs === runsSaid && calls === callsSaid) continue
      const [, kind, name] = key.split('\0')
      return (
        `${table} has ${runs} runs and ${calls} calls of ${kind} ${JSON.stringify(name)}, ` +
        `the events ${runsSaid} and ${callsSaid}`
      )
    }
  }
  return undefined
}

const KEPT = columns({ bucket: asNumber, kind: asText, name: asText, runs: asNumber, calls: asNumber })

/** Runs and calls by bucket, kind and name. */
function sumsOf(
  all: readonly ReturnType<typeof KEPT>[],
  isFolded: boolean,
): ReadonlyMap<string, readonly [runs: number, calls: number]> {
  const sums = new Map<string, readonly [number, number]>()
  for (const { bucket, kind, name, runs, calls } of all) {
    const key = [bucket, kind, isFolded ? '' : name].join('\0')
    const [before, callsBefore] = sums.get(key) ?? [0, 0]
    sums.set(key, [before + runs, callsBefore + calls])
  }
  return sums
}
