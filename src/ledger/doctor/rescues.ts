import { firstFew, safe } from '../../base/text.ts'
import { HOUR_MS } from '../../base/time.ts'
import type { WorkspaceConfig } from '../../models/documents/workspace.ts'
import { resolveThresholds } from '../../rules/evidence.ts'
import { type Sql, raw, sql } from '../../sql/port.ts'
import { allRows, asNumber, ask, asText, columns, together } from '../../sql/query.ts'
import { resolveOverrides } from '../../rules/scope.ts'
import { ACTIVE_POLICY } from '../registry/policies.ts'
import type { DoctorCheck } from './check.ts'

/** Places that are looked at: those of the newest decisions. */
const MOST_PLACES = 100
/** The window that a rollback is taken to ask for, hours. */
const WINDOW_HOURS = 168

/**
 * Live releases that a rollback could not leave yet, because the policy asks for HIGH confidence and they have too few runs.
 * Says nothing where the workspace permits forced rollbacks.
 */
export async function checkRescues(
  db: Sql,
  { allow_forced_rollback: isForced, diff }: Pick<WorkspaceConfig, 'allow_forced_rollback' | 'diff'>,
): Promise<DoctorCheck[]> {
  if (isForced) return []
  const since = sql`${db.clock} / ${raw(String(HOUR_MS))} - ${raw(String(WINDOW_HOURS))}`
  const runs = sql`SELECT coalesce(sum(h.runs), 0) FROM rollup_hours h JOIN scopes s ON s.id = h.scope
    WHERE s.release_id = p.release_id AND s.environment = p.environment AND h.bucket >= ${since}`
  const found = await ask(
    db,
    together({
      policy: ACTIVE_POLICY,
      live: allRows(
        sql`SELECT p.agent_id, p.environment, p.release_id, (${runs}) AS runs
          FROM promoted_pointers p JOIN actions a ON a.action_id = p.action_id
          WHERE a.baseline_release_id <> a.release_id ORDER BY a.audit_seq DESC LIMIT ${MOST_PLACES}`,
        columns({ agent_id: asText, environment: asText, release_id: asText, runs: asNumber }),
      ),
    }),
  )
  const stuck = found.live.flatMap(({ release_id, runs: has, ...place }) => {
    const { policy } = resolveOverrides(found.policy, place)
    const { min_baseline_runs: takes } = resolveThresholds(policy, diff)
    if (!policy.require_high_diff_confidence || has >= takes) return []
    return [
      `${safe(place.agent_id)} in ${safe(place.environment)} (${release_id} has ${has} of ${takes} runs in 7 days)`,
    ]
  })
  if (stuck.length === 0) return []
  const detail =
    `too few runs to roll back from what is live: ${firstFew(stuck)}; the policy requires HIGH confidence. Set ` +
    'allow_forced_rollback: true in service.yaml, or a smaller min_baseline_runs in the policy'
  return [{ name: 'rescues', ok: true, detail, warning: true }]
}
