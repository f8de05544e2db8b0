import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { eraseTenant, recordErasure } from '../../ledger/retention/erase.ts'
import { patiently } from '../../sql/port.ts'
import type { Services } from '../services.ts'
import { aloneInArchive, waitingFor } from './archive_lock.ts'
import { linesOf, verifyFile, writeLines } from './archive.ts'
import { type ArchivedFile, readManifest, writeManifest } from './manifest.ts'
import { gently } from './pace.ts'

export interface Erased {
  readonly erasure_id: string
  readonly events: number
  readonly archived_events: number
}

/** Removes a tenant's run events from the ledger and from an archive, and records how many. */
export async function erase(
  services: Services,
  { tenant, archive, actor }: { tenant: string; archive: string | undefined; actor: string },
): Promise<Erased> {
  const there = archive !== undefined && existsSync(archive) ? archive : undefined
  const fromBoth = async (): Promise<{ events: number; archived_events: number }> => ({
    events: await eraseTenant(patiently(services.sql), tenant, gently()),
    archived_events: there === undefined ? 0 : await eraseArchived(there, tenant),
  })
  // Who prunes meanwhile would archive events of the tenant behind our back.
  const counts =
    there === undefined
      ? await fromBoth()
      : await aloneInArchive(there, fromBoth, waitingFor(services, there))
  return { erasure_id: await recordErasure(services, { actor, ...counts }), ...counts }
}

async function eraseArchived(folder: string, tenant: string): Promise<number> {
  let files = await readManifest(folder)
  let erased = 0
  for (const file of files) {
    const kept = async function* (): AsyncGenerator<string> {
      for await (const line of linesOf(folder, file.path)) if (!isOf(line, tenant)) yield line
    }
    if (!(await holdsAny(folder, file, tenant))) continue
    const before = await verifyFile(folder, file)
    // Under another name first: until the manifest says so, the file is the one it names.
    const path = file.path.replace(
      /(?:\.e(\d+))?\.jsonl\.gz$/,
      (_, n?: string) => `.e${Number(n ?? 0) + 1}.jsonl.gz`,
    )
    const written = await writeLines(join(folder, path), kept())
    files = files.map(other => (other === file ? { ...file, ...written, path } : other))
    await writeManifest(folder, files)
    await rm(join(folder, file.path), { force: true })
    erased += before - written.events
  }
  return erased
}

async function holdsAny(folder: string, { path }: ArchivedFile, tenant: string): Promise<boolean> {
  for await (const line of linesOf(folder, path)) if (isOf(line, tenant)) return true
  return false
}

function isOf(line: string, tenant: string): boolean {
  return (JSON.parse(line) as { tenant_id?: unknown }).tenant_id === tenant
}
