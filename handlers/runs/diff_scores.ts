import { fieldsBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { id, integer, list, optional, suite } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { diffScores } from '../../src/features/scores/diff.ts'
import { CASE_STATES } from '../../src/models/names.ts'

export default endpoint(
  'POST /v1/scores/diff',
  {
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
      'Which cases broke, which were mended, which still fail or differ between epochs; and each score, of the cases that both ' +
      'imports have where these are 80 % of both. Writes nothing.',
    body: fieldsBody({
      baseline_release_id: id('Release to compare with.'),
      candidate_release_id: id('Release to judge.'),
      suite: suite('The suite.'),
      states: optional(list('Only cases in these states; all but `passing` unless given.', CASE_STATES)),
      limit: integer('Most cases to return.', { default: 20, min: 0, max: 500 }),
      offset: integer('How many cases to leave out.', { default: 0, min: 0, max: 100_000 }),
    }),
    answers: { 200: 'ScoreDiff', 400: 'ErrorText' },
  },
  async function scoresDiff({ body }, context) {
    return json(await diffScores(context, body))
  },
)
