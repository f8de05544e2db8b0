import { listSources } from '../../src/features/cells/sources.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'

export default endpoint(
  'GET /v1/cells/sources',
  {
    access: 'read',
    scope: 'filtered',
    summary: 'Where sums of runs come from',
    description: 'The sources of cells, up to when each is complete, and the releases that it feeds.',
    answers: { 200: 'CellSourceList' },
  },
  async function cellsSources(_, { sql, caller }) {
    return json({ sources: await listSources(sql, caller.scope) })
  },
)
