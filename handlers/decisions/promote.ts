import { outcomeReply } from './_outcome.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { promote } from '../../src/ledger/decide/promote.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'

/**
 * A promotion: evaluate the policy on what the release and the promoted one did in the window, write the attempt
 * to the audit trail, and move the pointer only if the policy passes; all or nothing, as one batch.
 */
export default endpoint({
  route: 'POST /v1/promote',
  access: 'write',
  scope: ofRelease('body'),
  summary: 'Promote a release if the policy passes',
  description:
    'Evaluates the policy on the promoted release and this one, records the attempt, and moves the pointer if ' +
    'it passes. The first promotion in an environment passes unconditionally, with a warning. Blocked: 409, recorded as well.',
  takes: 'PromoteRelease',
  recordsActor: true,
  idempotent: true,
  answers: { 200: 'Outcome', 400: 'ErrorText', 409: 'Blocked', 412: 'StaleBaseline' },
  handle: async function promoteRelease({ body, actor, idempotencyKey }, context) {
    return outcomeReply(await promote(context, { ...body, actor }, idempotencyKey))
  },
})
