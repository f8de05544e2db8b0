import { count, safe } from '../../base/shown.ts'
import { rowsOf, sql } from '../../sql/port.ts'
import { toOutbox } from '../../ledger/webhooks/announcements.ts'
import { SERVICE_ACTOR } from '../../ledger/trail/log.ts'
import type { Ledger, Pace } from '../../ledger/world/ledger.ts'

/** Names that one batch tells of. */
const AT_ONCE = 20

/**
 * Tells receivers of names that runs used beyond the surface of their release: once of each release, environment and name,
 * by whichever server looks first.
 */
export async function tellUndeclared(ledger: Ledger, pace: Pace): Promise<void> {
  const { sql: db } = ledger
  for (;;) {
    const rows = await rowsOf(
      db,
      sql`SELECT n.scope, n.kind, n.name, s.release_id, s.environment, r.agent_id,
          (SELECT sum(runs) FROM rollup_surface_hours h
            WHERE h.scope = n.scope AND h.kind = n.kind AND h.name = n.name) AS runs,
          (SELECT sum(calls) FROM rollup_surface_hours h
            WHERE h.scope = n.scope AND h.kind = n.kind AND h.name = n.name) AS calls
        FROM surface_names n JOIN scopes s ON s.id = n.scope JOIN releases r ON r.release_id = s.release_id
        WHERE n.notice_id IS NULL ORDER BY n.scope LIMIT ${AT_ONCE}`,
    )
    if (rows.length === 0) return
    const createdAt = ledger.now()
    const statements = rows.flatMap(
      ({ scope, kind, name, release_id, environment, agent_id, runs, calls }) => {
        const noticeId = ledger.newId('sfv_')
        const [isTool, shown] = [kind === 'tool', safe(String(name))]
        const data = {
          release_id,
          agent_id,
          environment,
          kind,
          name,
          runs: Number(runs ?? 0),
          calls: Number(calls ?? 0),
          actor: SERVICE_ACTOR.name,
          reason: isTool
            ? `${count(Number(runs ?? 0))} runs called the tool ${shown}, which the release does not declare`
            : `the model ${shown} answered, which the release does not ask for`,
        }
        const isMine = sql`EXISTS (SELECT 1 FROM surface_names
        WHERE scope = ${scope!} AND kind = ${kind!} AND name = ${name!} AND notice_id = ${noticeId})`
        return [
          sql`UPDATE surface_names SET notice_id = ${noticeId}
          WHERE scope = ${scope!} AND kind = ${kind!} AND name = ${name!} AND notice_id IS NULL`,
          toOutbox({ event: 'surface.violated', cause: noticeId, createdAt, data }, isMine, db.clock),
        ]
      },
    )
    await pace(() => db.batch(statements))
    ledger.outboxFilled()
    if (rows.length < AT_ONCE) return
  }
}
