import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { integer, key, optional } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { listReleases } from '../../src/ledger/registry/releases.ts'

export default endpoint(
  'GET /v1/releases',
  {
    access: 'read',
    scope: 'filtered',
    summary: 'Registered releases, newest first',
    query: {
      agent: optional(key('Only this agent_id.')),
      env: optional(key('Only those that were registered for this environment.')),
      limit: optional(
        integer('Only the newest so many; all unless given.', { min: 1, max: Number.MAX_SAFE_INTEGER }),
      ),
    },
    answers: { 200: 'ReleaseList' },
  },
  async function releasesList({ query }, { sql, caller }) {
    return json({ releases: await listReleases(sql, { ...query, scope: caller.scope }) })
  },
)
