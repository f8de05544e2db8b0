import type { CommandSpec } from '../../cli/arguments/command.ts'
import { OUTPUT, TARGET } from '../../cli/arguments/options.ts'

/** `svc scores import` */
export const SCORE_REPORT_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'scores import',
    args: '<PATH>',
    summary: 'Import the scores of an evaluation, apart from runs',
    options: [
      { flags: '--release <RELEASE_ID>', description: 'The release that was evaluated', required: true },
      { flags: '--suite <NAME>', description: 'What the cases are of, such as regression', required: true },
      {
        flags: '--format <FORMAT>',
        description: 'What wrote the file; found out unless given',
        values: [
          'promptfoo',
          'inspect',
          'deepeval',
          'pytest-json',
          'junit',
          'braintrust',
          'langfuse',
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
        flags: '--bundle <PATH>',
        description: 'The bundle that was evaluated: the import names its checksum',
      },
      {
        flags: '--judge-model <MODEL>',
        description: 'Who judged: scores by different judges are not compared',
      },
      { flags: '--judge-prompt <FILE>', description: "The judge's prompt, of which a hash is kept" },
      { flags: '--judge-rubric <VERSION>', description: 'The version of the rubric' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc scores import results.json --release 1.5.0 --suite regression --format promptfoo',
    load: async () => (await import('./cli_import.ts')).importReport,
  },
]
