import { badRequest } from '../../base/errors.ts'
import { findBadText, jsonOf } from '../../base/text.ts'
import { DAY_MS } from '../../base/time.ts'
import { type Restored, closeGaps, restoreEvents } from '../../ledger/retention/restore.ts'
import { acceptEvent } from '../../models/documents/parse_event.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import type { Services } from '../services.ts'
import { linesOf, verifyFile } from './archive.ts'
import { readNamedManifest } from './manifest.ts'

export interface RestoreResult extends Restored {
  readonly files: number
  /** Days of releases that are not whole even so. */
  readonly gaps: number
}

/** Events of a batch. */
const BATCH = 500

/**
 * Puts back what an archive holds. What is there already is skipped, so it can be called again. Throws 400 for one that
 * does not hold, before anything is put back.
 */
export async function restoreArchive(services: Services, folder: string): Promise<RestoreResult> {
  const files = await readNamedManifest(folder)
  for (const file of files) {
    await verifyFile(folder, file)
    for await (const line of linesOf(folder, file.path)) readEvent(line, file.path)
  }
  let [inserted, skipped, gaps] = [0, 0, 0]
  const add = async (events: readonly StoredEvent[]): Promise<void> => {
    const restored = await restoreEvents(services, events)
    inserted += restored.inserted
    skipped += restored.skipped
  }
  for (const { path } of files) {
    let batch: StoredEvent[] = []
    for await (const line of linesOf(folder, path)) {
      batch.push(readEvent(line, path))
      if (batch.length < BATCH) continue
      await add(batch)
      batch = []
    }
    if (batch.length > 0) await add(batch)
  }
  for (const day of new Set(files.map(file => Date.parse(file.day) / DAY_MS))) {
    gaps += await closeGaps(services.sql, day)
  }
  return { files: files.length, inserted, skipped, gaps }
}

function readEvent(line: string, path: string): StoredEvent {
  const value = jsonOf(line)
  const event = typeof value === 'object' && value !== null ? acceptEvent(value) : undefined
  if (event === undefined || findBadText(value) !== undefined)
    throw badRequest(`${path} holds a line that is no run event.`)
  return event
}
