import { ServiceError } from '../../base/errors.ts'
import { type Sql, type Statement, sql } from '../../sql/port.ts'
import {
  type Query,
  asNumber,
  ask,
  asText,
  changesOf,
  columns,
  field,
  firstRow,
  mapped,
  together,
  unread,
  write,
} from '../../sql/query.ts'
import type { LogActor } from '../../ledger/trail/chain.ts'
import { writeLogged } from '../../ledger/trail/write_logged.ts'
import type { Ledger, Pace } from '../../ledger/world/ledger.ts'

/** How a job is carried out. */
export interface Manner {
  readonly actor: LogActor
  readonly pace: Pace
  /** Called where another process has the job: waits before the next attempt, or throws {@link takenElsewhere}. */
  readonly onTaken: () => Promise<void>
  /** What this process is, and whether another one is known to have ended: then nobody waits for the end of its lease. */
  readonly process?: {
    readonly mark: string
    readonly hasEnded: (mark: string) => boolean
  }
}

/** What kinds of jobs there are, and which entries of the audit log say that one began and that it ended. */
export const JOB_ENTRIES = {
  prune: { prefix: 'prn_', begun: 'events.pruning', ended: 'events.pruned' },
  erase: { prefix: 'era_', begun: 'events.erasing', ended: 'events.erased' },
  restore: { prefix: 'rst_', begun: 'events.restoring', ended: 'events.restored' },
} as const
export type JobKind = keyof typeof JOB_ENTRIES

/** A job that this process has: nobody else carries it out as long as it keeps its lease. */
export interface Job {
  readonly id: string
  readonly kind: JobKind
  /** Names this attempt. */
  readonly holder: string
  readonly actor: LogActor
}

/** Tells a job from others. Of those with one kind and subject there is one at a time. */
export interface JobName {
  readonly kind: JobKind
  /** The keyed hash of the tenant that is erased, '' otherwise. */
  readonly subject: string
}

/** A job to be begun, unless there is one of its name to go on with. */
interface NewJob extends JobName {
  /** What the entry says that it begins. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** How long a process that says nothing of itself still has its job, ms, by the database's clock. */
export const JOB_LEASE_MS = 30_000

/**
 * Carries out a job. The audit log says that it begins before it removes or restores anything, and how much it was when
 * it ends. Killed or failed in between, its row stays, and the next one of its name goes on with it: there is one job,
 * one end, and one count of all that was done. Throws 503 where another process took it over, and what `onTaken` throws.
 */
export async function carryOut<T>(
  ledger: Ledger,
  job: NewJob,
  manner: Omit<Manner, 'pace'>,
  work: (job: Job) => Promise<Ended<T>>,
): Promise<T> {
  const begun = await beginJob(ledger, job, manner)
  try {
    return await endJob(ledger, begun, await work(begun))
  } catch (error) {
    // Without this the next one would wait for the end of the lease.
    await ledger.sql.batch([letGo(begun)]).catch(() => {})
    throw error
  }
}

/** How a job ends: made of its row, which has the counts. Called again where another writer was first. */
export type Ended<T> = (row: JobRow) => Promise<{
  readonly details: Readonly<Record<string, unknown>>
  readonly statements?: (guard: Statement) => readonly Statement[]
  readonly result: T
}>

const readJob = columns({
  job_id: asText,
  held_by: asText,
  days: asNumber,
  events: asNumber,
  events_before: asNumber,
})

/** The row of a job that has begun and not ended. */
export type JobRow = ReturnType<typeof readJob>

export function findJob(db: Sql, name: JobName): Promise<JobRow | undefined> {
  return ask(db, jobQuery(name))
}

function jobQuery({ kind, subject }: JobName): Query<JobRow | undefined> {
  return firstRow(sql`SELECT * FROM retention_jobs WHERE kind = ${kind} AND subject = ${subject}`, readJob)
}

async function beginJob(
  ledger: Ledger,
  name: NewJob,
  { actor, onTaken, process }: Omit<Manner, 'pace'>,
): Promise<Job> {
  const holder = `${ledger.newId('hld_')} ${process?.mark ?? ''}`
  for (;;) {
    const there = (await findJob(ledger.sql, name))?.held_by ?? ''
    const ended = process?.hasEnded(there.slice(there.indexOf(' ') + 1)) === true ? there : ''
    const id =
      (await takeOver(ledger.sql, name, { holder, ended })) ?? (await writeNew(ledger, name, holder, actor))
    if (id !== undefined) return { id, kind: name.kind, holder, actor }
    await onTaken()
  }
}

/** The id of a job that nobody has any more; a lease that ends far ahead was taken before the clock was set back. */
async function takeOver(
  db: Sql,
  { kind, subject }: JobName,
  { holder, ended }: { readonly holder: string; readonly ended: string },
): Promise<string | undefined> {
  const taken = sql`UPDATE retention_jobs SET held_by = ${holder}, held_until = ${db.clock} + ${JOB_LEASE_MS}
      WHERE kind = ${kind} AND subject = ${subject}
        AND (held_by = ${ended} OR held_until <= ${db.clock} OR held_until > ${db.clock} + ${2 * JOB_LEASE_MS})
      RETURNING job_id`
  return write(db, firstRow(taken, field('job_id', asText)))
}

/** Its id, or undefined where there is one of its name already. */
async function writeNew(
  ledger: Ledger,
  { details = {}, ...name }: NewJob,
  holder: string,
  actor: LogActor,
): Promise<string | undefined> {
  const { prefix, begun } = JOB_ENTRIES[name.kind]
  const id = ledger.newId(prefix)
  const written = await writeLogged<{ id?: string }, JobRow | undefined>(ledger, jobQuery(name), found => {
    const isThere = found !== undefined
    return {
      id,
      revises: 'all',
      entries: isThere
        ? []
        : [{ kind: begun, subject: id, actor, reason: null, created_at: ledger.now(), fact: null, details }],
      write: guard => (isThere ? [] : [insertStatement(ledger.sql, name, { id, holder }, guard)]),
      done: isThere ? {} : { id },
    }
  })
  return written.id
}

function insertStatement(
  { clock }: Sql,
  { kind, subject }: JobName,
  { id, holder }: Pick<Job, 'id' | 'holder'>,
  guard: Statement,
): Statement {
  return sql`INSERT INTO retention_jobs (kind, subject, job_id, held_by, held_until, events_before, days, events,
      archived_events, archived_path, archived_pending)
    SELECT ${kind}, ${subject}, ${id}, ${holder}, ${clock} + ${JOB_LEASE_MS}, 0, 0, 0, 0, '', 0 WHERE ${guard}`
}

async function endJob<T>(ledger: Ledger, job: Job, ended: Ended<T>): Promise<T> {
  const id = ledger.newId('log_')
  const mine = firstRow(sql`SELECT * FROM retention_jobs WHERE ${isOwnedBy(job)}`, readJob)
  const written = await writeLogged(ledger, mine, async row => {
    if (row === undefined) throw takenOver()
    const { details, statements = () => [], result } = await ended(row)
    return {
      id,
      revises: 'all',
      entries: [
        {
          kind: JOB_ENTRIES[job.kind].ended,
          subject: job.id,
          actor: job.actor,
          reason: null,
          created_at: ledger.now(),
          fact: null,
          details,
        },
      ],
      provided: { lock: renewed(ledger.sql, job), holds: ownsJob(job) },
      write: guard => [
        sql`DELETE FROM retention_jobs WHERE ${isOwnedBy(job)} AND ${guard}`,
        ...statements(guard),
      ],
      done: { result },
    }
  })
  return written.result
}

function isOwnedBy({ id, holder }: Job): Statement {
  return sql`job_id = ${id} AND held_by = ${holder}`
}

function letGo(job: Job): Statement {
  return sql`UPDATE retention_jobs SET held_until = 0 WHERE ${isOwnedBy(job)}`
}

/** That the job is this process's. Each statement of its batches asks, but the first. */
export function ownsJob(job: Job): Statement {
  return sql`EXISTS (SELECT 1 FROM retention_jobs WHERE ${isOwnedBy(job)})`
}

/**
 * Writes a batch of a job, and renews its lease. On PostgreSQL the first statement locks its row, so that nobody takes it
 * over while the others run. Throws 503 where somebody has.
 */
export async function writeInJob<T>(db: Sql, job: Job, query: Query<T>): Promise<T> {
  const { isMine, done } = await write(
    db,
    together({ isMine: mapped(changesOf(renewed(db, job)), count => count > 0), done: query }),
  )
  if (!isMine) throw takenOver()
  return done
}

/** The same of statements whose results nobody reads. */
export async function runBatch(db: Sql, job: Job, statements: readonly Statement[] = []): Promise<void> {
  await writeInJob(db, job, unread(statements))
}

function renewed({ clock }: Sql, job: Job): Statement {
  return sql`UPDATE retention_jobs SET held_until = ${clock} + ${JOB_LEASE_MS} WHERE ${isOwnedBy(job)}`
}

/** Sets or raises figures of the job's row, as part of its batch. */
export function noteInJob(job: Job, assignments: Statement): Statement {
  return sql`UPDATE retention_jobs SET ${assignments} WHERE ${isOwnedBy(job)}`
}

function takenOver(): ServiceError {
  return new ServiceError(
    503,
    'Another process took over, because this one paused for too long; it continues there.',
  )
}

const DOES: Readonly<Record<JobKind, string>> = {
  prune: 'prunes run events of this ledger',
  erase: 'erases run events of this tenant',
  restore: 'restores run events of this ledger',
}

export function takenElsewhere(kind: JobKind): ServiceError {
  const seconds = JOB_LEASE_MS / 1000
  return new ServiceError(
    503,
    `Another process ${DOES[kind]}, or was killed in the last ${seconds} seconds; try again when it has ended.`,
    { headers: { 'Retry-After': String(seconds) } },
  )
}

/**
 * Marks a day of a scope as not whole, in the batch in which the first of its events goes; `done` is set with the last one
 * that is pruned.
 */
export function markGap(
  { scope, day }: { readonly scope: number; readonly day: number },
  { done, job }: { readonly done: boolean; readonly job: Job },
): Statement {
  return sql`INSERT INTO event_gaps (scope, day, done)
    SELECT CAST(${scope} AS BIGINT), CAST(${day} AS BIGINT), CAST(${done ? 1 : 0} AS BIGINT) WHERE ${ownsJob(job)}
    ON CONFLICT (scope, day) DO UPDATE SET done = excluded.done`
}
