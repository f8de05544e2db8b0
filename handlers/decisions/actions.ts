import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { refuseUndeclared } from '../../src/ledger/world/query.ts'
import { listActions, toListed } from '../../src/ledger/decide/trail.ts'

export default endpoint({
  route: 'GET /v1/actions',
  access: 'read',
  scope: 'filtered',
  summary: 'List decisions, newest first',
  takes: 'ActionsList',
  answers: { 200: 'ActionPage', 400: 'ErrorText' },
  answer: async function actionsList({ query }, context) {
    const scope = context.caller.scope
    const { actions, next_after } = await listActions(context.sql, {
      ...query,
      limit: Math.min(500, Math.max(1, query.limit)),
      scope,
    })
    // What an environment had that is declared no more stays readable.
    if (actions.length === 0 && query.env !== undefined) refuseUndeclared(context, query.env)
    return { actions: query.evidence ? actions : actions.map(toListed), next_after }
  },
})
