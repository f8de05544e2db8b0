import { listSources } from '../../src/features/aggregates/sources.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'

export default endpoint({
  route: 'GET /v1/aggregates/sources',
  access: 'read',
  scope: 'filtered',
  summary: 'List the sources of aggregates',
  description: 'The sources of aggregates, when each was last complete, and the releases that it feeds.',
  answers: { 200: 'AggregateSourceList' },
  answer: async function aggregatesSources(_, { sql, caller }) {
    return { sources: await listSources(sql, caller.scope) }
  },
})
