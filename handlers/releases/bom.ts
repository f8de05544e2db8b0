import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'
import { plain } from '../../src/http/wire/message.ts'
import { billOfMaterials } from '../../src/features/capabilities/bom.ts'

const TYPE = 'application/vnd.cyclonedx+json; version=1.6'

export default endpoint(
  'GET /v1/releases/{release_id}/bom',
  {
    access: 'read',
    scope: ofRelease('path', { environment: null, status: 404 }),
    summary: 'The bill of materials of a release',
    description:
      'CycloneDX 1.6 in JSON: models, sub-agents, files, MCP servers and tools. The same release gives the same text.',
    takes: 'ReleaseBom',
    answers: { 200: { type: TYPE, about: 'A bill of materials.' }, 404: 'ErrorText' },
  },
  async function releaseBom({ path }, { sql }) {
    return plain(await billOfMaterials(sql, path.release_id), TYPE)
  },
)
