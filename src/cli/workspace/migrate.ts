import { readEnvironment } from '../../runtime/environment.ts'
import { openServices } from '../../runtime/node/open.ts'
import type { Invocation } from '../arguments/command.ts'
import { stderrLog } from '../main.ts'
import { safe } from '../terminal/text.ts'

/** Opening a ledger migrates it: for an owner of tables that the servers' user may not change. */
export async function migrateLedger({ io }: Invocation): Promise<number> {
  const environment = readEnvironment(io.env)
  const services = await openServices({ folder: io.cwd, environment, version: '', log: stderrLog(io) })
  await services.sql.close()
  io.out(`schema version ${services.schemaVersions.at(-1)}\t${safe(services.ledgerName)}\n`)
  return 0
}
