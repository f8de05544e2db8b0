import { outcomeReply } from './_outcome.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { rollback } from '../../src/ledger/decide/promote.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'

export default endpoint({
  route: 'POST /v1/rollback',
  access: 'write',
  scope: ofRelease('body'),
  summary: 'Roll back to a release if the policy passes',
  description:
    'Like POST /v1/promote, but needs a live release. Blocked: 409, recorded as well. Forced: 200, with policy.passed false, because no policy was evaluated.',
  takes: 'RollbackRelease',
  recordsActor: true,
  idempotent: true,
  answers: { 200: 'Outcome', 400: 'ErrorText', 409: 'Blocked', 412: 'StaleBaseline' },
  handle: async function rollbackRelease({ body, actor, idempotencyKey }, context) {
    return outcomeReply(await rollback(context, { ...body, actor }, idempotencyKey))
  },
})
