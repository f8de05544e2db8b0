import { sha256 } from '../../base/bytes.ts'
import { badRequest } from '../../base/errors.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, isoTime } from '../../base/time.ts'
import { type LogActor, SERVICE_ACTOR } from '../../ledger/trail/chain.ts'
import { EVERYTHING } from '../../ledger/world/scope.ts'
import type { SideEvidence } from '../../rules/evidence.ts'
import type { Window } from '../../rules/window.ts'
import type { CellEngine } from '../../models/documents/workspace.ts'
import { type Runner, IDLE, again } from '../../runtime/again.ts'
import type { Services } from '../../runtime/services.ts'
import { ageMs } from '../../rules/window.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { asNumber, ask, columns, onlyRow, orNull } from '../../sql/query.ts'
import { fed } from './fed.ts'
import { type ChangedHour, changedHours, importCells } from './import.ts'
import { ANSWER_MS, queriesFor, linesOf } from './jobs_engines.ts'
import type { CellsImported } from './models.ts'

const DEFAULTS = { every: '5m', delay: '2m', overlap: '15m' } as const
/** A server that has just started has more urgent things to do. */
const FIRST_MS = 10_000
/** Hours of one query. */
const HOURS_AT_ONCE = 6
/** Longer than an engine may take to answer; whoever is killed keeps it for so long. */
const LEASE_MS = 2 * ANSWER_MS

/** Asks the engines of service.yaml for newer cells, each as often as it says. What fails is logged, and tried again. */
export function runPulls(
  services: Services,
  { firstMs = FIRST_MS }: { folder: string; firstMs?: number },
): Runner {
  const engines = services.workspace.sources ?? []
  if (engines.length === 0) return IDLE
  const runners = engines.map(engine =>
    again(firstMs, async signal => {
      try {
        if (await takeLease(services.sql, engine.name)) await pullNewest(services, engine, signal)
      } catch (error) {
        if (!signal.aborted)
          services.log('warn', 'a source of cells can not be read', { source: engine.name, error })
      }
      return ageMs(engine.every ?? DEFAULTS.every)
    }),
  )
  return { stop: async () => void (await Promise.all(runners.map(runner => runner.stop()))) }
}

/** Of several servers one asks, by the clock of the database. */
async function takeLease(db: Sql, source: string): Promise<boolean> {
  const [taken] = await db.batch([
    sql`INSERT INTO cell_leases (source, lease_until) VALUES (${source}, ${db.clock} + ${LEASE_MS})
      ON CONFLICT (source) DO UPDATE SET lease_until = excluded.lease_until
      WHERE cell_leases.lease_until <= ${db.clock} OR cell_leases.lease_until > ${db.clock} + ${2 * LEASE_MS}
      RETURNING source`,
  ])
  return taken!.rows.length > 0
}

async function endLease(db: Sql, source: string): Promise<void> {
  await db.batch([sql`UPDATE cell_leases SET lease_until = 0 WHERE source = ${source}`])
}

async function pullNewest(services: Services, engine: CellEngine, signal: AbortSignal): Promise<void> {
  try {
    const { from, to, isNightly } = await dueOf(services, engine)
    if (isNightly) await checkOneHour(services, engine, from, signal)
    const imported = await pull(services, engine, { from, to, actor: SERVICE_ACTOR, signal })
    const changed = imported.reduce((sum, one) => sum + one.replaced + one.removed, 0)
    if (changed > 0) services.log('info', 'cells were replaced', { source: engine.name, cells: changed })
  } finally {
    await endLease(services.sql, engine.name)
  }
}

interface Due {
  /** Epoch ms. */
  readonly from: number
  readonly to: number
  /** Until when the source has been read; null where it has no cells. */
  readonly covered_to: number | null
  /** Whether it is the first time of a day (UTC), which reads the last day again. */
  readonly isNightly: boolean
}

/** From the mark of the source on, with some overlap: spans come late. The mark is what it covers, so it moves with the batch. */
export async function dueOf(services: Pick<Services, 'sql' | 'now'>, engine: CellEngine): Promise<Due> {
  const marks = onlyRow(
    sql`SELECT max(h.covered_to) AS covered_to,
        (SELECT max(i.fetched_at) FROM cell_imports i WHERE i.source = ${engine.name}) AS fetched_at
      FROM cell_hours h WHERE h.source = ${engine.name}`,
    columns({ covered_to: orNull(asNumber), fetched_at: orNull(asNumber) }),
  )
  const { covered_to, fetched_at } = await ask(services.sql, marks)
  const now = services.now()
  const to = Math.floor((now - ageMs(engine.delay ?? DEFAULTS.delay)) / MINUTE_MS) * MINUTE_MS
  const isNightly = fetched_at !== null && Math.floor(fetched_at / DAY_MS) < Math.floor(now / DAY_MS)
  const mark = covered_to === null ? to - DAY_MS : covered_to - ageMs(engine.overlap ?? DEFAULTS.overlap)
  const from = Math.max(0, isNightly ? Math.min(mark, to - DAY_MS) : mark)
  return { from: Math.floor(from / HOUR_MS) * HOUR_MS, to, covered_to, isNightly }
}

interface Reading {
  readonly from: number
  readonly to: number
  readonly signal: AbortSignal
}

/** Imports what an engine has of a time, some hours at a time; after a lost answer the same is read again. */
export async function pull(
  services: Services,
  engine: CellEngine,
  { actor, ...reading }: Reading & { readonly actor: LogActor },
): Promise<CellsImported[]> {
  const imported: CellsImported[] = []
  for await (const body of bodiesOf(services, engine, reading)) {
    imported.push(
      await importCells(services, body, {
        actor,
        scope: EVERYTHING,
        source: engine.name,
        allowFewer: false,
        reason: null,
        nextTurn: services.nextTurn,
      }),
    )
  }
  return imported
}

/** What an engine says otherwise by now than what is kept of a time. */
export async function verify(
  services: Services,
  engine: CellEngine,
  reading: Reading,
): Promise<ChangedHour[]> {
  const changed: ChangedHour[] = []
  for await (const body of bodiesOf(services, engine, reading)) {
    changed.push(
      ...(await changedHours(services, body, { source: engine.name, nextTurn: services.nextTurn })),
    )
  }
  return changed
}

async function* bodiesOf(
  services: Pick<Services, 'now' | 'secret' | 'sql'>,
  engine: CellEngine,
  { from, to, signal }: Reading,
) {
  const query_sha256 = await sha256(JSON.stringify(queriesFor(engine)))
  for (let start = from; start < to; start += HOURS_AT_ONCE * HOUR_MS) {
    const end = Math.min(to, start + HOURS_AT_ONCE * HOUR_MS)
    const header = {
      cells: 'v1',
      source: engine.name,
      engine: engine.engine,
      query_sha256,
      run_url: engine.run_url ?? null,
      as_of: isoTime(services.now()),
      covers: { from_ms: start, to_ms: end },
    }
    const { secret, sql: db } = services
    const lines = await linesOf({ engine, from: start, to: end, db, secret, signal })
    yield { bytes: new TextEncoder().encode(`${JSON.stringify(header)}\n${lines}\n`), encoding: null }
  }
}

/** Once a night one hour of the last month is compared unasked: an engine may have rewritten it. */
async function checkOneHour(
  services: Services,
  engine: CellEngine,
  before: number,
  signal: AbortSignal,
): Promise<void> {
  const hours = onlyRow(
    sql`SELECT min(hour) AS first FROM cell_hours WHERE source = ${engine.name} AND hour >= ${before / HOUR_MS - 720}`,
    columns({ first: orNull(asNumber) }),
  )
  const { first } = await ask(services.sql, hours)
  const span = first === null ? 0 : before / HOUR_MS - first
  if (first === null || span <= 0) return
  const from = (first + (Number.parseInt(services.newId('').slice(0, 8), 16) % span)) * HOUR_MS
  const changed = await verify(services, engine, { from, to: from + HOUR_MS, signal })
  if (changed.length > 0)
    services.log('warn', 'a source says something else of an hour than it did', {
      source: engine.name,
      hour: isoTime(from),
      runs_kept: changed[0]!.before,
      runs_now: changed[0]!.after,
    })
}

/** An engine of service.yaml. Throws 400 for an unknown name. */
export function engineOf(
  { workspace: { sources = [] } }: Pick<Services, 'workspace'>,
  name: string,
): CellEngine {
  const found = sources.find(each => each.name === name)
  if (found !== undefined) return found
  const known = sources.map(each => each.name).join(', ') || 'none'
  throw badRequest(`service.yaml names no source ${name} (it names ${known}).`)
}

/** A side whose cells are no longer those that it was decided on: late runs replaced them, or an hour went on. */
export interface Replaced {
  readonly source: string
  readonly release_id: string
  readonly runs_decided: number
  readonly runs_kept: number
}

/** Of one side, the sources whose cells in the window have another digest now than in the evidence. */
export async function replacedOf(
  { sql: db }: Pick<Services, 'sql'>,
  { release_id, sources = [] }: SideEvidence,
  environment: string,
  window: Window,
): Promise<Replaced[]> {
  const kept = await (await ask(db, fed.sourcesOf(db.dialect, release_id, environment, window))).sources()
  return sources.flatMap(decided => {
    const { source, runs } = decided
    const now = kept.find(each => each.source === source)
    return now?.sha256 === decided.sha256
      ? []
      : [{ source, release_id, runs_decided: runs, runs_kept: now?.runs ?? 0 }]
  })
}
