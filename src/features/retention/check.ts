import { dayText } from '../../base/time.ts'
import { type Sql, sql } from '../../sql/port.ts'
import {
  allRows,
  asJson,
  asNumber,
  ask,
  asText,
  columns,
  field,
  firstRow,
  hasRow,
  onlyRow,
  together,
} from '../../sql/query.ts'
import type { LogRecord } from '../../ledger/trail/chain.ts'
import { type Check, type DoctorCheck, fail, pass } from '../../ledger/doctor/check.ts'
import type { Progress } from '../../ledger/world/ledger.ts'
import { erasedAmong, readErasureKey, runHashes } from '../../ledger/events/erased.ts'
import { erasedRuns } from './hashes.ts'
import { JOB_ENTRIES, JOB_LEASE_MS, type JobKind } from './job.ts'

export const CHECKS: readonly Check[] = [
  { name: 'retention', run: checkRetention },
  { name: 'retention_jobs', deep: true, run: checkJobs },
  {
    name: 'erased_runs',
    deep: true,
    run: (db, { onProgress }) => checkErased(db, onProgress),
  },
]

/** What was pruned or erased, where something was, and what of it has begun and not ended. */
async function checkRetention(db: Sql): Promise<DoctorCheck[]> {
  const { before, days, expired, jobs } = await ask(
    db,
    together({
      before: onlyRow(
        sql`SELECT events_before FROM retention WHERE id = 1`,
        field('events_before', asNumber),
      ),
      days: onlyRow(sql`SELECT count(*) AS n FROM event_gaps`, field('n', asNumber)),
      expired: onlyRow(
        sql`SELECT coalesce(sum(value), 0) AS n FROM counters WHERE name = 'run_events_expired'`,
        field('n', asNumber),
      ),
      jobs: allRows(
        sql`SELECT kind, job_id FROM retention_jobs
          WHERE held_until <= ${db.clock} OR held_until > ${db.clock} + ${2 * JOB_LEASE_MS} ORDER BY job_id`,
        readJob,
      ),
    }),
  )
  const open = jobs.map(({ kind, job_id }) => `${job_id} has not ended: ${GO_ON[kind]}`)
  if (before === 0 && days === 0 && open.length === 0) return []
  const details = [
    ...(before === 0 ? [] : [`run events before ${dayText(before)} may be gone`]),
    `${days} days of releases are incomplete`,
    `${expired} events that were pruned or erased were sent again and skipped`,
    ...open,
  ]
  const check = pass('retention', details.join('; '))
  return [open.length === 0 ? check : { ...check, warning: true }]
}

const readJob = columns({ kind: asText<JobKind>, job_id: asText })

const GO_ON: Readonly<Record<JobKind, string>> = {
  prune: '`svc runs prune` goes on with it',
  erase: '`svc runs erase` for the same tenant goes on with it',
  restore: '`svc runs ingest --restored` of the same file goes on with it',
}

/** Jobs that are under way are those that the audit log tells of. */
async function checkJobs(db: Sql): Promise<DoctorCheck> {
  const name = 'retention_jobs'
  const { jobs, entries } = await ask(
    db,
    together({
      jobs: allRows(sql`SELECT kind, job_id FROM retention_jobs ORDER BY job_id`, readJob),
      entries: allRows(
        sql`SELECT record_json FROM audit_log
          WHERE kind IN ('events.pruning', 'events.erasing', 'events.restoring', 'events.pruned', 'events.erased',
            'events.restored') AND kind <> 'decision' ORDER BY log_seq`,
        field('record_json', asJson<LogRecord>),
      ),
    }),
  )
  const begun = new Map<string, string>()
  for (const { kind, subject } of entries) {
    if (BEGUN.has(kind)) begun.set(subject, kind)
    else begun.delete(subject)
  }
  for (const { kind, job_id } of jobs) {
    if (begun.get(job_id) !== JOB_ENTRIES[kind].begun) {
      return fail(name, `${job_id} is marked as running, but the audit log has no entry of its start`)
    }
    begun.delete(job_id)
  }
  const [lost] = begun.keys()
  return lost === undefined
    ? pass(name, `${jobs.length} are running, as the audit log says`)
    : fail(name, `${lost} started and did not end, as the audit log says, but its row is missing`)
}

const BEGUN: ReadonlySet<string> = new Set(Object.values(JOB_ENTRIES).map(({ begun }) => begun))

/** Events that are compared at a time. */
const PAGE = 2000

/** The hashes of erased runs are those that the last erasure left, and no stored event has one. */
async function checkErased(db: Sql, onProgress?: Progress): Promise<DoctorCheck> {
  const name = 'erased_runs'
  const before = await lastErasure(db)
  const found = await erasedRuns(db)
  // The entry of an erasure comes at its end.
  const isMoving = await isErasing(db)
  const last = await lastErasure(db)
  if (isMoving || last?.log_seq !== before?.log_seq) return pass(name, 'not compared: an erasure is running')
  const said = { ...NO_ERASURE, ...last?.record_json.details }
  if (found.erased_runs !== said.erased_runs || found.erased_runs_sha256 !== said.erased_runs_sha256) {
    return fail(name, 'the hashes of erased run_ids differ from those of the last erasure')
  }
  if (found.erased_runs === 0) return pass(name, 'none was erased')
  if (found.erasure_key_sha256 !== said.erasure_key_sha256) {
    return fail(name, 'the key of erased run_ids is not the one of their hashes')
  }
  const again = await storedAgain(db, onProgress)
  return again === undefined
    ? pass(name, `none of ${found.erased_runs} is stored again`)
    : fail(
        name,
        `run_id ${again} was erased and is stored again, so it counts twice: stop servers of older versions, and ` +
          'erase its tenant again',
      )
}

const NO_ERASURE = { erased_runs: 0, erased_runs_sha256: '', erasure_key_sha256: '' }

function lastErasure(db: Sql) {
  const last = firstRow(
    sql`SELECT log_seq, record_json FROM audit_log WHERE kind = 'events.erased' AND kind <> 'decision'
      ORDER BY log_seq DESC LIMIT 1`,
    columns({ log_seq: asNumber, record_json: asJson<LogRecord> }),
  )
  return ask(db, last)
}

function isErasing(db: Sql): Promise<boolean> {
  return ask(db, hasRow(sql`SELECT 1 FROM retention_jobs WHERE kind = 'erase' LIMIT 1`))
}

async function storedAgain(db: Sql, onProgress?: Progress): Promise<string | undefined> {
  const key = (await readErasureKey(db))!
  const newest = onlyRow(sql`SELECT coalesce(max(seq), 0) AS seq FROM run_events`, field('seq', asNumber))
  const last = await ask(db, newest)
  for (let seq = 0; ;) {
    const page = sql`SELECT seq, run_id FROM run_events WHERE seq > ${seq} ORDER BY seq LIMIT ${PAGE}`
    const rows: StoredRun[] = await ask(db, allRows(page, readRun))
    if (rows.length === 0) return undefined
    const runIds = rows.map(({ run_id }) => run_id)
    const hashes = await runHashes(key, runIds)
    const erased = await erasedAmong(db, { keyId: key.id, hashes })
    // An erasure that began meanwhile hashes what it is about to remove.
    const again = runIds.find((_, index) => erased.has(hashes[index]!))
    if (again !== undefined && !(await isErasing(db)) && (await isStored(db, again))) return again
    seq = rows.at(-1)!.seq
    onProgress?.('erased runs', seq, last)
  }
}

const readRun = columns({ seq: asNumber, run_id: asText })

type StoredRun = ReturnType<typeof readRun>

function isStored(db: Sql, runId: string): Promise<boolean> {
  return ask(db, hasRow(sql`SELECT 1 FROM run_events WHERE run_id = ${runId}`))
}
