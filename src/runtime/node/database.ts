import { isRemoteUrl, remoteName } from '../../sql/libsql/remote_url.ts'
import type { Sql } from '../../sql/port.ts'
import type { Environment } from '../environment.ts'

/** A database that a URL names, not opened yet. */
export interface NamedDatabase {
  /** For people: host and database; never a user, password or token. */
  readonly name: string
  /** `onRetry` gets the reason of each retry. Throws {@link SqlError} for a URL that can't be read. */
  open(onRetry: (reason: string) => void): Promise<Sql>
}

/** The PostgreSQL or remote libSQL database of a URL; either is loaded only where it is needed. */
export async function databaseOf(
  url: string,
  { postgres: variables, databaseAuthToken: authToken }: Environment,
): Promise<NamedDatabase> {
  if (isRemoteUrl(url)) {
    return {
      name: remoteName(url),
      open: async onRetry => {
        const { openRemoteLibsql } = await import('../../sql/libsql/remote.ts')
        return openRemoteLibsql({ url, authToken, onRetry })
      },
    }
  }
  const { databaseName } = await import('../../sql/postgres/settings.ts')
  return {
    name: databaseName(url),
    open: async onRetry => {
      const { openPostgres } = await import('../../sql/postgres/node.ts')
      return openPostgres({ url, variables, onRetry })
    },
  }
}
