import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type TableSize, tableSizes } from './size.ts'
import { tablesOf } from '../../sql/migrate.ts'
import { loadMigrations } from '../../runtime/node/migrations.ts'
import type { ServicesOptions } from '../../runtime/node/open.ts'
import { withLedger } from '../../runtime/node/with_ledger.ts'

export interface LedgerSize {
  readonly tables: readonly TableSize[]
  readonly bytes: number
  readonly bytes_per_day: number
  /** Of the disk of a SQLite file; null elsewhere. */
  readonly free_bytes: number | null
  /** Until that disk is full, at this rate; null where it doesn't grow, or is not this machine's. */
  readonly days_left: number | null
}

/** How large the ledger of a folder is, table by table, and when its disk is full. */
export function ledgerSize(options: ServicesOptions): Promise<LedgerSize> {
  return withLedger(options, async ({ sql, workspace, now }) => {
    const tables = await tableSizes(sql, tablesOf(loadMigrations(sql.dialect)), now())
    const total = (pick: (table: TableSize) => number): number =>
      tables.reduce((sum, table) => sum + pick(table), 0)
    const bytes_per_day = total(table => table.bytes_per_day ?? 0)
    const free_bytes =
      sql.dialect === 'sqlite' ? await freeBytes(dirname(resolve(options.folder, workspace.db_path))) : null
    return {
      tables,
      bytes: total(table => table.bytes),
      bytes_per_day,
      free_bytes,
      days_left: free_bytes === null || bytes_per_day === 0 ? null : free_bytes / bytes_per_day,
    }
  })
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
