import { ANSWER, LISTED } from '../../cli/arguments/options.ts'
import { among, commands, many, required, whole } from '../../cli/arguments/records.ts'
import { CASE_STATES } from '../../models/names.ts'

/** `svc scores …` */
export const COMMANDS = commands({
  'scores import <PATH>': {
    summary: 'Import the scores of an evaluation',
    options: {
      '--release <RELEASE_ID>': required('The release that was evaluated'),
      '--suite <NAME>': required('Name of the set of cases, such as regression'),
      '--format <FORMAT>': among(
        [
          'promptfoo',
          'inspect',
          'deepeval',
          'pytest-json',
          'junit',
          'braintrust',
          'langsmith',
          'ragas',
          'openai',
          'csv',
          'jsonl',
        ],
        'What wrote the file (default: detected)',
      ),
      '--pass-by <SCORE>': 'The score that says whether a case passed: match, or faithfulness>=0.8',
      '--removed <CASE>': many('Id of a case that the suite no longer has; repeatable'),
      '--bundle <PATH>': 'The bundle that was evaluated: the import names its checksum',
      '--judge-model <MODEL>': 'Who judged: scores by different judges are not compared',
      '--judge-prompt <FILE>': "The judge's prompt; only a hash is stored",
      '--judge-rubric <VERSION>': 'The version of the rubric',
      ...ANSWER,
    },
    example: 'svc scores import results.json --release 1.5.0 --suite regression --format promptfoo',
    load: async () => (await import('./cli_import.ts')).importReport,
  },
  'scores list <RELEASE_ID>': {
    summary: 'List the imports of scores of a release, newest first',
    options: LISTED,
    example: 'svc scores list rel_0123456789ab',
    load: async () => (await import('./cli_scores.ts')).list,
  },
  'scores diff <BASELINE_ID> <CANDIDATE_ID>': {
    summary: 'Show which cases of a suite fail newly, pass newly, still fail or are flaky',
    task: 'Compare and decide',
    options: {
      '--suite <NAME>': required('The suite'),
      '--state <STATE>': among(CASE_STATES, 'Only cases in this state; repeatable', { many: true }),
      '--limit <N>': whole('Most cases to list, up to 500 (default 20)'),
      ...ANSWER,
    },
    example: 'svc scores diff 1.4.0 1.5.0 --suite regression',
    load: async () => (await import('./cli_scores.ts')).diff,
  },
  'scores suites <AGENT_ID>': {
    summary: 'List the suites of an agent, or one of them over its releases',
    options: { '--suite <NAME>': 'One suite: its scores by release, and the cases that failed', ...LISTED },
    example: 'svc scores suites support-bot --suite regression',
    load: async () => (await import('./cli_scores.ts')).suites,
  },
})
