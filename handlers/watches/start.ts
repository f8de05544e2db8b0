import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { startWatch } from '../../src/features/watch/start.ts'

export default endpoint({
  route: 'POST /v1/watches',
  access: 'write',
  scope: { kind: 'agent', where: 'body', field: 'agent_id' },
  summary: 'Watch what is live',
  description:
    'Compares the live release of an agent in an environment with the one before, minute by minute, until a rise is proven or the time has ended. Fields that are left out come from the policy (`watch`); else 2h without a rollback. An agent has one watch per environment: 409 if one runs already.',
  takes: 'WatchesStart',
  recordsActor: true,
  answers: { 200: 'Watch', 400: 'ErrorText', 409: 'ErrorText' },
  answer: function watchesStart({ body, actor }, context) {
    return startWatch(context, { ...body, actor })
  },
})
