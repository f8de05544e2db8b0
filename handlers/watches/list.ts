import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { listWatches } from '../../src/features/watch/rows.ts'

export default endpoint({
  route: 'GET /v1/watches',
  access: 'read',
  scope: 'filtered',
  summary: 'Watches, newest first',
  takes: 'WatchesList',
  answers: { 200: 'WatchList' },
  answer: async function watchesList({ query }, { sql, caller }) {
    return { watches: await listWatches(sql, { ...query, scope: caller.scope }) }
  },
})
