import { call, list } from '../../cli/service/run.ts'
import type { ComparedCase, ScoreDiff, ScoreImport, SuiteHistory, SuiteList } from './models.ts'
import { CASE_WORDS } from '../../rules/case_words.ts'
import { releaseId, releaseIds } from '../../cli/release/reference.ts'
import type { Io } from '../../cli/terminal/io.ts'
import { type Column, aligned, listing, timeColumn } from '../../cli/terminal/table.ts'
import { safe, signed } from '../../cli/terminal/text.ts'
import { ANSWER, LISTED } from '../../cli/arguments/options.ts'
import { among, commands, many, required, whole } from '../../cli/arguments/records.ts'
import { CASE_STATES } from '../../models/names.ts'

const COLUMNS: readonly Column<ListedImport>[] = [
  { heading: 'import', cell: row => row.import_id, whole: true },
  { heading: 'score', cell: row => `${row.suite}/${row.score.name}` },
  { heading: 'mean', cell: row => row.score.mean, right: true },
  { heading: 'cases', cell: row => row.score.cases, right: true },
  { heading: 'format', cell: row => row.format },
  { heading: 'actor', cell: row => row.actor },
  timeColumn('imported', row => row.created_at),
]

const CASE_COLUMNS: readonly Column<ComparedCase>[] = [
  { heading: 'state', cell: ({ state }) => CASE_WORDS[state], whole: true },
  { heading: 'case', cell: ({ name, case: key }) => name ?? key },
  { heading: 'baseline', cell: ({ baseline }) => triesText(baseline) },
  { heading: 'candidate', cell: ({ candidate }) => triesText(candidate) },
  { heading: 'traces', cell: ({ trace_ids = [] }) => trace_ids.join(' ') || null },
]

const SUITE_COLUMNS: readonly Column<(typeof SuiteList.infer)['suites'][number]>[] = [
  { heading: 'suite', cell: row => row.suite },
  { heading: 'releases', cell: row => row.releases, right: true },
  { heading: 'last for', cell: row => row.release_id, whole: true },
  { heading: 'version', cell: row => row.version },
  timeColumn('imported', row => row.created_at),
]

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
    run: call('GET /v1/scores', {
      takes: async ({ args, io, api }) => ({ release_id: await releaseId(args[0]!, await api(), io) }),
      text: ({ imports }, { io }) => listing(COLUMNS, imports.flatMap(byScore), io),
      note: ({ imports }, { options }) =>
        options.json || imports.length > 0
          ? undefined
          : 'it has no scores; import some with `svc scores import PATH`',
    }),
  },
  'scores diff <BASELINE_ID> <CANDIDATE_ID>': {
    summary: 'Show which cases of a suite fail newly, pass newly, still fail or are flaky',
    task: 'Compare and decide',
    options: {
      '--suite <NAME>': required('The suite'),
      '--state <STATE>': among(CASE_STATES, 'Only cases in this state', { many: true }),
      '--limit <N>': whole('Most cases to list, up to 500 (default 20)'),
      ...ANSWER,
    },
    example: 'svc scores diff 1.4.0 1.5.0 --suite regression',
    run: call('POST /v1/scores/diff', {
      as: { state: 'states' },
      takes: async ({ args, io, api }) => {
        const [baseline_release_id, candidate_release_id] = await releaseIds(args, await api(), io)
        return { baseline_release_id, candidate_release_id }
      },
      warns: true,
      text: (report, { io }) => diffText(report, io),
    }),
  },
  'scores suites <AGENT_ID>': {
    summary: 'List the suites of an agent, or one of them over its releases',
    options: { '--suite <NAME>': 'One suite: its scores by release, and the cases that failed', ...LISTED },
    example: 'svc scores suites support-bot --suite regression',
    run: invocation => (invocation.options.given('suite') ? oneSuite : suites)(invocation),
  },
})

interface ListedImport extends Omit<ScoreImport, 'scores' | 'cases'> {
  readonly score: ScoreImport['scores'][number]
}

function byScore({ scores, ...each }: ScoreImport): ListedImport[] {
  return scores.map(score => ({ ...each, score }))
}

function diffText(
  { scores, changes, only_baseline, only_candidate, cases, cases_in_all }: ScoreDiff,
  io: Io,
): string {
  const listed = [
    ...Object.entries(changes ?? {}).map(([state, n]) => `${n} ${state.replaceAll('_', ' ')}`),
    ...(only_baseline === 0 ? [] : [`${only_baseline} missing`]),
    ...(only_candidate === 0 ? [] : [`${only_candidate} new`]),
  ]
  const more = cases_in_all - cases.length
  return [
    aligned([['score', 'change', 'verdict'], ...scores.map(scoreCells)], [{ whole: true }], io.outColumns),
    ...(listed.length === 0 ? [] : [`cases       ${listed.join(', ')}\n`]),
    listing(CASE_COLUMNS, cases, io),
    ...(more > 0 ? [`and ${more} more (--limit)\n`] : []),
  ].join('')
}

type ScoreChange = ScoreDiff['scores'][number]

function scoreCells({ name, baseline, candidate, difference, verdict, ...change }: ScoreChange): string[] {
  const { inconclusive_because: why, paired_cases, mcnemar_p, cases_needed } = change
  const mean = (side: typeof baseline): string => (side === null ? 'no data' : side.estimate.toFixed(4))
  const text = (value: number | null): string =>
    value === null ? '∞' : signed(value, number => number.toFixed(4))
  const interval =
    difference === null
      ? ''
      : `, ${text(difference.estimate)} [${text(difference.low)}, ${text(difference.high)}]`
  const notes = [
    verdict === 'inconclusive' ? `inconclusive (${why!.replaceAll('_', ' ')})` : verdict.replaceAll('_', ' '),
    paired_cases === undefined ? 'not paired' : `${paired_cases} pairs`,
    ...(mcnemar_p == null ? [] : [`McNemar p ${mcnemar_p.toPrecision(2)}`]),
    ...(verdict === 'inconclusive' && cases_needed !== null
      ? [`about ${cases_needed} cases would be enough`]
      : []),
  ]
  return [safe(name), `${mean(baseline)} → ${mean(candidate)}${interval}`, notes.join(', ')]
}

function triesText(tries: ComparedCase['baseline']): string {
  if (tries === null) return '-'
  const { passed, epochs, scores } = tries
  if (passed !== null) return epochs === 1 ? (passed === 1 ? 'pass' : 'fail') : `${passed}/${epochs}`
  return Object.entries(scores)
    .map(([name, mean]) => `${name} ${mean}`)
    .join(' ')
}

const oneSuite = call('GET /v1/scores/suites/{suite}', {
  takes: ({ args, options }) => ({ suite: options.required('suite'), agent_id: args[0] }),
  text: (history, { io }) => historyText(history, io),
})

const suites = list('GET /v1/scores/suites', 'suites', SUITE_COLUMNS, {
  args: ['agent_id'],
  empty: ({ args }) =>
    `no release of ${safe(args[0]!)} was evaluated; import scores with \`svc scores import\``,
})

/** Scores by release, the newest last; below them each case that failed, with a letter per release. */
function historyText({ releases, compared, cases, cases_in_all }: SuiteHistory, io: Io): string {
  const rows = releases.flatMap(({ version, cases: n, scores }) =>
    scores.map(({ name, mean }) => {
      const text = (value: number | null | undefined): string => (value == null ? '∞' : value.toFixed(4))
      const interval =
        mean === null ? 'no data' : `${text(mean.estimate)} [${text(mean.low)}, ${text(mean.high)}]`
      return [safe(version), safe(name), interval, String(n)]
    }),
  )
  const more = cases_in_all - cases.length
  const versions = compared.map(({ version }) => safe(version)).join(' ')
  return [
    aligned([['version', 'score', 'mean', 'cases'], ...rows], [{ whole: true }], io.outColumns),
    ...(cases.length === 0
      ? []
      : [`\nP passes, F fails, ~ differs between epochs, . was not tried: ${versions}\n`]),
    ...cases.map(({ name, case: key, tries }) => `${tries.map(letterOf).join('')}  ${safe(name ?? key)}\n`),
    ...(more > 0 ? [`and ${more} more\n`] : []),
  ].join('')
}

function letterOf(tries: SuiteHistory['cases'][number]['tries'][number]): string {
  if (tries === null) return '.'
  if (tries.passed === tries.epochs) return 'P'
  return tries.passed === 0 ? 'F' : '~'
}
