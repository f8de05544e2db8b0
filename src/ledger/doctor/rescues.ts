import { firstFew, safe } from '../../base/text.ts'
import type { WorkspaceConfig } from '../../models/documents/workspace.ts'
import { resolveThresholds } from '../../rules/evidence.ts'
import { type Sql, type Statement, sql } from '../../sql/port.ts'
import { allRows, asNumber, ask, asText, columns, together } from '../../sql/query.ts'
import { resolveOverrides } from '../../rules/scope.ts'
import { ACTIVE_POLICY } from '../registry/policies.ts'
import { madeLive } from '../trail/pointers.ts'
import type { DoctorCheck } from './check.ts'

/** Places that are looked at: those of the newest decisions. */
const MOST_PLACES = 100

/**
 * Live releases that no window lets a rollback leave, because the policy asks for HIGH confidence and they or the releases before them
 * have too few runs. Says nothing where the workspace permits forced rollbacks.
 */
export async function checkRescues(
  db: Sql,
  { allow_forced_rollback: isForced, diff }: Pick<WorkspaceConfig, 'allow_forced_rollback' | 'diff'>,
): Promise<DoctorCheck[]> {
  if (isForced) return []
  const runsOf = (release: Statement): Statement =>
    sql`(SELECT coalesce(sum(h.runs), 0) FROM rollup_hours h JOIN scopes s ON s.id = h.scope
      WHERE s.release_id = ${release} AND s.environment = p.environment)`
  const found = await ask(
    db,
    together({
      policy: ACTIVE_POLICY,
      live: allRows(
        sql`SELECT p.agent_id, p.environment, p.release_id, a.baseline_release_id AS before,
            ${runsOf(sql`p.release_id`)} AS runs, ${runsOf(sql`a.baseline_release_id`)} AS runs_before
          FROM promoted_pointers p JOIN actions a ON a.audit_seq = ${madeLive('promote')}
          WHERE a.baseline_release_id IS NOT NULL ORDER BY a.audit_seq DESC LIMIT ${MOST_PLACES}`,
        columns({
          agent_id: asText,
          environment: asText,
          release_id: asText,
          before: asText,
          runs: asNumber,
          runs_before: asNumber,
        }),
      ),
    }),
  )
  const stuck = found.live.flatMap(({ release_id, before, runs, runs_before, ...place }) => {
    const { policy } = resolveOverrides(found.policy, place)
    if (!policy.require_high_diff_confidence) return []
    const { min_baseline_runs, min_candidate_runs } = resolveThresholds(policy, diff)
    const lacking = [
      [release_id, runs, min_baseline_runs] as const,
      [before, runs_before, min_candidate_runs] as const,
    ].filter(([, has, takes]) => has < takes)
    if (lacking.length === 0) return []
    const texts = lacking.map(([id, has, takes]) => `${id} has ${has} of ${takes} runs`)
    return [`${safe(place.agent_id)} in ${safe(place.environment)} (${texts.join('; ')})`]
  })
  if (stuck.length === 0) return []
  const detail =
    `too few runs to roll back what is live: ${firstFew(stuck)}; the policy requires HIGH confidence. Set ` +
    'allow_forced_rollback: true in service.yaml, or smaller min_baseline_runs and min_candidate_runs in the policy. ' +
    'Limits are not checked here: `svc release rollback` with --dry-run does'
  return [{ name: 'rescues', ok: true, detail, warning: true }]
}
