import type { Called } from '../../src/http/access/context.ts'
import { namesIn } from '../../src/ledger/assess/told.ts'
import type { Repeatable } from '../../src/ledger/trail/idempotency.ts'
import type { Blocked, Outcome } from '../../src/models/answers/decision.ts'
import { type Reply, json, replayHeaders } from '../../src/http/wire/message.ts'
import { withNames } from '../../src/rules/change_sentence.ts'

/** 200 with the outcome, or 409 where the policy blocked. A dry run is always 200: nothing was blocked. */
export async function outcomeReply(
  context: Called,
  { result, replayed }: Repeatable<Outcome>,
): Promise<Reply<Outcome | Blocked>> {
  const outcome = await namedTo(context, result)
  if (outcome.policy.passed || outcome.dry_run === true || outcome.forced === true)
    return json(outcome, 200, replayHeaders(replayed))
  const message =
    outcome.action === 'promote' ? 'Promotion blocked by policy.' : 'Rollback blocked by policy.'
  return json({ detail: { message, outcome } }, 409, replayHeaders(replayed))
}

/** An outcome with the names of the tenants and tasks in its reasons, which the record has by their ids. */
async function namedTo(context: Called, outcome: Outcome): Promise<Outcome> {
  const { reasons } = outcome.policy
  const names = context.isReader ? await namesIn(context, reasons) : []
  if (names.length === 0) return outcome
  return { ...outcome, policy: { ...outcome.policy, reasons: reasons.map(text => withNames(text, names)) } }
}
