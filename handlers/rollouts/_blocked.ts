import type { BlockedRollout } from '../../src/features/rollouts/start.ts'
import { type Reply, json, replayHeaders } from '../../src/http/wire/message.ts'

/** 409 with what blocks a rollout, as it was said first. */
export function blockedReply(
  { blocked: reasons }: BlockedRollout,
  replayed: boolean,
): Reply<{ readonly detail: { readonly message: string; readonly reasons: readonly string[] } }> {
  const message = `Rollout blocked: ${reasons.join('; ')}.`
  return json({ detail: { message, reasons } }, 409, replayHeaders(replayed))
}
