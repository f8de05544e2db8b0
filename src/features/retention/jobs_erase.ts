import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Erased, type TenantArchive, eraseTenant } from './erase.ts'
import type { Manner } from '../../ledger/events/jobs.ts'
import type { Services } from '../../runtime/services.ts'
import { aloneInArchive, waitingFor } from './jobs_archive_lock.ts'
import { linesOf, verifyFile, writeLines } from './jobs_archive.ts'
import { readManifest, writeManifest } from './jobs_manifest.ts'

/** Removes a tenant's run events from the ledger and from an archive, and records how many. */
export function erase(
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
