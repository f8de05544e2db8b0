import { THIS_PROCESS } from './jobs_archive_lock.ts'
import { resolve } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import { eventCutoff } from './cutoff.ts'
import type { Erased } from './erase.ts'
import type { JobKind, Manner } from '../../ledger/events/jobs.ts'
import { type Pruned, prunable, pruneEvents } from './prune.ts'
import type { ServicesOptions } from '../../runtime/node/open.ts'
import { erase } from './jobs_erase.ts'
import { withLedger } from '../../runtime/node/with_ledger.ts'
import { readNamedManifest } from './jobs_manifest.ts'
import { gently, waitingForJob } from '../../runtime/pace.ts'
import { type RestoreResult, restoreArchive } from './jobs_restore.ts'
import { archiveOf } from './jobs_retention.ts'
import type { Services } from '../../runtime/services.ts'

export interface PruneRequest {
  /** An age such as `90d`; service.yaml's where none is given. */
  readonly olderThan: string | undefined
  readonly archive: string | undefined
  readonly dryRun: boolean
}

export interface PruneResult extends Pruned {
  /** Epoch ms. */
  readonly before: number
}

/** Removes run events of the ledger of a folder. Throws 400 where nothing says from which age on. */
export function pruneRuns(options: ServicesOptions, request: PruneRequest): Promise<PruneResult> {
  return withLedger(options, async services => {
    const { retention = {} } = services.workspace
    const age = request.olderThan ?? retention.events
    if (age == null)
      throw badRequest('Say from which age on, by --older-than or by retention.events in service.yaml.')
    const before = await eventCutoff(services, age)
    const wanted = { before, restored: true }
    if (request.dryRun) return { before, ...(await prunable(services.sql, wanted)) }
    const archive = await archiveOf(services, options.folder, request.archive ?? retention.archive)
    const pruned = await pruneEvents(services, {
      ...wanted,
      archive,
      ...mannerOf(options, services, 'prune'),
    })
    return { before, ...pruned }
  })
}

function mannerOf({ environment }: ServicesOptions, services: Services, kind: JobKind): Manner {
  return {
    actor: { name: environment.actor, source: 'cli' },
    pace: gently(),
    onHeld: waitingForJob(services, kind),
    process: THIS_PROCESS,
  }
}

export function restoreRuns(options: ServicesOptions, archive: string): Promise<RestoreResult> {
  return withLedger(options, services =>
    restoreArchive(services, resolve(options.folder, archive), mannerOf(options, services, 'restore')),
  )
}

/** Removes a tenant's run events. Throws 400, and removes none, where the archive that is named holds nothing. */
export function eraseRuns(
  options: ServicesOptions,
  { tenant, archive }: { tenant: string; archive: string | undefined },
): Promise<Erased> {
  return withLedger(options, async services => {
    const named = archive ?? services.workspace.retention?.archive
    const folder = named == null ? undefined : resolve(options.folder, named)
    // A slip in its name would leave there what is told to be gone.
    if (archive !== undefined) await readNamedManifest(folder!)
    return erase(services, { tenant, archive: folder }, mannerOf(options, services, 'erase'))
  })
}
