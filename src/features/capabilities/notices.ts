import { count, safe } from '../../base/text.ts'
import { type Check, type DoctorCheck, fail, pass } from '../../ledger/doctor/check.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { allRows, asNumber, asText, ask, columns } from '../../sql/query.ts'
import { toOutbox } from '../../ledger/webhooks/announcements.ts'
import { SERVICE_ACTOR } from '../../ledger/trail/chain.ts'
import type { Ledger, Pace } from '../../ledger/world/ledger.ts'
import { ranFaults } from './again.ts'

const UNREPORTED = columns({
  scope: asNumber,
  kind: asText,
  name: asText,
  release_id: asText,
  environment: asText,
  agent_id: asText,
  runs: asNumber,
  calls: asNumber,
})

/** Names that one batch tells of. */
const AT_ONCE = 20

/**
 * Tells receivers of names that runs used beyond the capabilities of their release: once of each release, environment and name,
 * by whichever server looks first.
 */
export async function reportUndeclared(ledger: Ledger, pace: Pace): Promise<void> {
  const { sql: db } = ledger
  for (;;) {
    const unreported = await ask(
      db,
      allRows(
        sql`SELECT n.scope, n.kind, n.name, s.release_id, s.environment, r.agent_id,
            (SELECT coalesce(sum(runs), 0) FROM rollup_capability_hours h
              WHERE h.scope = n.scope AND h.kind = n.kind AND h.name = n.name) AS runs,
            (SELECT coalesce(sum(calls), 0) FROM rollup_capability_hours h
              WHERE h.scope = n.scope AND h.kind = n.kind AND h.name = n.name) AS calls
          FROM capability_names n JOIN scopes s ON s.id = n.scope JOIN releases r ON r.release_id = s.release_id
          WHERE n.notice_id IS NULL ORDER BY n.scope LIMIT ${AT_ONCE}`,
        UNREPORTED,
      ),
    )
    if (unreported.length === 0) return
    const createdAt = ledger.now()
    const statements = unreported.flatMap(({ scope, kind, name, runs, ...used }) => {
      const noticeId = ledger.newId('sfv_')
      const shown = safe(name)
      const data = {
        ...used,
        kind,
        name,
        runs,
        actor: SERVICE_ACTOR.name,
        reason:
          kind === 'tool'
            ? `${count(runs)} ${runs === 1 ? 'run' : 'runs'} called the tool ${shown}, which the release does not declare`
            : `the model ${shown} answered, which the release does not ask for`,
      }
      const isMine = sql`EXISTS (SELECT 1 FROM capability_names
        WHERE scope = ${scope} AND kind = ${kind} AND name = ${name} AND notice_id = ${noticeId})`
      return [
        sql`UPDATE capability_names SET notice_id = ${noticeId}
          WHERE scope = ${scope} AND kind = ${kind} AND name = ${name} AND notice_id IS NULL`,
        toOutbox({ event: 'capabilities.violated', cause: noticeId, createdAt, data }, isMine, db.clock),
      ]
    })
    await pace(() => db.batch(statements))
    ledger.outboxFilled()
    if (unreported.length < AT_ONCE) return
  }
}

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
        JOIN capability_names n ON n.scope = s.id
        GROUP BY p.agent_id, p.environment, p.release_id ORDER BY 4 DESC, 1, 2 LIMIT 4`,
      columns({ agent_id: asText, environment: asText, release_id: asText, names: asNumber }),
    ),
  )
  if (rows.length === 0) return []
  const known = rows
    .slice(0, 3)
    .map(
      ({ agent_id, environment, release_id, names }) =>
        `${release_id} of ${agent_id} in ${environment} (${names === 1 ? '1 name' : `${names} names`}; \`svc release capabilities ${release_id}\`)`,
    )
  const more = rows.length > 3 ? ' and others' : ''
  const detail = `runs use tools or models that their live release does not declare: ${known.join(', ')}${more}`
  return [{ name: 'undeclared_use', ok: true, detail, warning: true }]
}

async function checkSums(db: Sql): Promise<DoctorCheck> {
  const name = 'undeclared_sums'
  const problems = await ranFaults(db)
  if (problems.length > 0) return fail(name, `${problems.join('; ')}; repair with \`svc rollups rebuild\``)
  return pass(name, 'equal to the raw events')
}
