import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'
import { importScores } from '../../src/features/scores/imports.ts'

export default endpoint({
  route: 'POST /v1/scores',
  access: 'ingest',
  scope: ofRelease('body', { environment: 'every' }),
  summary: 'Import the scores of an evaluation',
  description:
    "The cases are not runs: they don't count for cost, latency or confidence. The newest import of a suite counts, in diffs and decisions of the release with any window and environment: 403 for a credential that is limited to environments. Sending it again stores nothing. Cases with ids are sent by POST /v1/scores/cases first.",
  takes: 'ScoresImport',
  recordsActor: true,
  answers: { 200: 'ScoreImport', 400: 'ErrorText' },
  answer: function scoresImport({ body, actor }, context) {
    return importScores(context, body, actor)
  },
})
