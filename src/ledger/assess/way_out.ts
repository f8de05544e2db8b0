import { firstFew, safe } from '../../base/text.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { ask, hasRow } from '../../sql/query.ts'
import { MOVED } from '../trail/pointers.ts'
import { failedKeys } from '../../rules/policy.ts'
import type { Ledger } from '../world/ledger.ts'
import type { Evaluation } from './evaluation.ts'

interface Target {
  readonly release_id: string
  readonly agent_id: string
}

/** Whether a release was live in an environment before, so that it may be forced back. */
export function wasLive(db: Sql, { release_id, agent_id }: Target, environment: string): Promise<boolean> {
  return ask(
    db,
    hasRow(sql`SELECT action_id FROM actions WHERE agent_id = ${agent_id}
      AND environment = ${environment} AND release_id = ${release_id} AND ${MOVED} LIMIT 1`),
  )
}

/** What rolls back although the policy blocks, and whether the release was never live; nothing where it passes. */
export async function wayOut(
  { sql: db, workspace }: Pick<Ledger, 'sql' | 'workspace'>,
  target: Target,
  environment: string,
  { verdict, policy, label, ...measured }: Evaluation,
): Promise<string[]> {
  if (verdict.passed) return []
  const isBack = await wasLive(db, target, environment)
  const never = isBack ? [] : [`${target.release_id} was never live in ${safe(environment)}`]
  const command = `\`svc release rollback ${target.release_id} --env ${safe(environment)} --force --reason WHY\``
  const forced = !isBack
    ? []
    : workspace.allow_forced_rollback
      ? [`${command} skips the policy`]
      : [`allow_forced_rollback: true in service.yaml permits ${command}, which skips the policy`]
  const lacksRuns = policy.require_high_diff_confidence && label.confidence !== 'HIGH'
  const failed = failedKeys(policy, measured)
  const setting = lacksRuns
    ? 'set require_high_diff_confidence: false, or smaller min_baseline_runs and min_candidate_runs,'
    : `relax ${failed.length === 0 ? 'the limits' : firstFew(failed)}`
  const ways = [...forced, `${setting} in the policy for ${safe(environment)}`]
  return [`to roll back anyway: ${ways.join('; or ')}`, ...never]
}
