import type { Sql } from '../port.ts'
import { postgresLedger } from './postgres.ts'
import { readSettings } from './settings.ts'

/** A PostgreSQL database over the sockets of Workers, which the driver opens itself. */
export function openPostgres({ url }: { readonly url: string }): Sql {
  return postgresLedger({ settings: readSettings(url) })
}
