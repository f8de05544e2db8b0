import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { flag, id, integer, optional } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/message.ts'
import { listActions, toListed } from '../../src/ledger/decisions/trail.ts'

export default endpoint(
  'GET /v1/actions',
  {
    access: 'read',
    scope: 'filtered',
    summary: 'The audit trail, newest first',
    query: {
      agent: optional(id('Only this agent_id.')),
      env: optional(id('Only this environment.')),
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
    answers: { 200: 'ActionPage' },
  },
  async function actionsList({ query }, { sql, caller }) {
    const { actions, next_after } = await listActions(sql, { ...query, scope: caller.scope })
    return json({ actions: query.evidence ? actions : actions.map(toListed), next_after })
  },
)
