import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { diffReleases } from '../../src/ledger/assess/diff.ts'
import { ofComparison } from '../../src/http/endpoint/scope.ts'

export default endpoint(
  'POST /v1/diff',
  {
    access: 'open',
    closable: true,
    scope: ofComparison('body'),
    concurrency: { most: 4 },
    mayBeLate: true,
    tellsReaders: true,
    summary: 'Compare two releases of one agent over a window',
    description:
      'Cost per run, latency and error rate of both sides, how sure their differences are, and what the policy says. ' +
      'Writes nothing. Open, but where the workspace takes named credentials only: there it is a read. Where a token is ' +
      'configured, who may not read is not told of single tenants and tasks.',
    takes: 'Diff',
    answers: { 200: 'DiffReport', 400: 'ErrorText' },
  },
  async function diff({ body }, context) {
    return json(await diffReleases(context, body, context.isReader))
  },
)
