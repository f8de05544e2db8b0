import { resolve } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import { HOUR_MS } from '../../base/time.ts'
import { SERVICE_ACTOR } from '../../ledger/trail/chain.ts'
import { ageBefore } from '../../ledger/world/query.ts'
import { pruneEvents, eventCutoff } from './prune.ts'
import { pruneDeliveries, pruneKeys, removals } from './others.ts'
import type { Pace } from '../../ledger/world/ledger.ts'
import { takenElsewhere } from './job.ts'
import { patiently } from '../../sql/deadline.ts'
import { type Sql, sql } from '../../sql/port.ts'
import type { Services } from '../../runtime/services.ts'
import { IDLE, type Runner, again } from '../../runtime/again.ts'
import { archiveInto } from './jobs_archive.ts'
import { THIS_PROCESS } from './jobs_process.ts'
import { makeFolder, reasonOf } from '../../runtime/node/files.ts'
import { gently } from '../../runtime/pace.ts'

/** A server that has just started has more urgent things to do. */
const FIRST_MS = 60_000

/** Once an hour removes what is older than service.yaml says; of several servers on one ledger one does it. */
export function runRetention(
  services: Services,
  { folder, firstMs = FIRST_MS }: { folder: string; firstMs?: number },
): Runner {
  const { events, webhook_deliveries, idempotency_keys } = services.workspace.retention ?? {}
  if ([events, webhook_deliveries, idempotency_keys].every(age => age == null)) return IDLE
  return again(firstMs, async signal => {
    try {
      if (await claimHour(services.sql)) await applyRetention(services, { folder, signal })
    } catch (error) {
      if (!signal.aborted) services.log('error', 'retention could not find what to remove', { error })
    }
    return HOUR_MS
  })
}

/** Somewhat less than the hour between two rounds. */
const LEASE_MS = 50 * 60_000

async function claimHour(db: Sql): Promise<boolean> {
  const [claimed] = await db.batch([
    sql`UPDATE retention SET lease_until = ${db.clock} + ${LEASE_MS}
      WHERE id = 1 AND (lease_until <= ${db.clock} OR lease_until > ${db.clock} + ${2 * LEASE_MS}) RETURNING id`,
  ])
  return claimed!.rows.length > 0
}

/**
 * Removes what is older than service.yaml says, and logs what went. What can't be removed, such as run events whose
 * archive is full, is logged and keeps nothing else from going.
 */
async function applyRetention(
  services: Services,
  { folder, signal }: { folder: string; signal: AbortSignal },
): Promise<void> {
  const { events, webhook_deliveries, idempotency_keys } = services.workspace.retention ?? {}
  const [db, pace] = [patiently(services.sql), gently(services, signal)]
  const now = services.now()
  const removed: Record<string, number> = {}
  const remove = async (what: string, work: () => Promise<number>): Promise<void> => {
    if (signal.aborted) return
    try {
      removed[what] = await work()
    } catch (error) {
      if (!signal.aborted) services.log('error', `retention can't remove ${what}`, { error })
    }
  }
  if (events != null) {
    await remove('run_events', () => pruneOld(services, { age: events, folder, pace }))
    for (const { name, prune } of await removals(services.features)) {
      await remove(name, async () => prune(db, await eventCutoff(services, events), pace))
    }
  }
  if (webhook_deliveries != null) {
    await remove('webhook_deliveries', () => pruneDeliveries(db, ageBefore(webhook_deliveries, now), pace))
  }
  if (idempotency_keys != null) {
    await remove('idempotency_keys', () => pruneKeys(db, ageBefore(idempotency_keys, now), pace))
  }
  if (Object.values(removed).some(count => count > 0)) services.log('info', 'removed by retention', removed)
}

/** Where somebody prunes by hand it is left to the next hour. */
async function pruneOld(
  services: Services,
  { age, folder, pace }: { age: string; folder: string; pace: Pace },
): Promise<number> {
  const before = await eventCutoff(services, age)
  const archive = await archiveOf(folder, services.workspace.retention?.archive)
  const onTaken = (): Promise<never> => Promise.reject(takenElsewhere('prune'))
  const options = {
    before,
    restored: false,
    archive,
    pace,
    actor: SERVICE_ACTOR,
    onTaken,
    process: THIS_PROCESS,
  }
  return (await pruneEvents(services, options)).events
}

/** Makes the folder of an archive that is named. */
export async function archiveOf(folder: string, archive: string | null | undefined) {
  if (archive == null) return undefined
  const path = resolve(folder, archive)
  await makeFolder(path).catch((error: NodeJS.ErrnoException) => {
    throw badRequest(`The archive's folder ${path} can't be made: ${reasonOf(error)}.`, error)
  })
  return archiveInto(path)
}
