import { fieldsBody } from '../src/http/bodies.ts'
import { answerOutcome, decisionFields } from '../src/http/decision.ts'
import { endpoint } from '../src/http/endpoint.ts'
import { answerOnce } from '../src/http/once.ts'
import { rollback } from '../src/ledger/promotions.ts'

export default endpoint(
  'POST /v1/rollback',
  {
    access: 'write',
    summary: 'Roll back to a release if the policy passes',
    description:
      'Like POST /v1/promote, but something must be promoted already. Blocked: 409, recorded as well.',
    body: fieldsBody(decisionFields),
    idempotent: true,
    answers: { 200: 'Outcome', 400: 'ErrorText', 409: 'Blocked' },
  },
  async function rollbackRelease({ body, actor, idempotencyKey }, context) {
    return answerOnce(context, idempotencyKey, answerOutcome('Rollback blocked by policy.'), once =>
      rollback(context, { ...body, actor }, once),
    )
  },
)
