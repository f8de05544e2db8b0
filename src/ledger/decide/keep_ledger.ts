import { FACT_NAMES, LAST_FACTS, toLastFacts } from '../trail/facts.ts'
import { HEAD, toHead } from '../trail/chain.ts'
import { takeUp } from '../trail/write_logged.ts'
import { expireRequests } from './requests.ts'
import { bounded } from '../world/bounded.ts'
import { partsOf } from '../world/feature.ts'
import type { Ledger, Pace } from '../world/ledger.ts'
import { noteSettings } from '../trail/settings.ts'

/**
 * What a ledger needs from time to time whoever serves it: puts into the audit log what isn't there yet, notes the
 * settings, ends requests whose time is over, and does what features need. Cheap where there is nothing to do; of several servers each may do it.
 */
export async function keepLedger(
  ledger: Ledger,
  { version, pace }: { version: string; pace: Pace },
): Promise<void> {
  const [head, last] = await ledger.sql.snapshot([HEAD, LAST_FACTS])
  const [{ covered, holdsRows }, there] = [toHead(head), toLastFacts(last!.rows[0])]
  if (!holdsRows || FACT_NAMES.some(name => there[name] > covered[name])) {
    const once = bounded(ledger)
    await once.memo.decisions.run(() => takeUp(once), once.sql.deadline)
  }
  await noteSettings(ledger, version)
  await expireRequests(ledger)
  for (const upkeep of await partsOf<(of: Ledger, pace: Pace) => Promise<unknown>>(ledger.features, 'upkeep'))
    await upkeep(ledger, pace)
}
