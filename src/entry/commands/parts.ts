import type { PromotedPart, ServerJob, StatusPart, TokenRenewal } from '../../cli/arguments/command.ts'

/** What features add to `svc status`. */
export const STATUS_PARTS: readonly StatusPart[] = [
  async () => (await import('../../features/live/cli_status.ts')).statusLines,
  async () => (await import('../../features/rollouts/cli_rollout.ts')).statusLines,
  async () => (await import('../../features/watch/cli_list.ts')).statusLines,
]

/** What features add to `svc live`. */
export const PROMOTED_PARTS: readonly PromotedPart[] = [
  async () => (await import('../../features/rollouts/cli_rollout.ts')).splitNotes,
]

/** Gets another token for a profile. */
export const renewal: TokenRenewal = async () => (await import('../../features/identity/cli_login.ts')).renew

/** What `svc serve` does in the background for features. */
export const JOBS: readonly ServerJob[] = [
  { whileReadOnly: true, load: async () => (await import('../../features/identity/jobs.ts')).checkLogins },
  {
    whileReadOnly: true,
    load: async () => (await import('../../features/proofs/jobs_checkpoints.ts')).runCheckpoints,
  },
  { load: async () => (await import('../../features/retention/jobs_retention.ts')).runRetention },
  { load: async () => (await import('../../features/rollouts/jobs.ts')).runRollouts },
  { load: async () => (await import('../../features/watch/jobs.ts')).runWatches },
]
