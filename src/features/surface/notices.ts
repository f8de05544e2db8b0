import { count, safe } from '../../base/text.ts'
import { sql } from '../../sql/port.ts'
import { allRows, asNumber, asText, ask, columns } from '../../sql/query.ts'
import { toOutbox } from '../../ledger/webhooks/announcements.ts'
import { SERVICE_ACTOR } from '../../ledger/trail/chain.ts'
import type { Ledger, Pace } from '../../ledger/world/ledger.ts'

const UNTOLD = columns({
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
 * Tells receivers of names that runs used beyond the surface of their release: once of each release, environment and name,
 * by whichever server looks first.
 */
export async function tellUndeclared(ledger: Ledger, pace: Pace): Promise<void> {
  const { sql: db } = ledger
  for (;;) {
    const untold = await ask(
      db,
      allRows(
        sql`SELECT n.scope, n.kind, n.name, s.release_id, s.environment, r.agent_id,
            (SELECT coalesce(sum(runs), 0) FROM rollup_surface_hours h
              WHERE h.scope = n.scope AND h.kind = n.kind AND h.name = n.name) AS runs,
            (SELECT coalesce(sum(calls), 0) FROM rollup_surface_hours h
              WHERE h.scope = n.scope AND h.kind = n.kind AND h.name = n.name) AS calls
          FROM surface_names n JOIN scopes s ON s.id = n.scope JOIN releases r ON r.release_id = s.release_id
          WHERE n.notice_id IS NULL ORDER BY n.scope LIMIT ${AT_ONCE}`,
        UNTOLD,
      ),
    )
    if (untold.length === 0) return
    const createdAt = ledger.now()
    const statements = untold.flatMap(({ scope, kind, name, runs, ...used }) => {
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
      const isMine = sql`EXISTS (SELECT 1 FROM surface_names
        WHERE scope = ${scope} AND kind = ${kind} AND name = ${name} AND notice_id = ${noticeId})`
      return [
        sql`UPDATE surface_names SET notice_id = ${noticeId}
          WHERE scope = ${scope} AND kind = ${kind} AND name = ${name} AND notice_id IS NULL`,
        toOutbox({ event: 'surface.violated', cause: noticeId, createdAt, data }, isMine, db.clock),
      ]
    })
    await pace(() => db.batch(statements))
    ledger.outboxFilled()
    if (untold.length < AT_ONCE) return
  }
}
