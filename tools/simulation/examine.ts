import { examine } from '../../src/ledger/health/doctor.ts'
import { loadMigrations } from '../../src/runtime/node/migrations.ts'
import type { Sql } from '../../src/sql/port.ts'
import { SIMULATED_CLOCK, type SimulatedDatabase } from './database.ts'
import { same } from './invariants/invariant.ts'

/** All that `svc doctor --deep` looks at. */
export async function examineSimulated(database: SimulatedDatabase): Promise<void> {
  const sql: Sql = {
    dialect: 'sqlite',
    clock: SIMULATED_CLOCK,
    query: async statement => database.read([statement])[0]!,
    snapshot: async statements => database.read(statements),
    batch: async statements => database.write(statements),
    check: async () => {},
    close: async () => {},
  }
  const versions = loadMigrations().map(({ version }) => version)
  const { checks } = await examine(sql, { versions, deep: true })
  const failed = checks.filter(({ ok }) => !ok)
  same('the doctor finds nothing', 'what it finds', failed, [])
}
