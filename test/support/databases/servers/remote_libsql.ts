import { afterAll, onTestFinished } from 'vitest'
import { loadMigrations } from '../../../../src/runtime/node/migrations.ts'
import { openRemoteLibsql } from '../../../../src/sql/libsql/remote.ts'
import { migrate } from '../../../../src/sql/migrate.ts'
import type { Sql } from '../../../../src/sql/port.ts'
import { emptyTables } from '../emptied.ts'
import { type Sqld, startSqld } from './sqld.ts'

export interface RemoteLedger {
  /** Where it is; so a Worker finds it too. */
  readonly name: string
  readonly sql: Sql
}

/** Migrated, empty ledgers on servers that live as long as the test file; each is a test's own until it is over. */
export function remoteLedgers(): () => Promise<RemoteLedger> {
  const servers: Sqld[] = []
  const idle: RemoteLedger[] = []
  afterAll(async () => {
    await Promise.all(servers.map(server => server.dispose()))
  })

  async function makeLedger(): Promise<RemoteLedger> {
    const server = await startSqld()
    servers.push(server)
    const sql = openRemoteLibsql({ url: server.url })
    await migrate(sql, loadMigrations({ dialect: 'sqlite' }), Date.now)
    return { name: server.url, sql }
  }

  return async function remoteLedger() {
    const ledger = idle.pop() ?? (await makeLedger())
    onTestFinished(async () => {
      await emptyTables(ledger.sql)
      idle.push(ledger)
    })
    // A test may close its own.
    return { name: ledger.name, sql: openRemoteLibsql({ url: ledger.name }) }
  }
}
