import { listSources } from '../../src/features/aggregates/sources.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'

export default endpoint(
  'GET /v1/aggregates/sources',
  {
    access: 'read',
    scope: 'filtered',
    summary: 'List the sources of aggregates',
    description: 'The sources of aggregates, up to when each is complete, and the releases that it feeds.',
    answers: { 200: 'AggregateSourceList' },
  },
  async function aggregatesSources(_, { sql, caller }) {
    return json({ sources: await listSources(sql, caller.scope) })
  },
)
