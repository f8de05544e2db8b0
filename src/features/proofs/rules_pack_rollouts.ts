import type { PackEntry } from './rules_pack_entry.ts'

const STARTED = 'rollout.started'

/** Entries whose subject is a request for a rollout. */
export const REQUESTING = /^rollout\.(?:requested|approved|rejected)$/

/** Entries whose subject is a rollout. */
const CHANGING = /^rollout\.(?:started|advanced|paused|resumed|aborted|completed|expired)$/

/** The rollouts that an entry changes: its own, and others that end by it, whose rows it binds. */
export function rolloutsOf({ kind, subject, details }: PackEntry): string[] {
  const { rollouts } = (details.holds ?? {}) as { readonly rollouts?: Readonly<Record<string, unknown>> }
  const bound = Object.keys(rollouts ?? {})
  if (kind === 'decision') return bound
  return CHANGING.test(kind) ? [...new Set([subject, ...bound])] : []
}

export function begins({ kind, subject }: PackEntry, id: string): boolean {
  return kind === STARTED && subject === id
}

/** Whether a start carries out the request that the entry before it approves: both are written in one batch. */
export function carriesOut(start: PackEntry, { kind, log_seq, details }: PackEntry): boolean {
  return kind === 'rollout.approved' && details.status === 'completed' && log_seq === start.log_seq - 1
}

/** Whether a rollout is open once this entry of it is written: a decision that is blocked pauses it. */
export function isOpenAfter({
  kind,
  details: { policy_passed: isPassed, forced: isForced, state },
}: PackEntry): boolean {
  if (kind === 'decision') return isPassed !== true && isForced !== true
  return state === 'running' || state === 'paused'
}
