import type { Check, DoctorCheck } from '../../ledger/doctor/check.ts'
import type { Sql } from '../../sql/port.ts'
import { listRetirements } from './retirements.ts'
import { ROLE_TEXTS, endText } from './rules.ts'

export const CHECKS: readonly Check[] = [{ name: 'retirements', run: checkRetirements }]

/** Days ahead that the doctor looks. */
const WARNED_DAYS = 90
const MOST_NAMED = 3

/** Models of live releases that end soon. No fault of the ledger, so this never fails. */
async function checkRetirements(db: Sql): Promise<DoctorCheck[]> {
  const { live } = await listRetirements(db, { days: WARNED_DAYS })
  if (live.length === 0) return []
  const named = live
    .slice(0, MOST_NAMED)
    .map(
      one =>
        `${one.model}${ROLE_TEXTS[one.role]} of ${one.release_id} (${one.agent_id} in ${one.environment}) ${endText(one)}`,
    )
  const more = live.length > MOST_NAMED ? `; and ${live.length - MOST_NAMED} more` : ''
  const detail = `${named.join('; ')}${more} (\`svc models retirements\`)`
  return [{ name: 'retirements', ok: true, detail, warning: true }]
}
