import { fieldsBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { id, optional, window } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/message.ts'
import { diffReleases } from '../../src/ledger/compare/diff.ts'

export default endpoint(
  'POST /v1/diff',
  {
    access: 'open',
    mayBeLate: true,
    summary: 'Compare two releases of one agent over a window',
    description:
      'Cost per run, latency and error rate of both sides, how far to trust them, and what the policy says. Writes nothing.',
    body: fieldsBody({
      baseline_release_id: id('Release to compare with.'),
      candidate_release_id: id('Release to judge.'),
      window: window('How far back', { example: '7d' }),
      environment: optional(id('The default environment of the workspace unless given.')),
      tenant_id: optional(id('Exact filter.')),
      task_id: optional(id('Exact filter.')),
    }),
    answers: { 200: 'DiffReport', 400: 'ErrorText' },
  },
  async function diff({ body }, context) {
    return json(await diffReleases(context, body))
  },
)
