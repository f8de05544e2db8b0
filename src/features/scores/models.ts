import { type } from 'arktype'
import { Moment, SuiteName, input, oneOf, some } from '../../models/all/input.ts'
import { CASE_STATES } from '../../models/names.ts'
import { Checksum, Dimension } from '../../models/scalars.ts'

/** What the endpoints take. */
export const INPUTS = {
  ScoresList: input({
    query: { release_id: [Dimension, 'Release that was evaluated.'] },
  }),
  ScoresImport: input({
    body: {
      release_id: [Dimension, 'The release that was evaluated.'],
      suite: [SuiteName, 'What the cases are of; the newest import of a suite counts.'],
      'format?': [Dimension, 'What wrote the file that the cases are from.'],
      'source_sha256?': [Checksum, 'SHA-256 of that file, in hex.'],
      'cases?': [{ document: 'ScoreCases' }, "The scores of each case, where cases can't be told apart."],
      'import_id?': [
        Dimension,
        'In place of cases: the import that they were sent for by POST /v1/scores/cases.',
      ],
      'parts?': [type('1 <= number.integer <= 100000'), 'With import_id: how many parts were sent.'],
      'judge_model?': [Dimension, 'Model of the judge. Scores by different judges are not compared.'],
      'judge_prompt_sha256?': [Checksum, "SHA-256 of the judge's prompt, in hex."],
      'judge_rubric_version?': [Dimension, 'Version of the rubric that was judged by.'],
      'bundle_checksum?': [Checksum, 'Checksum of the bundle that the evaluation ran against.'],
      'evaluated_at?': [
        Moment,
        'When the evaluation ran, where that was not now: an ISO-8601 date and time.',
      ],
    },
  }),
  CasesReceive: input({
    body: {
      release_id: [Dimension, 'The release that was evaluated.'],
      suite: [SuiteName, 'What the cases are of.'],
      'import_id?': [Dimension, 'The import that the cases are for; a new one unless given.'],
      part: [type('0 <= number.integer <= 100000'), 'Number of the part, from 0.', 0],
      cases: [
        { document: 'CaseTries' },
        'Tries of cases, at most 1,000 in a part; of an import 300,000, of 100,000 cases.',
      ],
    },
  }),
  ScoresDiff: input({
    body: {
      baseline_release_id: [Dimension, 'Release to compare with.'],
      candidate_release_id: [Dimension, 'Release to judge.'],
      suite: [SuiteName, 'The suite.'],
      'states?': [some(oneOf(CASE_STATES)), 'Only cases in these states; all but `passing` unless given.'],
      limit: [type('0 <= number.integer <= 500'), 'Most cases to return.', 20],
      offset: [type('0 <= number.integer <= 100000'), 'How many cases to leave out.', 0],
    },
  }),
  SuitesList: input({
    query: { agent_id: [Dimension, 'The agent.'] },
  }),
  SuiteHistoryShow: input({
    path: { suite: [SuiteName, 'The suite.'] },
    query: { agent_id: [Dimension, 'The agent.'] },
  }),
} as const
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
