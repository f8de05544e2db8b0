import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { diffScores } from '../../src/features/scores/diff.ts'

export default endpoint({
  route: 'POST /v1/scores/diff',
  access: 'read',
  scope: {
    kind: 'release',
    where: 'body',
    fields: { baseline_release_id: 'baseline', candidate_release_id: 'candidate' },
    environment: null,
    status: 400,
  },
  summary: 'Compare the newest imports of a suite for two releases, case by case',
  description:
    'Which cases broke, which were fixed, which still fail or differ between epochs; and each score, over the cases of both imports if these are 80 % of both. Writes nothing.',
  takes: 'ScoresDiff',
  answers: { 200: 'ScoreDiff', 400: 'ErrorText' },
  answer: function scoresDiff({ body }, context) {
    return diffScores(context, body)
  },
})
