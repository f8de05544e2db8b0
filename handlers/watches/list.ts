import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { listWatches } from '../../src/features/watch/rows.ts'

export default endpoint(
  'GET /v1/watches',
  {
    access: 'read',
    scope: 'filtered',
    summary: 'Watches, newest first',
    takes: 'WatchesList',
    answers: { 200: 'WatchList' },
  },
  async function watchesList({ query }, { sql, caller }) {
    return json({ watches: await listWatches(sql, { ...query, scope: caller.scope }) })
  },
)
