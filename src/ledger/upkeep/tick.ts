import { FACT_NAMES, LAST_FACTS, toLastFacts } from '../chain/facts.ts'
import { HEAD, toHead } from '../chain/chain.ts'
import { takeUp } from '../chain/write_logged.ts'
import { expireRequests } from '../decisions/requests.ts'
import { bounded } from '../bounded.ts'
import type { Ledger } from '../ledger.ts'
import type { Pace } from '../retention/jobs.ts'
import { forgetSpans } from '../traces/forget.ts'
import { digestEvents } from './digests.ts'
import { noteSettings } from './settings.ts'

/**
 * What a ledger needs from time to time whoever serves it: puts into the audit log what isn't there yet, notes the
 * settings, ends requests whose time is over, forgets old spans of traces, and once an hour hashes the events that came
 * in. Cheap where there is nothing to do; of several servers each may do it.
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
  await digestEvents(ledger, pace)
  await forgetSpans(ledger)
}
