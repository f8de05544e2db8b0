import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { choice, flag, id, integer, moment, optional } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { refuseUndeclared } from '../../src/ledger/world/query.ts'
import { VERDICTS, listActions, toListed } from '../../src/ledger/decide/trail.ts'

export default endpoint(
  'GET /v1/actions',
  {
    access: 'read',
    scope: 'filtered',
    summary: 'The audit trail, newest first',
    query: {
      agent: optional(id('Only this agent_id.')),
      env: optional(id('Only this environment.')),
      actor: optional(id('Only actions by this actor.')),
      verdict: optional(
        choice('Only actions that passed, that were blocked, or that were forced past the policy.', VERDICTS),
      ),
      since: optional(moment('Only actions since then')),
      until: optional(moment('Only actions before then')),
      limit: integer('Most actions to return; moved into the range.', {
        default: 50,
        min: 1,
        max: 500,
        clamp: true,
      }),
      after: optional(
        integer('Only actions older than this audit_seq: pass next_after to get the next page.', {
          min: 0,
          max: Number.MAX_SAFE_INTEGER,
        }),
      ),
      evidence: flag('Answers each action with its evidence, actor source and hashes.'),
    },
    answers: { 200: 'ActionPage', 400: 'ErrorText' },
  },
  async function actionsList({ query }, context) {
    const scope = context.caller.scope
    const { actions, next_after } = await listActions(context.sql, { ...query, scope })
    // What an environment had that is declared no more stays readable.
    if (actions.length === 0 && query.env !== undefined) refuseUndeclared(context, query.env)
    return json({ actions: query.evidence ? actions : actions.map(toListed), next_after })
  },
)
