import type { Check } from '../../ledger/doctor/check.ts'
import type { DoctorCheck } from '../../ledger/doctor/check.ts'
import type { Sql } from '../../sql/port.ts'
import { listRetirements } from './retirements.ts'
import { NOTICE_DAYS, ROLE_TEXTS, endText } from './rules.ts'

export const CHECKS: readonly Check[] = [{ name: 'retirements', run: checkRetirements }]

const MOST_TOLD = 3

/** Models of live releases that end soon. No fault of the ledger, so this never fails. */
async function checkRetirements(db: Sql): Promise<DoctorCheck[]> {
  const { live } = await listRetirements(db, { days: NOTICE_DAYS[0] })
  if (live.length === 0) return []
  const told = live
    .slice(0, MOST_TOLD)
    .map(
      one =>
        `${one.model}${ROLE_TEXTS[one.role]} of ${one.release_id} (${one.agent_id} in ${one.environment}) ${endText(one)}`,
    )
  const more = live.length > MOST_TOLD ? `; and ${live.length - MOST_TOLD} more` : ''
  const detail = `${told.join('; ')}${more} (\`svc models retirements\`)`
  return [{ name: 'retirements', ok: true, detail, warning: true }]
}
