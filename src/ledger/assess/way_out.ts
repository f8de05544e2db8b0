import { firstFew, safe } from '../../base/text.ts'
import type { WorkspaceConfig } from '../../models/documents/workspace.ts'
import { sql } from '../../sql/port.ts'
import { type Query, hasRow } from '../../sql/query.ts'
import { MOVED } from '../trail/pointers.ts'
import { failedKeys } from '../../rules/policy.ts'
import { ROLL_BACK_ANYWAY, rollbackCommand } from '../../rules/rollback.ts'
import type { ReleaseFacts } from '../registry/release_facts.ts'
import type { Evaluation } from './evaluation.ts'

/** Whether a release was live in an environment before, so that it may be forced back. */
export function wasLive(releaseId: string, environment: string): Query<boolean> {
  return hasRow(sql`SELECT action_id FROM actions
    WHERE agent_id = (SELECT agent_id FROM releases WHERE release_id = ${releaseId})
      AND environment = ${environment} AND release_id = ${releaseId} AND ${MOVED} LIMIT 1`)
}

/** What rolls back although the policy blocks, and whether the release was never live: the contract lets that pass. */
export function wayOut(
  { allow_forced_rollback: isForceable }: Pick<WorkspaceConfig, 'allow_forced_rollback'>,
  { release_id, agent_id }: Pick<ReleaseFacts, 'release_id' | 'agent_id'>,
  environment: string,
  live: string,
  { isBack, verdict, policy, label, ...measured }: Evaluation & { readonly isBack: boolean },
): string[] {
  const env = safe(environment)
  const never = isBack
    ? []
    : [
        `${release_id} was never live in ${env}: \`svc release history --agent ${safe(agent_id)} --env ${env}\` lists the decisions`,
      ]
  if (verdict.passed) return never
  const command = `\`${rollbackCommand(release_id, { environment: env, live }, '--force')}\``
  const forced = !isBack
    ? []
    : isForceable
      ? [`${command} skips the policy`]
      : [`allow_forced_rollback: true in service.yaml permits ${command}, which skips the policy`]
  const lacksRuns = policy.require_high_diff_confidence && label.confidence !== 'HIGH'
  const failed = failedKeys(policy, measured)
  const setting = lacksRuns
    ? 'set require_high_diff_confidence: false, or smaller min_baseline_runs and min_candidate_runs,'
    : `relax ${failed.length === 0 ? 'the limits' : firstFew(failed)}`
  const ways = [...forced, `${setting} in the policy for ${env}`]
  return [`${ROLL_BACK_ANYWAY}: ${ways.join('; or ')}`, ...never]
}
