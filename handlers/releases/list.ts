import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { listReleases } from '../../src/ledger/registry/releases.ts'

export default endpoint(
  'GET /v1/releases',
  {
    access: 'read',
    scope: 'filtered',
    summary: 'Registered releases, newest first',
    takes: 'ReleasesList',
    answers: { 200: 'ReleaseList' },
  },
  async function releasesList({ query }, { sql, caller }) {
    return json({ releases: await listReleases(sql, { ...query, scope: caller.scope }) })
  },
)
