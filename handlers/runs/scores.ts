import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'
import { json } from '../../src/http/wire/message.ts'
import { listScores } from '../../src/features/scores/imports.ts'

export default endpoint(
  'GET /v1/scores',
  {
    access: 'read',
    scope: ofRelease('query', { environment: null }),
    summary: 'The imports of scores of a release, newest first',
    takes: 'ScoresList',
    answers: { 200: 'ScoreImportList', 400: 'ErrorText' },
  },
  async function scoresList({ query }, context) {
    return json(await listScores(context, query.release_id))
  },
)
