import { FEATURES } from '../../src/entry/features.ts'
import { examine } from '../../src/ledger/doctor/doctor.ts'
import { loadMigrations } from '../../src/runtime/node/migrations.ts'
import type { SimulatedDatabase } from './database.ts'
import { same } from './invariants/invariant.ts'
import { directPort } from './port.ts'

/** All that `svc doctor --deep` looks at. */
export async function examineSimulated(database: SimulatedDatabase): Promise<void> {
  const { checks } = await examine(directPort(database), {
    features: FEATURES,
    migrations: loadMigrations({ dialect: 'sqlite' }),
    deep: true,
  })
  const failed = checks.filter(({ ok }) => !ok)
  same('the doctor finds nothing', 'what it finds', failed, [])
}
