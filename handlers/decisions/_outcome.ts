import type { Repeatable } from '../../src/ledger/trail/idempotency.ts'
import type { Blocked, Outcome } from '../../src/models/answers/decision.ts'
import { type Reply, json, replayHeaders } from '../../src/http/wire/message.ts'

/** 200 with the outcome, or 409 where the policy blocked. A dry run is always 200: nothing was blocked. */
export function outcomeReply({ result: outcome, replayed }: Repeatable<Outcome>): Reply<Outcome | Blocked> {
  if (outcome.policy.passed || outcome.dry_run === true || outcome.forced === true)
    return json(outcome, 200, replayHeaders(replayed))
  const message =
    outcome.action === 'promote' ? 'Promotion blocked by policy.' : 'Rollback blocked by policy.'
  return json({ detail: { message, outcome } }, 409, replayHeaders(replayed))
}
