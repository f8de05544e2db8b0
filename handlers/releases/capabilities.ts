import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'
import { showCapabilities } from '../../src/features/capabilities/ran.ts'

export default endpoint({
  route: 'GET /v1/releases/{release_id}/capabilities',
  access: 'read',
  scope: ofRelease('path', { environment: null, status: 404 }),
  summary: 'Capabilities of a release, and undeclared tools and models of its runs',
  description:
    'Derived from the artifact: spec.tools, spec.runtime, spec.routing.fallback and spec.capabilities. Immutable, as the artifact is.',
  takes: 'ReleaseCapabilities',
  answers: { 200: 'ReleaseCapabilities', 404: 'ErrorText' },
  answer: function releaseCapabilities({ path }, { sql, caller }) {
    return showCapabilities(sql, path.release_id, caller.scope)
  },
})
