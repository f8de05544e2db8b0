import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that run longest, by parts of their paths, the longest first: begun first, so that none of them runs alone at the
 * end. Most tests of rules, which are short, come last.
 */
const LONGEST = [
  '/runners/node_sqlite',
  '/runners/node_postgres',
  '/runners/workerd_d1',
  '/budgets/requests',
  '/web/resilience',
  '/web/pages',
  '/package/',
  // Files of a few lines that draw for many seconds.
  'statistics/calibration',
  'statistics/worlds',
  'rollouts/calibration',
  'advice/trials',
  'tools/simulation',
  'rules/long_runs',
  'scores/ties',
  'watch/rules_verdict',
  '/web/',
  '/crash/',
  '/runners/',
  '/server/',
  '/docs/',
  '/cli/',
  '/workers/',
]

/** The order of files: the longest, then what Vitest knows of earlier runs or, in a fresh clone, the largest. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex(part => moduleId.includes(part))
      return at < 0 ? LONGEST.length : at
    }
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}
