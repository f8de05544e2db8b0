import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { unauthorized } from '../../src/http/access/access.ts'
import { diffReleases } from '../../src/ledger/assess/diff.ts'
import { ofComparison } from '../../src/http/endpoint/scope.ts'

export default endpoint({
  route: 'POST /v1/diff',
  access: 'open',
  closable: true,
  scope: ofComparison('body'),
  concurrency: { most: 4 },
  mayBeLate: true,
  namesReader: true,
  summary: 'Compare two releases of one agent over a window',
  description:
    "Cost per run, latency and error rate of both releases, how sure their differences are, and the policy's verdict. Writes nothing. It is open, except that `auth: named` makes it a read. If a token is configured, the answer to a caller without read access names no tenant or task, and `anonymous_diff: totals` refuses its filters with 401.",
  takes: 'Diff',
  answers: { 200: 'DiffReport', 400: 'ErrorText' },
  answer: async function diff({ body }, context) {
    const isFiltered = (body.tenant_id ?? body.task_id ?? null) !== null
    if (isFiltered && !context.isReader && context.workspace.anonymous_diff === 'totals') {
      throw unauthorized(
        'tenant_id and task_id need read access here (anonymous_diff: totals). Send a Bearer token.',
      )
    }
    return await diffReleases(context, body, context.isReader)
  },
})
