import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { unknownInPolicy } from '../../src/ledger/registry/places.ts'
import { isLimited } from '../../src/ledger/world/scope.ts'
import { testPolicy } from '../../src/features/explain/test_policy.ts'
import { limitsInWords, looseLimits } from '../../src/rules/limit_words.ts'

export default endpoint({
  route: 'POST /v1/policy/test',
  access: 'read',
  scope: 'filtered',
  summary: 'What a policy would have decided on past actions',
  description:
    'Decides each action again from its evidence, as if all actions before it had the recorded result; promotes_from and freezes decide as they did. Writes nothing.',
  takes: 'PolicyTest',
  answers: { 200: 'PolicyTest', 400: 'ErrorText', 409: 'ErrorText' },
  answer: async function policyTest({ body }, context) {
    const { scope } = context.caller
    const tested = await testPolicy(context, { ...body, scope })
    // A caller limited to some places learns nothing of others.
    const unknown = isLimited(scope) ? [] : await unknownInPolicy(context.sql, body.policy, context.workspace)
    const warnings = [...looseLimits(body.policy), ...unknown]
    return {
      ...tested,
      limits: limitsInWords(body.policy),
      ...(warnings.length === 0 ? {} : { warnings }),
    }
  },
})
