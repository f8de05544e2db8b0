import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { HOUR_MS, isoTime } from '../../base/time.ts'
import { type LogActor, SERVICE_ACTOR } from '../../ledger/chain/log.ts'
import { logOnly } from '../../ledger/chain/write_logged.ts'
import { ageBefore, eventCutoff } from '../../ledger/retention/cutoff.ts'
import { pruneDeliveries, pruneKeys, pruneLooks } from '../../ledger/retention/others.ts'
import { pruneEvents } from '../../ledger/retention/prune.ts'
import { type Sql, patiently, sql } from '../../sql/port.ts'
import type { Services } from '../services.ts'
import { IDLE, type Runner, again } from './again.ts'
import { archiveInto } from './archive.ts'
import { waitingFor } from './archive_lock.ts'
import { gently } from './pace.ts'

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
      if (!signal.aborted) {
        services.log('error', 'what is older than the retention can not be removed', { error })
      }
    }
    return HOUR_MS
  })
}

/** Somewhat less than the hour between two looks. */
const LEASE_MS = 50 * 60_000

async function claimHour(db: Sql): Promise<boolean> {
  const [claimed] = await db.batch([
    sql`UPDATE retention SET lease_until = ${db.clock} + ${LEASE_MS}
      WHERE id = 1 AND (lease_until <= ${db.clock} OR lease_until > ${db.clock} + ${2 * LEASE_MS}) RETURNING id`,
  ])
  return claimed!.rows.length > 0
}

/** Removes what is older than service.yaml says, and logs what went. */
async function applyRetention(
  services: Services,
  { folder, signal }: { folder: string; signal?: AbortSignal },
): Promise<void> {
  const { events, webhook_deliveries, idempotency_keys, archive } = services.workspace.retention ?? {}
  const [db, pace] = [patiently(services.sql), gently(signal)]
  const now = services.now()
  const removed: Record<string, number> = {}
  if (events != null) {
    const before = await eventCutoff(services, events)
    const options = { before, restored: false, pace, archive: await archiveOf(services, folder, archive) }
    const pruned = await pruneEvents(db, options)
    await notePruned(services, { before, ...pruned }, SERVICE_ACTOR)
    removed.run_events = pruned.events
    removed.watch_looks = await pruneLooks(db, before, pace)
  }
  if (webhook_deliveries != null) {
    removed.webhook_deliveries = await pruneDeliveries(db, ageBefore(webhook_deliveries, now), pace)
  }
  if (idempotency_keys != null) {
    removed.idempotency_keys = await pruneKeys(db, ageBefore(idempotency_keys, now), pace)
  }
  if (Object.values(removed).some(count => count > 0)) services.log('info', 'removed by retention', removed)
}

/** Notes in the audit log that run events went, where any did. */
export async function notePruned(
  services: Services,
  { before, days, events }: { before: number; days: number; events: number },
  actor: LogActor,
): Promise<void> {
  if (events === 0) return
  const details = { before: isoTime(before), days, events }
  await logOnly(services, { kind: 'events.pruned', actor, reason: null, details })
}

/** Makes the folder of an archive that is named. */
export async function archiveOf(services: Services, folder: string, archive: string | null | undefined) {
  if (archive == null) return undefined
  const path = resolve(folder, archive)
  await mkdir(path, { recursive: true, mode: 0o700 })
  return archiveInto(path, waitingFor(services, path))
}
