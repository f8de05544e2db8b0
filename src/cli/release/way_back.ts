import { ServiceError } from '../../base/errors.ts'
import type { PlaceAnswer } from '../../models/deploys/place.ts'
import { ROLL_BACK_ANYWAY, rollbackCommand } from '../../rules/rollback.ts'
import type { Api } from '../service/api.ts'
import { quoted, safe } from '../terminal/text.ts'
import { callDecision } from './decisions.ts'

/** A place where something is live. */
interface LiveIn {
  readonly agent_id: string
  readonly environment: string
  readonly live: string
  /** What was live before it; null where nothing was. */
  readonly before: string | null
  readonly allowed: Pick<PlaceAnswer['allowed'], 'rollback_to' | 'force_rollback'>
}

/** A command for somebody who wants to roll back, and why it isn't the plain rollback. */
export interface WayBack {
  readonly command: string
  readonly blocked: string | null
}

/**
 * The command that rolls a place back now, as a dry run finds. Where nothing does, the text says what blocks and what mends that, and
 * the command shows more.
 */
export async function wayBack(
  api: Api,
  { agent_id, environment, live, before, allowed }: LiveIn,
): Promise<WayBack> {
  if (before === null || allowed.rollback_to === null) {
    const command = `svc release history --agent ${quoted(agent_id)} --env ${quoted(environment)}`
    return { command, blocked: before === null ? null : 'your credential does not allow rollbacks' }
  }
  const command = (options: string): string => rollbackCommand(before, { environment, live }, options)
  return tried('24h')

  /** A longer window may hold enough runs, and unusable ones may be left out. */
  async function tried(window: string, excludes = false): Promise<WayBack> {
    const options = `--window ${window}${excludes ? ' --exclude-unusable' : ''}`
    const { blocked, longer, mayExclude } = await dryRun(window, excludes)
    if (blocked === null) return { command: command(options), blocked }
    if (mayExclude && !excludes) return tried(window, true)
    if (longer !== null && window === '24h') return tried(longer, excludes)
    return { command: command(allowed.force_rollback ? '--force' : `${options} --dry-run`), blocked }
  }

  async function dryRun(window: string, exclude_unusable: boolean) {
    const body = {
      release_id: before,
      environment,
      window,
      reason: 'dry run',
      expected_baseline_release_id: live,
      dry_run: true,
      exclude_unusable,
    }
    try {
      const { policy, missing_for_high: missing } = await callDecision(api, 'POST /v1/rollback', body)
      const mends = policy.warnings?.filter(text => text.startsWith(ROLL_BACK_ANYWAY)) ?? []
      return {
        blocked: policy.passed ? null : [...policy.reasons, ...mends].join('; '),
        longer: missing?.shortest_window ?? null,
        mayExclude: false,
      }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const mayExclude = error.message.includes('--exclude-unusable')
      return { blocked: error.message, longer: null, mayExclude }
    }
  }
}

/** The command that goes back, below what blocks the plain one. */
export function backText({ command, blocked }: WayBack): string[] {
  return [
    ...(blocked === null ? [] : [`  a rollback is blocked: ${safe(blocked)}\n`]),
    `  ${safe(command)}\n`,
  ]
}
