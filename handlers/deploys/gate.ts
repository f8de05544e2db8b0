import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { askGate, verdictHeaders } from '../../src/features/deploys/gate.ts'

export default endpoint({
  route: 'GET /v1/gate/{agent_id}/{environment}',
  access: 'read',
  scope: { kind: 'agent', where: 'path', field: 'agent_id' },
  exact: true,
  summary: 'May this release pass?',
  description:
    'The result that a promotion would have now, for pipelines and controllers that poll. 200 for every verdict. Writes nothing.',
  takes: 'Gate',
  answers: { 200: 'Gate', 400: 'ErrorText' },
  handle: async function gate({ path, query }, context) {
    const answer = await askGate(context, { ...path, ...query })
    return json(answer, 200, verdictHeaders(answer))
  },
})
