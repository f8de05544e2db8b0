import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { flag, id } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { showRelease } from '../../src/ledger/registry/releases.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'

export default endpoint(
  'GET /v1/releases/{release_id}',
  {
    access: 'read',
    scope: ofRelease('path', { environment: null, status: 404 }),
    summary: 'One release with its artifact',
    path: { release_id: id('Release to show.') },
    query: { run_environments: flag('Also answers the environments that runs of it were ingested in.') },
    answers: { 200: 'ReleaseDetail', 404: 'ErrorText' },
  },
  async function releasesShow({ path, query }, { sql, caller }) {
    const withEnvironments = query.run_environments
    return json(await showRelease(sql, path.release_id, { withEnvironments, scope: caller.scope }))
  },
)
