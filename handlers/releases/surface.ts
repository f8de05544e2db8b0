import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'
import { json } from '../../src/http/wire/message.ts'
import { showSurface } from '../../src/features/surface/ran.ts'

export default endpoint(
  'GET /v1/releases/{release_id}/surface',
  {
    access: 'read',
    scope: ofRelease('path', { environment: null, status: 404 }),
    summary: 'What a release may do, and what its runs did beyond that',
    description:
      'Derived from the artifact: spec.tools, spec.runtime, spec.routing.fallback and spec.surface. Immutable, as the artifact is.',
    takes: 'ReleaseSurface',
    answers: { 200: 'ReleaseSurface', 404: 'ErrorText' },
  },
  async function releaseSurface({ path }, { sql, caller }) {
    return json(await showSurface(sql, path.release_id, caller.scope))
  },
)
