import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { showRelease } from '../../src/ledger/registry/releases.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'

export default endpoint({
  route: 'GET /v1/releases/{release_id}',
  access: 'read',
  scope: ofRelease('path', { environment: null, status: 404 }),
  summary: 'One release with its artifact',
  takes: 'ReleasesShow',
  answers: { 200: 'ReleaseDetail', 404: 'ErrorText' },
  answer: async function releasesShow({ path, query }, { sql, caller }) {
    const withEnvironments = query.run_environments
    return await showRelease(sql, path.release_id, { withEnvironments, scope: caller.scope })
  },
})
