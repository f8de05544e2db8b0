import type { ScoreDiff, SuiteHistory, SuiteList } from '../../features/scores/models.ts'
import { CASE_WORDS } from '../../rules/case_words.ts'
import { Badge, Reasons, type Tone } from '../ui/badge.tsx'
import { Changes as Results, Row } from '../ui/changes.tsx'
import { Chart } from '../ui/charts/chart.tsx'
import { Select } from '../ui/field.tsx'
import { Empty, Loaded } from '../ui/states.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Words } from '../ui/text.tsx'
import { counted, percent, signed } from '../format.ts'
import { get, useRead } from '../query.ts'
import { change, hereWith, param } from '../route.ts'
import { useSignal } from '../signal.ts'

/** Evaluations of an agent: a suite over its releases, what broke from one to the next, and case by case. */
export function Suites({ agent }: { agent: string }) {
  const list = useRead<typeof SuiteList.infer>(get('v1/scores/suites', { agent_id: agent }), 60_000)
  const names = (list.data?.suites ?? []).map(({ suite }) => suite)
  const suite = param('suite') || names[0] || ''
  return (
    <Loaded known={list}>
      {({ suites }) =>
        suites.length === 0 ? (
          <Empty title="No evaluation was imported">
            <p class="faint">
              <code>svc scores import</code> takes the reports of a dozen tools.
            </p>
          </Empty>
        ) : (
          <>
            <Select
              label="Suite"
              value={suite}
              options={names}
              onChange={value => change({ suite: value, from: null, to: null })}
            />
            <Suite agent={agent} suite={suite} />
          </>
        )
      }
    </Loaded>
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
  const scores = releases.flatMap(release => release.scores).toSorted(byRate)
  const names = [...new Set(scores.map(({ name }) => name))]
  return (
    <div class="charts">
      {names.slice(0, 6).map(name => {
        const points = releases.map(({ scores: of }, at) => {
          const mean = of.find(one => one.name === name)?.mean
          const { estimate = null, low = null, high = null } = mean ?? {}
          return {
            at,
            value: estimate,
            ...(low === null || high === null ? {} : { spread: [low, high] as const }),
          }
        })
        const shown = points.flatMap(({ value, spread }) => spread ?? value ?? [])
        return (
          <Chart
            key={name}
            title={name}
            format={name === PASS_RATE ? percent : score}
            along={at => releases[Math.round(at)]?.version ?? ''}
            limit={null}
            from={Math.min(...shown)}
            to={Math.max(...shown)}
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

const PASS_RATE = 'pass_rate'

/** The rate first: it is what most look for. */
function byRate(a: { readonly name: string }, b: { readonly name: string }): number {
  return Number(b.name === PASS_RATE) - Number(a.name === PASS_RATE)
}

function score(value: number): string {
  return String(Number(value.toPrecision(3)))
}

const inPoints = (share: number): string => (100 * share).toFixed(1)

/** What became of a score, with the interval of the difference where there is one. */
function changeText({ name, difference, verdict, inconclusive_because }: ScoreDiff['scores'][number]) {
  const [format, unit] = name === PASS_RATE ? [inPoints, ' points'] : [score, '']
  const said = verdict.replaceAll('_', ' ')
  const why = inconclusive_because === null ? '' : ` (${inconclusive_because.replaceAll('_', ' ')})`
  if (difference === null) return `${said}${why}`
  const { estimate, low, high } = difference
  const ends = low === null || high === null ? '' : ` (${signed(low, format)} to ${signed(high, format)})`
  return `${said}${why}, ${signed(estimate, format)}${unit}${ends}`
}

const TONES: Readonly<Partial<Record<keyof typeof CASE_WORDS, Tone>>> = {
  newly_failing: 'bad',
  failing: 'bad',
  lower: 'bad',
  flaky: 'warn',
  only_baseline: 'warn',
  newly_passing: 'ok',
  higher: 'ok',
}

/** What became of each case between two releases; the last two unless others are chosen. */
function Broken({ history: { releases, suite } }: { history: SuiteHistory }) {
  const options = releases.map(({ release_id, version }) => [release_id, version] as const)
  const candidate = param('to') || options.at(-1)![0]
  const baseline = param('from') || options.at(-2)?.[0] || ''
  const body = { baseline_release_id: baseline, candidate_release_id: candidate, suite, limit: 100 }
  const diff = useRead<ScoreDiff>(
    baseline === '' ? null : { method: 'POST', path: 'v1/scores/diff', body },
    60_000,
  )
  return (
    <section class="section">
      <h2>What broke</h2>
      <div class="fields pickers">
        <Select label="From" value={baseline} options={options} onChange={value => change({ from: value })} />
        <Select label="To" value={candidate} options={options} onChange={value => change({ to: value })} />
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
        {scores.toSorted(byRate).map(each => (
          <li key={each.name}>
            <strong>{each.name}</strong> {changeText(each)}
            <span class="faint">
              {each.paired_cases === undefined ? ', not paired' : `, ${counted(each.paired_cases, 'pair')}`}
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

/** Traces of a case that are linked: one to a try, in their order. */
const MOST_TRACES = 10

const CASE_COLUMNS: readonly Column<Case>[] = [
  { label: 'Case', kind: 'grow', cell: ({ name, case: key }) => <Words>{name ?? key}</Words> },
  { label: 'State', cell: ({ state }) => <Badge tone={TONES[state] ?? 'plain'}>{CASE_WORDS[state]}</Badge> },
  { label: 'Before', cell: ({ baseline }) => tries(baseline) },
  { label: 'Now', cell: ({ candidate }) => tries(candidate) },
  { label: 'Tags', minor: true, cell: ({ tags = [] }) => tags.join(', ') },
  {
    label: 'Traces',
    cell: ({ trace_ids = [] }) => (
      <div class="numbered">
        {trace_ids.slice(0, MOST_TRACES).map((id, index) => (
          <a key={id} href={hereWith({ search: id })} title={id} aria-label={`Trace ${index + 1}: ${id}`}>
            {index + 1}
          </a>
        ))}
      </div>
    ),
  },
]

/** Cases that did not always pass, by the last ten releases, the newest first: that one has to be seen without moving. */
function Matrix({ history: { compared, cases, cases_in_all } }: { history: SuiteHistory }) {
  if (cases.length === 0) return null
  const columns = compared.map((release, at) => ({ ...release, at })).toReversed()
  return (
    <section class="section">
      <h2>
        Cases that failed in the last {compared.length === 1 ? 'release' : `${compared.length} releases`}
      </h2>
      <p class="faint">Newest release first. 2/3: two of three tries passed.</p>
      <div class="matrix" tabIndex={0} role="group" aria-label="Cases by release">
        <Results what="Case" caption="Cases by release" sides={columns.map(({ version }) => version)}>
          {cases.map(({ case: key, name, tries: all }) => (
            <Row
              key={key}
              name={<bdi>{name ?? key}</bdi>}
              cells={columns.map(({ at }) => outcome(all[at]!))}
            />
          ))}
        </Results>
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
