import type { CommandSpec } from '../../cli/arguments/command.ts'
import { CASE_STATES } from '../../models/names.ts'
import { HEADER, OUTPUT, TARGET } from '../../cli/arguments/options.ts'

/** `svc scores …` */
export const SCORES_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'scores import',
    args: '<PATH>',
    summary: 'Import the scores of an evaluation',
    options: [
      { flags: '--release <RELEASE_ID>', description: 'The release that was evaluated', required: true },
      {
        flags: '--suite <NAME>',
        description: 'Name of the set of cases, such as regression',
        required: true,
      },
      {
        flags: '--format <FORMAT>',
        description: 'What wrote the file (default: detected)',
        values: [
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
      },
      {
        flags: '--pass-by <SCORE>',
        description: 'The score that says whether a case passed: match, or faithfulness>=0.8',
      },
      {
        flags: '--removed <CASE>',
        description: 'Id of a case that the suite no longer has; repeatable',
        many: true,
      },
      {
        flags: '--bundle <PATH>',
        description: 'The bundle that was evaluated: the import names its checksum',
      },
      {
        flags: '--judge-model <MODEL>',
        description: 'Who judged: scores by different judges are not compared',
      },
      { flags: '--judge-prompt <FILE>', description: "The judge's prompt; only a hash is stored" },
      { flags: '--judge-rubric <VERSION>', description: 'The version of the rubric' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc scores import results.json --release 1.5.0 --suite regression --format promptfoo',
    load: async () => (await import('./cli_import.ts')).importReport,
  },
  {
    name: 'scores list',
    args: '<RELEASE_ID>',
    summary: 'List the imports of scores of a release, newest first',
    options: [HEADER, OUTPUT, ...TARGET],
    example: 'svc scores list rel_0123456789ab',
    load: async () => (await import('./cli_scores.ts')).list,
  },
  {
    name: 'scores diff',
    args: '<BASELINE_ID> <CANDIDATE_ID>',
    summary: 'Show which cases of a suite fail newly, pass newly, still fail or are flaky',
    task: 'Compare and decide',
    options: [
      { flags: '--suite <NAME>', description: 'The suite', required: true },
      {
        flags: '--state <STATE>',
        description: 'Only cases in this state; repeatable',
        many: true,
        values: CASE_STATES,
      },
      { flags: '--limit <N>', description: 'Most cases to list, up to 500 (default 20)', number: 'whole' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc scores diff 1.4.0 1.5.0 --suite regression',
    load: async () => (await import('./cli_scores.ts')).diff,
  },
  {
    name: 'scores suites',
    args: '<AGENT_ID>',
    summary: 'List the suites of an agent, or one of them over its releases',
    options: [
      { flags: '--suite <NAME>', description: 'One suite: its scores by release, and the cases that failed' },
      HEADER,
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc scores suites support-bot --suite regression',
    load: async () => (await import('./cli_scores.ts')).suites,
  },
]
