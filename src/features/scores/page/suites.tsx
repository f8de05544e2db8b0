import type { ScoreDiff, SuiteHistory, SuiteList } from '../../../models/answers/suites.ts'
import { CASE_WORDS } from '../../../rules/case_words.ts'
import { Badge, Reasons, type Tone } from '../../../web/components/badge.tsx'
import { Chart } from '../../../web/components/charts/chart.tsx'
import { Select } from '../../../web/components/field.tsx'
import { PageHead } from '../../../web/components/page.tsx'
import type { PageFeature } from '../../../web/components/panels.tsx'
import { Empty, Loaded } from '../../../web/components/states.tsx'
import { type Column, Table } from '../../../web/components/table.tsx'
import { Id, Words } from '../../../web/components/text.tsx'
import { counted, percent, signed } from '../../../web/format.ts'
import { get, useRead } from '../../../web/query.ts'
import { useReleases } from '../../../web/reads.ts'
import { change, hereWith, param } from '../../../web/route.ts'
import { useSignal } from '../../../web/signal.ts'

export const evaluations: PageFeature = { pages: { suites: SuitesPage } }

/** Evaluations of an agent: a suite over its releases, what broke from one to the next, and case by case. */
function SuitesPage() {
  const releases = useReleases().data?.releases ?? []
  const agents = [...new Set(releases.map(({ agent_id }) => agent_id))].sort()
  const agent = param('agent') || (agents.length === 1 ? agents[0]! : '')
  const list = useRead<typeof SuiteList.infer>(
    agent === '' ? null : get('v1/scores/suites', { agent_id: agent }),
    60_000,
  )
  const names = (list.data?.suites ?? []).map(({ suite }) => suite)
  const suite = param('suite') || names[0] || ''
  return (
    <>
      <PageHead title="Evaluations" about="Test cases that releases were tried with, case by case." />
      <div class="fields pickers">
        <Select
          label="Agent"
          value={agent}
          options={agents}
          onChange={value => change({ agent: value, suite: null, baseline: null, candidate: null })}
        />
        <Select
          label="Suite"
          value={suite}
          options={names}
          onChange={value => change({ suite: value, baseline: null, candidate: null })}
        />
      </div>
      {agent === '' ? (
        <Empty title="Choose an agent" />
      ) : (
        <Loaded known={list}>
          {({ suites }) =>
            suites.length === 0 ? (
              <Empty title="No evaluation was imported">
                <p class="faint">
                  <code>svc scores import</code> takes the reports of a dozen tools.
                </p>
              </Empty>
            ) : (
              <Suite agent={agent} suite={suite} />
            )
          }
        </Loaded>
      )}
    </>
  )
}

function Suite({ agent, suite }: { agent: string; suite: string }) {
  const path = `v1/scores/suites/${encodeURIComponent(suite)}`
  const history = useRead<SuiteHistory>(get(path, { agent_id: agent }), 60_000)
  return (
    <Loaded known={history} lines={10}>
      {found => (
        <>
          <Scores history={found} />
          <Broken history={found} />
          <Matrix history={found} />
        </>
      )}
    </Loaded>
  )
}

/** Each score over releases, with its interval. */
function Scores({ history: { releases } }: { history: SuiteHistory }) {
  const pointed = useSignal<number | undefined>(undefined)
  const names = [...new Set(releases.flatMap(({ scores }) => scores.map(({ name }) => name)))]
  // The rate is what most look for.
  names.sort((a, b) => Number(b === 'pass_rate') - Number(a === 'pass_rate'))
  return (
    <div class="charts">
      {names.slice(0, 6).map(name => {
        const points = releases.map(({ scores }, at) => {
          const mean = scores.find(one => one.name === name)?.mean
          const { estimate = null, low = null, high = null } = mean ?? {}
          return {
            at,
            value: estimate,
            ...(low === null || high === null ? {} : { spread: [low, high] as const }),
          }
        })
        const least = Math.min(...points.flatMap(({ value, spread }) => spread?.[0] ?? value ?? []))
        return (
          <Chart
            key={name}
            title={name}
            format={name === 'pass_rate' ? percent : score}
            along={at => releases[Math.round(at)]?.version ?? ''}
            limit={null}
            from={least}
            since={0}
            until={Math.max(1, releases.length - 1)}
            pointed={pointed}
            lines={[{ name: 'mean', kind: 'candidate', points }]}
          />
        )
      })}
    </div>
  )
}

function score(value: number): string {
  return String(Number(value.toPrecision(3)))
}

const TONES: Readonly<Partial<Record<keyof typeof CASE_WORDS, Tone>>> = {
  newly_failing: 'bad',
  lower: 'bad',
  flaky: 'warn',
  only_baseline: 'warn',
  newly_passing: 'ok',
  higher: 'ok',
}

/** What became of each case between two releases; the last two unless others are chosen. */
function Broken({ history: { releases, suite } }: { history: SuiteHistory }) {
  const options = releases.map(({ release_id, version }) => [release_id, version] as const)
  const candidate = param('candidate') || options.at(-1)![0]
  const baseline = param('baseline') || options.at(-2)?.[0] || ''
  const body = { baseline_release_id: baseline, candidate_release_id: candidate, suite, limit: 100 }
  const diff = useRead<ScoreDiff>(
    baseline === '' ? null : { method: 'POST', path: 'v1/scores/diff', body },
    60_000,
  )
  return (
    <section>
      <h2>What broke</h2>
      <div class="fields pickers">
        <Select
          label="From"
          value={baseline}
          options={options}
          onChange={value => change({ baseline: value })}
        />
        <Select
          label="To"
          value={candidate}
          options={options}
          onChange={value => change({ candidate: value })}
        />
      </div>
      {baseline === '' ? (
        <p class="faint">One release was evaluated so far: there is nothing to compare it with.</p>
      ) : (
        <Loaded known={diff}>{found => <Changes diff={found} />}</Loaded>
      )}
    </section>
  )
}

function Changes({
  diff: { scores, changes, only_baseline, only_candidate, cases, cases_in_all, warnings },
}: {
  diff: ScoreDiff
}) {
  const counts = [
    ...Object.entries(changes ?? {}).map(
      ([state, n]) => `${n} ${CASE_WORDS[state as keyof typeof CASE_WORDS]}`,
    ),
    ...(only_baseline === 0 ? [] : [`${only_baseline} missing`]),
    ...(only_candidate === 0 ? [] : [`${only_candidate} new`]),
  ]
  return (
    <>
      <ul class="reasons">
        {scores.map(({ name, difference, verdict, paired_cases }) => (
          <li key={name}>
            <strong>{name}</strong> {verdict.replaceAll('_', ' ')}
            {difference !== null && `, ${signed(difference.estimate, score)}`}
            {difference?.low != null &&
              ` (${signed(difference.low, score)} to ${signed(difference.high!, score)})`}
            <span class="faint">
              {paired_cases === undefined ? ', not paired' : `, ${counted(paired_cases, 'pair')}`}
            </span>
          </li>
        ))}
      </ul>
      <Reasons reasons={[]} warnings={warnings} />
      {counts.length > 0 && <p>{counts.join(', ')}</p>}
      {cases.length > 0 && (
        <Table
          caption="Cases that changed or don't pass"
          columns={CASE_COLUMNS}
          rows={cases}
          keyOf={row => row.case}
        />
      )}
      {cases_in_all > cases.length && (
        <p class="faint">and {counted(cases_in_all - cases.length, 'more case')}</p>
      )}
    </>
  )
}

type Case = ScoreDiff['cases'][number]

function tries(side: Case['baseline']): string {
  if (side === null) return '–'
  const { passed, epochs, scores } = side
  if (passed !== null) return epochs > 1 ? `${passed} of ${epochs} pass` : passed === 1 ? 'passes' : 'fails'
  return Object.entries(scores)
    .map(([name, mean]) => `${name} ${score(mean)}`)
    .join(', ')
}

const CASE_COLUMNS: readonly Column<Case>[] = [
  { label: 'Case', kind: 'grow', cell: ({ name, case: key }) => <Words>{name ?? key}</Words> },
  { label: 'State', cell: ({ state }) => <Badge tone={TONES[state] ?? 'plain'}>{CASE_WORDS[state]}</Badge> },
  { label: 'Before', cell: ({ baseline }) => tries(baseline) },
  { label: 'Now', cell: ({ candidate }) => tries(candidate) },
  { label: 'Tags', minor: true, cell: ({ tags = [] }) => tags.join(', ') },
  {
    label: 'Traces',
    cell: ({ trace_ids = [] }) => (
      <div class="ids">
        {trace_ids.slice(0, 3).map(id => (
          <Id key={id} value={id} link={hereWith({ search: id })} short />
        ))}
      </div>
    ),
  },
]

/** Cases that did not always pass, by the last ten releases. */
function Matrix({ history: { compared, cases, cases_in_all } }: { history: SuiteHistory }) {
  if (cases.length === 0) return null
  return (
    <section>
      <h2>
        Cases that failed in the last {compared.length === 1 ? 'release' : `${compared.length} releases`}
      </h2>
      <div class="matrix" tabIndex={0} role="group" aria-label="Cases by release">
        <table>
          <caption class="hidden">Cases by release</caption>
          <thead>
            <tr>
              <th scope="col">Case</th>
              {compared.map(({ release_id, version }) => (
                <th key={release_id} scope="col">
                  {version}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {cases.map(({ case: key, name, tries: all }) => (
              <tr key={key}>
                <th scope="row">
                  <bdi>{name ?? key}</bdi>
                </th>
                {all.map((one, column) => (
                  <td key={compared[column]!.release_id}>{outcome(one)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {cases_in_all > cases.length && (
        <p class="faint">and {counted(cases_in_all - cases.length, 'more case')}</p>
      )}
    </section>
  )
}

function outcome(one: SuiteHistory['cases'][number]['tries'][number]) {
  if (one === null) return <span class="faint">not tried</span>
  const { passed, epochs } = one
  if (passed === epochs) return <span class="cell ok">pass</span>
  return (
    <span class={`cell ${passed === 0 ? 'bad' : 'warn'}`}>
      {passed === 0 ? 'fail' : `${passed}/${epochs}`}
    </span>
  )
}
