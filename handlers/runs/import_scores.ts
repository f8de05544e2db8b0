import { fieldsBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { checksum, document, id, integer, moment, optional, suite } from '../../src/http/endpoint/fields.ts'
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
      'for some environments. Sending it again stores nothing. Cases with ids are sent by POST /v1/scores/cases first.',
    body: fieldsBody({
      release_id: id('The release that was evaluated.'),
      suite: suite('What the cases are of; the newest import of a suite counts.'),
      format: optional(id('What wrote the file that the cases are from.')),
      source_sha256: optional(checksum('SHA-256 of that file, in hex.')),
      cases: optional(document('ScoreCases', "The scores of each case, where cases can't be told apart.")),
      import_id: optional(
        id('In place of cases: the import that they were sent for by POST /v1/scores/cases.'),
      ),
      parts: optional(integer('With import_id: how many parts were sent.', { min: 1, max: 100_000 })),
      judge_model: optional(id('Model of the judge. Scores by different judges are not compared.')),
      judge_prompt_sha256: optional(checksum("SHA-256 of the judge's prompt, in hex.")),
      judge_rubric_version: optional(id('Version of the rubric that was judged by.')),
      bundle_checksum: optional(checksum('Checksum of the bundle that the evaluation ran against.')),
      evaluated_at: optional(moment('When the evaluation ran, where that was not now')),
    }),
    recordsActor: true,
    answers: { 200: 'ScoreImport', 400: 'ErrorText' },
  },
  async function scoresImport({ body, actor }, context) {
    return json(await importScores(context, body, actor))
  },
)
