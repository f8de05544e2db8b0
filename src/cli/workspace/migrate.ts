import { readEnvironment } from '../../runtime/environment.ts'
import { openServices } from '../../runtime/node/open.ts'
import type { Invocation } from '../arguments/command.ts'
import { stderrLog } from '../terminal/io.ts'
import { pretty, safe } from '../terminal/text.ts'

/** Opening a ledger migrates it: for an owner of tables that the servers' user may not change. */
export async function migrateLedger({ options, io }: Invocation): Promise<number> {
  const environment = readEnvironment(io.env)
  const services = await openServices({ folder: io.cwd, environment, version: '', log: stderrLog(io) })
  await services.sql.close()
  const facts = { schema_version: services.migrations.at(-1)!.version, ledger: services.ledgerName }
  io.out(options.json ? pretty(facts) : `schema version ${facts.schema_version}\t${safe(facts.ledger)}\n`)
  return 0
}
