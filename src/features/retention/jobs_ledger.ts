import type { ModelValue } from '../../models/all/models.ts'
import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type TableSize, tableSizes } from './size.ts'
import { tablesOf } from '../../sql/migrate.ts'
import { loadMigrations } from '../../runtime/node/migrations.ts'
import { type ServicesOptions, type OpenedServices, openServices } from '../../runtime/node/open.ts'
import { ask } from '../../sql/query.ts'
import { badRequest } from '../../base/errors.ts'
import { isBlank } from '../../base/text.ts'
import { isoTime } from '../../base/time.ts'
import { HEAD } from '../../ledger/trail/chain.ts'
import { logOnly } from '../../ledger/trail/write_logged.ts'
import { readClock } from '../../ledger/trail/clock.ts'

/** How large the ledger of a folder is, table by table, and when its disk is full. */
export function ledgerSize(options: ServicesOptions): Promise<ModelValue<'LedgerSize'>> {
  return withLedger(options, async ({ sql, workspace, now }) => {
    const tables = await tableSizes(sql, tablesOf(loadMigrations(sql)), now())
    const total = (pick: (table: TableSize) => number): number =>
      tables.reduce((sum, table) => sum + pick(table), 0)
    const bytes_per_day = total(table => table.bytes_per_day ?? 0)
    const path = dirname(resolve(options.folder, workspace.db_path))
    const free_bytes = sql.clock.isLocal === true ? await freeBytes(path) : null
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

interface AcceptedClock {
  /** ISO-8601. */
  readonly now: string
  /** The later time that the ledger had noted. */
  readonly before: string
}

/**
 * Notes that this machine's clock is right although something in the ledger is of a later time: then time decides again.
 * Throws 400 without a reason, and where nothing is later.
 */
export function acceptClock(options: ServicesOptions, reason: string): Promise<AcceptedClock> {
  if (isBlank(reason)) throw badRequest('Give the reason why the clock is right with --reason.')
  return withLedger(options, async services => {
    const { now, doubt } = await readClock(services)
    if (doubt === undefined) {
      throw badRequest(`There is nothing to accept: nothing in the ledger is later than ${isoTime(now)}.`)
    }
    const before = isoTime((await ask(services.sql, HEAD)).latest_at)
    const actor = { name: options.environment.actor, source: 'cli' } as const
    await logOnly(services, { kind: 'clock.accepted', actor, reason, details: { before } })
    return { now: isoTime(now), before }
  })
}

/** Opens the ledger of a folder for work that no route does, and closes it. Throws 400 where a URL is set. */
export async function withLedger<T>(
  options: ServicesOptions,
  work: (services: OpenedServices) => Promise<T>,
): Promise<T> {
  const { serviceUrl, serviceProfile } = options.environment
  if (serviceUrl !== undefined || serviceProfile !== undefined) {
    throw badRequest(
      'This command works on the machine of the ledger only: unset SERVICE_URL and SERVICE_PROFILE.',
    )
  }
  const services = await openServices(options)
  try {
    return await work(services)
  } finally {
    await services.sql.close()
  }
}
