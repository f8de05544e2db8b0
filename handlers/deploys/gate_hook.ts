import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json, plain } from '../../src/http/wire/message.ts'
import { askGate, verdictHeaders } from '../../src/features/deploys/gate.ts'
import type { Gate } from '../../src/models/deploys/gate.ts'

export default endpoint({
  route: 'POST /v1/gate/{agent_id}/{environment}',
  access: 'read',
  scope: { kind: 'agent', where: 'path', field: 'agent_id' },
  exact: true,
  summary: 'May this release pass? For hooks that read the status alone',
  description:
    "The same as GET, except that it answers 409 with the reasons as plain text if the release doesn't pass. The body is not read. Writes nothing.",
  takes: 'GateHook',
  answers: {
    200: 'Gate',
    400: 'ErrorText',
    409: { type: 'text/plain; charset=utf-8', about: 'The verdict and its reasons, one per line.' },
  },
  handle: async function gateHook({ path, query: { fail_on = 'inconclusive', ...query } }, context) {
    const answer = await askGate(context, { ...path, ...query })
    const fails = answer.verdict === 'block' || (fail_on === 'inconclusive' && !answer.passed)
    if (!fails) return json(answer, 200, verdictHeaders(answer))
    return { ...plain(reasonsOf(answer), 'text/plain; charset=utf-8', verdictHeaders(answer)), status: 409 }
  },
})

function reasonsOf({ verdict, reasons }: Gate): string {
  const word = verdict === 'block' ? 'blocked' : 'too little evidence'
  return [`${word}:`, ...reasons].join('\n')
}
