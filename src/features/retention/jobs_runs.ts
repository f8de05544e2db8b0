import type { ModelValue } from '../../models/all/models.ts'
import { THIS_PROCESS } from './jobs_process.ts'
import { resolve } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import { type Pruned, eventCutoff, prunable, pruneEvents } from './prune.ts'
import { type PrunedPart, prunableParts, pruneParts } from './others.ts'
import { type Erased, eraseTenant } from './erase.ts'
import { type JobKind, type Manner, takenElsewhere } from './job.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { patiently } from '../../sql/deadline.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServicesOptions } from '../../runtime/node/open.ts'
import { withLedger } from './jobs_ledger.ts'
import { gently } from '../../runtime/pace.ts'
import { archiveOf } from './jobs_retention.ts'
import type { Services } from '../../runtime/services.ts'
import { linesOf } from './jobs_archive.ts'
import { findBadText, jsonOf } from '../../base/text.ts'
import { DAY_MS } from '../../base/time.ts'
import { restoreEvents } from './restore.ts'
import { acceptEvent } from '../../models/all/parse_event.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'

interface PruneRequest {
  /** An age such as `90d`; service.yaml's where none is given. */
  readonly olderThan: string | undefined
  readonly archive: string | undefined
  readonly dryRun: boolean
}

interface PruneResult extends Pruned {
  /** Epoch ms. */
  readonly before: number
  readonly parts: readonly PrunedPart[]
}

/** Removes run events of the ledger of a folder, and what features keep of that time. Throws 400 where nothing says from which age on. */
export function pruneRuns(options: ServicesOptions, request: PruneRequest): Promise<PruneResult> {
  return withLedger(options, async services => {
    const { retention = {} } = services.workspace
    const age = request.olderThan ?? retention.events
    if (age == null) throw badRequest('Give an age with --older-than or retention.events in service.yaml.')
    const before = await eventCutoff(services, age)
    const wanted = { before, restored: true }
    if (request.dryRun) {
      return {
        before,
        ...(await prunable(services.sql, wanted)),
        parts: await prunableParts(services, before),
      }
    }
    const archive = await archiveOf(options.folder, request.archive ?? retention.archive)
    const manner = mannerOf(options, services, 'prune')
    const pruned = await pruneEvents(services, { ...wanted, archive, ...manner })
    const patient = { ...services, sql: patiently(services.sql) }
    return { before, ...pruned, parts: await pruneParts(patient, before, manner.pace) }
  })
}

function mannerOf({ environment }: ServicesOptions, services: Services, kind: JobKind): Manner {
  return {
    actor: { name: environment.actor, source: 'cli' },
    pace: gently(services),
    onTaken: waitingForJob(services, kind),
    process: THIS_PROCESS,
  }
}

/** How long a command waits for a process that has its job, ms: longer than a killed one keeps it. */
const MOST_MS = 90_000
/** Between two checks, ms. */
const CHECK_MS = 500

/** Waits for another process that has a job, and says so once. Throws 503 when it took too long. */
function waitingForJob({ log }: Pick<Ledger, 'log'>, kind: JobKind): () => Promise<void> {
  let startedAt: number | undefined
  return async function onTaken() {
    if (startedAt === undefined) {
      startedAt = performance.now()
      log('info', `waiting: ${takenElsewhere(kind).message}`)
    }
    if (performance.now() - startedAt > MOST_MS) throw takenElsewhere(kind)
    await sleep(CHECK_MS)
  }
}

/** Puts back the run events of an archived file. Throws 400 for one that holds anything else, before it puts any back. */
export function restoreRuns(options: ServicesOptions, file: string): Promise<ModelValue<'Restored'>> {
  return withLedger(options, services =>
    restoreFile(services, resolve(options.folder, file), mannerOf(options, services, 'restore')),
  )
}

/** Removes a tenant's run events from the ledger, and records how many. */
export function eraseRuns(options: ServicesOptions, tenant: string): Promise<Erased> {
  return withLedger(options, services =>
    eraseTenant(services, { tenant, ...mannerOf(options, services, 'erase') }),
  )
}

/** Events of a batch. */
const BATCH = 500

/** What is there already, or was erased, is skipped, so it can be called again. */
export async function restoreFile(
  services: Services,
  path: string,
  manner: Omit<Manner, 'pace'>,
): Promise<ModelValue<'Restored'>> {
  const days = new Set<number>()
  for await (const line of linesOf(path))
    days.add(Math.floor(Date.parse(readEvent(line, path).timestamp) / DAY_MS))
  return restoreEvents(services, { days: [...days], batches: batchesOf(path) }, manner)
}

async function* batchesOf(path: string): AsyncGenerator<StoredEvent[]> {
  let batch: StoredEvent[] = []
  for await (const line of linesOf(path)) {
    batch.push(readEvent(line, path))
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

function readEvent(line: string, path: string): StoredEvent {
  const value = jsonOf(line)
  const event = typeof value === 'object' && value !== null ? acceptEvent(value) : undefined
  if (event === undefined || findBadText(value) !== undefined)
    throw badRequest(`${path} has a line that is not a run event.`)
  return event
}
