import type { Called } from '../../src/http/access/context.ts'
import type { PlaceAnswer } from '../../src/models/deploys/place.ts'
import type { PlaceFacts } from '../../src/rules/place.ts'

/** What this caller may do; `before` is what a rollback goes to. */
export function allowedTo(
  { caller, workspace }: Called,
  { gate, candidate, rollout, request }: Pick<PlaceFacts, 'gate' | 'candidate' | 'rollout' | 'request'>,
  before: string | null,
): PlaceAnswer['allowed'] {
  const mayWrite = caller.allows.includes('write')
  const passes = gate?.passed === true
  const way = workspace.promotion_requires_approval ? 'request' : 'now'
  const why = !mayWrite
    ? 'your credential does not allow decisions'
    : candidate === null
      ? 'there is no candidate'
      : rollout !== null
        ? 'a rollout is open'
        : request !== null
          ? 'a request waits for a confirmation'
          : passes
            ? null
            : 'the candidate does not pass'
  return {
    confirm: mayWrite ? (request?.request_id ?? null) : null,
    promote: why === null ? way : null,
    rollback_to: mayWrite ? before : null,
    force_rollback: mayWrite && before !== null && workspace.allow_forced_rollback === true,
    rollout: mayWrite && rollout === null && gate !== null && gate.baseline_release_id !== null,
    why_not: why,
  }
}
