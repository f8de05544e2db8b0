import { fieldsBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { document, integer, key, optional, prose } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { unknownInPolicy } from '../../src/ledger/registry/places.ts'
import { isLimited } from '../../src/ledger/world/scope.ts'
import { testPolicy } from '../../src/features/explain/test_policy.ts'
import { limitsInWords, looseLimits } from '../../src/rules/limit_words.ts'

export default endpoint(
  'POST /v1/policy/test',
  {
    access: 'read',
    scope: 'filtered',
    summary: 'What a policy would have decided on past actions',
    description:
      'Each action is decided again from its evidence, as if all before it had gone as it did; promotes_from and freezes ' +
      'decide as they did. Writes nothing.',
    body: fieldsBody({
      policy: document('Policy', 'The policy to try.'),
      last: integer('Most actions to look at, newest first.', { default: 500, min: 1, max: 2000 }),
      since: optional(prose('Only actions since then: a window such as 30d, a date or a timestamp.')),
      agent_id: optional(key('Only actions of this agent.')),
      environment: optional(key('Only actions in this environment.')),
      after: optional(
        integer('Only actions older than this audit_seq: pass next_after to go on.', {
          min: 0,
          max: Number.MAX_SAFE_INTEGER,
        }),
      ),
    }),
    answers: { 200: 'PolicyTest', 400: 'ErrorText' },
  },
  async function policyTest({ body }, context) {
    const { scope } = context.caller
    const tested = await testPolicy(context, { ...body, scope })
    // A caller limited to some places learns nothing of others.
    const unknown = isLimited(scope) ? [] : await unknownInPolicy(context.sql, body.policy, context.workspace)
    const warnings = [...looseLimits(body.policy), ...unknown]
    return json({
      ...tested,
      limits: limitsInWords(body.policy),
      ...(warnings.length === 0 ? {} : { warnings }),
    })
  },
)
