import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'
import { listScores } from '../../src/features/scores/imports.ts'

export default endpoint({
  route: 'GET /v1/scores',
  access: 'read',
  scope: ofRelease('query', { environment: null }),
  summary: 'The imports of scores of a release, newest first',
  takes: 'ScoresList',
  answers: { 200: 'ScoreImportList', 400: 'ErrorText' },
  answer: function scoresList({ query }, context) {
    return listScores(context, query.release_id)
  },
})
