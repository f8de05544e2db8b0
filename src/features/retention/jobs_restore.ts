import { badRequest } from '../../base/errors.ts'
import { findBadText, jsonOf } from '../../base/text.ts'
import { DAY_MS } from '../../base/time.ts'
import type { Manner } from './job.ts'
import { type Restored, restoreEvents } from './restore.ts'
import { acceptEvent } from '../../models/all/parse_event.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import type { Services } from '../../runtime/services.ts'
import { linesOf, verifyFile } from './jobs_archive.ts'
import { type ArchivedFile, readNamedManifest } from './jobs_manifest.ts'

export interface RestoreResult extends Restored {
  readonly files: number
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
): Promise<RestoreResult> {
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
