import type { Check } from '../../ledger/doctor/check.ts'
import { type DoctorCheck, fail, pass } from '../../ledger/doctor/check.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { allRows, asNumber, asText, ask, columns } from '../../sql/query.ts'
import { ranFaults } from './again.ts'

export const CHECKS: readonly Check[] = [
  { name: 'undeclared_use', run: checkUse },
  { name: 'undeclared_sums', deep: true, run: checkSums },
]

/** Live releases whose runs use what they don't declare. No fault of the ledger, so this never fails. */
async function checkUse(db: Sql): Promise<DoctorCheck[]> {
  const rows = await ask(
    db,
    allRows(
      sql`SELECT p.agent_id, p.environment, p.release_id, count(*) AS names FROM promoted_pointers p
        JOIN scopes s ON s.release_id = p.release_id AND s.environment = p.environment
        JOIN surface_names n ON n.scope = s.id
        GROUP BY p.agent_id, p.environment, p.release_id ORDER BY 4 DESC, 1, 2 LIMIT 4`,
      columns({ agent_id: asText, environment: asText, release_id: asText, names: asNumber }),
    ),
  )
  if (rows.length === 0) return []
  const told = rows
    .slice(0, 3)
    .map(
      ({ agent_id, environment, release_id, names }) =>
        `${release_id} of ${agent_id} in ${environment} (${names === 1 ? '1 name' : `${names} names`}; \`svc release surface ${release_id}\`)`,
    )
  const more = rows.length > 3 ? ' and others' : ''
  const detail = `runs use tools or models that their live release does not declare: ${told.join(', ')}${more}`
  return [{ name: 'undeclared_use', ok: true, detail, warning: true }]
}

async function checkSums(db: Sql): Promise<DoctorCheck> {
  const name = 'undeclared_sums'
  const problems = await ranFaults(db)
  if (problems.length > 0) return fail(name, `${problems.join('; ')}; repair with \`svc rollups rebuild\``)
  return pass(name, 'equal to the raw events')
}
