import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { choice, id, integer, optional } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { listWatches } from '../../src/features/watch/rows.ts'
import { WATCH_STATES } from '../../src/models/names.ts'

export default endpoint(
  'GET /v1/watches',
  {
    access: 'read',
    scope: 'filtered',
    summary: 'Watches, newest first',
    query: {
      agent: optional(id('Only this agent_id.')),
      env: optional(id('Only this environment.')),
      state: optional(choice('Only watches in this state.', WATCH_STATES)),
      limit: integer('Most watches to return.', { default: 50, min: 1, max: 500 }),
    },
    answers: { 200: 'WatchList' },
  },
  async function watchesList({ query }, { sql, caller }) {
    return json({ watches: await listWatches(sql, { ...query, scope: caller.scope }) })
  },
)
