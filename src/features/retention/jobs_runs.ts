import type { ModelValue } from '../../models/all/models.ts'
import { THIS_PROCESS, aloneInArchive, waitingFor } from './jobs_archive_lock.ts'
import { join, resolve } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import { type Pruned, eventCutoff, prunable, pruneEvents } from './prune.ts'
import { type PrunedPart, prunableParts, pruneParts } from './others.ts'
import { type Erased, type TenantArchive, eraseTenant } from './erase.ts'
import { type JobKind, type Manner, takenElsewhere } from './job.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { patiently } from '../../sql/port.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServicesOptions } from '../../runtime/node/open.ts'
import { withLedger } from './jobs_ledger.ts'
import { type ArchivedFile, readManifest, readNamedManifest, writeManifest } from './jobs_manifest.ts'
import { gently } from '../../runtime/pace.ts'
import { archiveOf } from './jobs_retention.ts'
import type { Services } from '../../runtime/services.ts'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { linesOf, verifyFile, writeLines } from './jobs_archive.ts'
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
    if (age == null)
      throw badRequest('Say from which age on, by --older-than or by retention.events in service.yaml.')
    const before = await eventCutoff(services, age)
    const wanted = { before, restored: true }
    if (request.dryRun) {
      return {
        before,
        ...(await prunable(services.sql, wanted)),
        parts: await prunableParts(services, before),
      }
    }
    const archive = await archiveOf(services, options.folder, request.archive ?? retention.archive)
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
/** Between two looks, ms. */
const LOOK_MS = 500

/** Waits for another process that has a job, and says so once. Throws 503 when it took too long. */
function waitingForJob({ log }: Pick<Ledger, 'log'>, kind: JobKind): () => Promise<void> {
  let startedAt: number | undefined
  return async function onTaken() {
    if (startedAt === undefined) {
      startedAt = performance.now()
      log('info', `waiting: ${takenElsewhere(kind).message}`)
    }
    if (performance.now() - startedAt > MOST_MS) throw takenElsewhere(kind)
    await sleep(LOOK_MS)
  }
}

export function restoreRuns(options: ServicesOptions, archive: string): Promise<ModelValue<'Restored'>> {
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
    // A typing mistake in its name would leave events there that are reported as erased.
    if (archive !== undefined) await readNamedManifest(folder!)
    return erase(services, { tenant, archive: folder }, mannerOf(options, services, 'erase'))
  })
}

/** Removes a tenant's run events from the ledger and from an archive, and records how many. */
function erase(
  services: Services,
  { tenant, archive }: { readonly tenant: string; readonly archive: string | undefined },
  manner: Manner,
): Promise<Erased> {
  if (archive === undefined || !existsSync(archive)) return eraseTenant(services, { tenant, ...manner })
  // Who prunes meanwhile would archive events of the tenant behind our back.
  return aloneInArchive(
    archive,
    () => eraseTenant(services, { tenant, archive: tenantArchive(archive, tenant), ...manner }),
    waitingFor(services, archive),
  )
}

/** Of a folder that nobody else writes to meanwhile. Throws 400 for a file that isn't what the manifest says. */
function tenantArchive(folder: string, tenant: string): TenantArchive {
  return {
    runIds: async function* () {
      for (const file of await readManifest(folder)) {
        let isVerified = false
        for await (const line of linesOf(folder, file.path)) {
          const { tenant_id, run_id } = JSON.parse(line) as { tenant_id: unknown; run_id: string }
          if (tenant_id !== tenant) continue
          if (!isVerified) await verifyFile(folder, file)
          isVerified = true
          yield { path: file.path, run_id }
        }
      }
    },
    holds: async path => (await readManifest(folder)).some(file => file.path === path),
    remove: async path => {
      const files = await readManifest(folder)
      const kept = async function* (): AsyncGenerator<string> {
        for await (const line of linesOf(folder, path)) {
          if ((JSON.parse(line) as { tenant_id: unknown }).tenant_id !== tenant) yield line
        }
      }
      // Under another name first: until the manifest says so, the file is the one it names.
      const replacement = path.replace(
        /(?:\.e(\d+))?\.jsonl\.gz$/,
        (_, n?: string) => `.e${Number(n ?? 0) + 1}.jsonl.gz`,
      )
      const written = await writeLines(join(folder, replacement), kept())
      await writeManifest(
        folder,
        files.map(file => (file.path === path ? { ...file, ...written, path: replacement } : file)),
      )
      await rm(join(folder, path), { force: true })
    },
  }
}

/** Events of a batch. */
const BATCH = 500

/**
 * Puts back what an archive holds. What is there already, or was erased, is skipped, so it can be called again. Throws
 * 400 for one that does not hold, before anything is put back.
 */
export async function restoreArchive(
  services: Services,
  folder: string,
  manner: Omit<Manner, 'pace'>,
): Promise<ModelValue<'Restored'>> {
  const files = await readNamedManifest(folder)
  for (const file of files) {
    await verifyFile(folder, file)
    for await (const line of linesOf(folder, file.path)) readEvent(line, file.path)
  }
  const days = [...new Set(files.map(file => Date.parse(file.day) / DAY_MS))]
  const archived = { files: files.length, days, batches: batchesOf(folder, files) }
  return { files: files.length, ...(await restoreEvents(services, archived, manner)) }
}

async function* batchesOf(folder: string, files: readonly ArchivedFile[]): AsyncGenerator<StoredEvent[]> {
  for (const { path } of files) {
    let batch: StoredEvent[] = []
    for await (const line of linesOf(folder, path)) {
      batch.push(readEvent(line, path))
      if (batch.length < BATCH) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
  }
}

function readEvent(line: string, path: string): StoredEvent {
  const value = jsonOf(line)
  const event = typeof value === 'object' && value !== null ? acceptEvent(value) : undefined
  if (event === undefined || findBadText(value) !== undefined)
    throw badRequest(`${path} holds a line that is no run event.`)
  return event
}
