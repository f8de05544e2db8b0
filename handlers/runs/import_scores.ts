import { fieldsBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { checksum, document, id, optional, suite } from '../../src/http/endpoint/fields.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'
import { json } from '../../src/http/wire/message.ts'
import { importScores } from '../../src/features/scores/imports.ts'

export default endpoint(
  'POST /v1/scores',
  {
    access: 'ingest',
    scope: ofRelease('body', { environment: 'every' }),
    summary: 'Import the scores of an evaluation',
    description:
      'The cases are no runs: they count neither for cost nor latency nor confidence. Of a suite the newest import ' +
      'counts, in diffs and decisions of the release, whatever their window and environment: 403 for a credential that is ' +
      'for some environments. Sending it again stores nothing.',
    body: fieldsBody({
      release_id: id('The release that was evaluated.'),
      suite: suite('What the cases are of; the newest import of a suite counts.'),
      format: optional(id('What wrote the file that the cases are from.')),
      source_sha256: optional(checksum('SHA-256 of that file, in hex.')),
      cases: document('ScoreCases', 'The scores of each case.'),
    }),
    recordsActor: true,
    answers: { 200: 'ScoreImport', 400: 'ErrorText' },
  },
  async function scoresImport({ body, actor }, context) {
    return json(await importScores(context, body, actor))
  },
)
