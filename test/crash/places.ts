import { temporaryFolder } from '../support/databases/ledger.ts'
import { emptyDatabase, temporaryDatabase } from '../support/databases/postgres.ts'
import type { Place } from './programs/support.ts'

type MakePlace = (options?: { migrated?: boolean }) => Promise<Place>

/** Where a ledger can be that several processes share. */
export const PLACES: readonly (readonly [name: string, make: MakePlace])[] = [
  ['a SQLite file', async () => ({ folder: temporaryFolder() })],
  [
    'a PostgreSQL database',
    async ({ migrated = true } = {}) => ({
      folder: temporaryFolder(),
      databaseUrl: await (migrated ? temporaryDatabase() : emptyDatabase()),
    }),
  ],
]
