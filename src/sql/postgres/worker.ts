import type { Sql } from '../port.ts'
import { postgresLedger } from './postgres.ts'
import { readSettings } from './settings.ts'

/** A PostgreSQL database over the sockets of Workers, which the driver opens itself. */
export function openPostgres({ url }: { readonly url: string }): Sql {
  // Connections that end with their request are nothing to measure.
  const { usage: _, ...db } = postgresLedger({ settings: readSettings(url) })
  return db
}
