import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'
import { readFiles } from '../../src/ledger/registry/releases.ts'

export default endpoint({
  route: 'GET /v1/releases/{release_id}/files',
  access: 'read',
  scope: ofRelease('path', { environment: null, status: 404 }),
  summary: "The files of a release's bundle: their hashes, and their texts if they were stored",
  takes: 'ReleaseFilesList',
  answers: { 200: 'ReleaseFiles', 404: 'ErrorText' },
  answer: function releaseFilesList({ path }, { sql }) {
    return readFiles(sql, path.release_id)
  },
})
