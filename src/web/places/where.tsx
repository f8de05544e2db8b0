import type { DiffGroups } from '../../features/groups/models.ts'
import type { DiffReport } from '../../models/answers/diff.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { PlaceRow } from '../../models/answers/place_parts.ts'
import { Badge } from '../ui/badge.tsx'
import { Segments } from '../ui/field.tsx'
import { Note } from '../ui/note.tsx'
import { Section } from '../ui/page.tsx'
import { Loaded, Skeleton } from '../ui/states.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Words } from '../ui/text.tsx'
import { type Format, count, counted, milliseconds, percent, points, signed, usd } from '../format.ts'
import { type Known, useRead } from '../query.ts'
import { type Comparing, beat, isWhole, pairOf } from '../reads.ts'
import { change, hereWith, href, param } from '../route.ts'
import { worstRow } from './limits_table.tsx'
import { Worst, type WorstBy } from './worst.tsx'
import { METRICS, type MetricName, intervalText, leadingMetric } from '../ui/change.ts'

type Group = DiffGroups['groups'][number]

const BY = [
  ['task', 'Task'],
  ['tenant', 'Tenant'],
  ['model', 'Model'],
  ['error', 'Error type'],
] as const
type By = (typeof BY)[number][0]

const MIXED: Readonly<Record<By, string>> = {
  task: 'tasks',
  tenant: 'tenants',
  model: 'models',
  error: 'error types',
}
const REALLY: Readonly<Record<MetricName, readonly [more: string, less: string]>> = {
  latency_ms: ['slower', 'faster'],
  cost_per_run_usd: ['more expensive', 'cheaper'],
  error_rate: ['more errors', 'fewer errors'],
}

const OF = METRICS.map(([name, label]) => [name, `${label[0]!.toUpperCase()}${label.slice(1)}`] as const)

const FORMATS: Readonly<Record<MetricName, readonly [value: Format, delta: Format]>> = {
  cost_per_run_usd: [usd, usd],
  latency_ms: [milliseconds, milliseconds],
  error_rate: [percent, points],
}

/** Most groups on show before the user wants the rest. */
const FIRST_SHOWN = 8

/** Where a change comes from: what each task, tenant, model or error contributes, opened on what explains most. */
export function Where({
  comparison,
  report: { statistics },
  rows,
}: {
  comparison: Comparing
  report: DiffReport
  rows: readonly PlaceRow[]
}) {
  const metric = METRICS.find(([name]) => name === param('of'))?.[0] ?? metricToExplain(rows, statistics)
  const byTask = useGroups(comparison, comparison.task ? '' : 'task', metric)
  const byTenant = useGroups(comparison, comparison.tenant ? '' : 'tenant', metric)
  const chosen = BY.find(([name]) => name === param('by'))?.[0]
  // Until both are known, which of them explains more is not.
  const isKnown = [byTask, byTenant].every(({ loading, data }) => !loading || data !== undefined)
  const main = [
    { by: 'task' as const, found: byTask.data?.main ?? undefined },
    { by: 'tenant' as const, found: byTenant.data?.main ?? undefined },
  ].toSorted((a, b) => (b.found?.share ?? 0) - (a.found?.share ?? 0))[0]!
  const by = chosen ?? main.by
  return (
    <Section
      title="Where it comes from"
      aside={
        <div class="actions">
          {main.found !== undefined && (
            <span>
              {percent(main.found.share).replace(/\.\d/, '')} from {main.by} <Words>{main.found.key}</Words>
            </span>
          )}
          <Segments
            label="Grouped by"
            value={by}
            options={BY}
            onChange={value => change({ by: value, all: null, group: null }, { replace: true })}
          />
          {by !== 'error' && (
            <Segments
              label="Measure"
              value={metric}
              options={OF}
              onChange={value => change({ of: value, group: null }, { replace: true })}
            />
          )}
        </div>
      }
    >
      {by === 'error' ? (
        <Errors comparing={comparison} />
      ) : chosen === undefined && !isKnown ? (
        <Skeleton lines={6} />
      ) : (
        <OfGroups key={by} comparison={comparison} by={by} metric={metric} />
      )}
    </Section>
  )
}

/** The metric of the limit that decides, else the one that changed most. */
function metricToExplain(rows: readonly PlaceRow[], statistics: DiffStatistics): MetricName {
  const row = worstRow(rows)
  const found = METRICS.find(([name, label]) => row?.metric.startsWith(name) || row?.metric.startsWith(label))
  return found?.[0] ?? leadingMetric(statistics)
}

const WORST: Readonly<Record<MetricName, WorstBy>> = {
  latency_ms: 'latency',
  cost_per_run_usd: 'cost',
  error_rate: 'failure',
}

function OfGroups({
  comparison,
  by,
  metric,
}: {
  comparison: Comparing
  by: Exclude<By, 'error'>
  metric: MetricName
}) {
  const split = useGroups(comparison, by, metric)
  return (
    <Loaded known={split} lines={6}>
      {report => {
        const group = param('group') || report.main?.key
        const only = group === undefined || by === 'model' ? {} : { [by]: group }
        return (
          <>
            <Contributions report={report} by={by} metric={metric} />
            <Worst comparing={{ ...comparison, ...only }} by={WORST[metric]} of={group} />
          </>
        )
      }}
    </Loaded>
  )
}

function Contributions({ report, by, metric }: { report: DiffGroups; by: By; metric: MetricName }) {
  const { difference, rate, mix, warnings, groups_total } = report
  if (difference === null)
    return <p class="faint">One release has no runs with this metric, so there is nothing to split.</p>
  const format = FORMATS[metric][1]
  const isMixed = matters(mix ?? 0, difference)
  const ranked = report.groups.toSorted((a, b) => contribution(b) - contribution(a))
  const shown = param('all') === '' ? ranked.slice(0, FIRST_SHOWN) : ranked
  return (
    <>
      {isMixed && (
        <p class="figures">
          {signed(rate ?? 0, format)} is really {REALLY[metric][(rate ?? 0) < 0 ? 1 : 0]};{' '}
          {signed(mix ?? 0, format)} is a different mix of {MIXED[by]}. Together {signed(difference, format)}.
        </p>
      )}
      <Table
        caption={`Difference by ${by}`}
        columns={columnsOf(report, by, metric)}
        rows={shown}
        keyOf={({ key }) => JSON.stringify(key)}
      />
      {shown.length < ranked.length && (
        <p class="faint">
          <a href={hereWith({ all: 'yes' })}>All {count(ranked.length)}</a> of{' '}
          {counted(groups_total, 'group')}.
        </p>
      )}
      {warnings.map(text => (
        <Note key={text}>
          <bdi>{text}</bdi>
        </Note>
      ))}
    </>
  )
}

function columnsOf(report: DiffGroups, by: By, metric: MetricName): Column<Group>[] {
  const [format, formatDelta] = FORMATS[metric]
  const most = Math.max(...report.groups.map(group => Math.abs(contribution(group))), 0) || 1
  const shown = (value: number | null): string => (value === null ? 'no data' : format(value))
  return [
    {
      label: BY.find(([name]) => name === by)![1],
      cell: group => <Key group={group} by={by} report={report} />,
    },
    {
      label: 'Runs',
      kind: 'number',
      cell: ({ baseline_runs, candidate_runs }) => `${count(baseline_runs)} → ${count(candidate_runs)}`,
    },
    {
      label: 'Before → now',
      kind: 'number',
      cell: ({ baseline_mean, candidate_mean }) => `${shown(baseline_mean)} → ${shown(candidate_mean)}`,
    },
    {
      label: 'Change',
      kind: 'number',
      cell: ({ difference, is_changed }) =>
        difference === null ? (
          <span class="faint">too few runs</span>
        ) : (
          <span class={is_changed ? `said ${difference.estimate > 0 ? 'worse' : 'better'}` : ''}>
            {signed(difference.estimate, formatDelta)}{' '}
            <span class="interval">{intervalText(difference, formatDelta)}</span>
          </span>
        ),
    },
    {
      label: 'Share of the change',
      kind: 'grow',
      cell: group => (
        <Share
          group={group}
          report={report}
          width={Math.abs(contribution(group)) / most}
          format={formatDelta}
        />
      ),
    },
  ]
}

/** A tenant or task shows its worst runs below, and may be all that the page is about. */
function Key({ group: { key }, by, report }: { group: Group; by: By; report: DiffGroups }) {
  if (key === null) return <span class="faint">{counted(report.merged_groups, 'small one')}</span>
  if (by !== 'tenant' && by !== 'task') return <Words>{key}</Words>
  const isOpen = (param('group') || report.main?.key) === key
  return (
    <span class="group-key">
      <button
        type="button"
        class="link"
        aria-pressed={isOpen}
        title="Its worst runs"
        onClick={() => change({ group: key }, { replace: true })}
      >
        <Words>{key}</Words>
      </button>{' '}
      <a
        class="faint"
        href={hereWith({ [by]: key, by: null, all: null, group: null })}
        aria-label={`Only ${by} ${key}`}
      >
        only
      </a>
    </span>
  )
}

function Share({
  group,
  report,
  width,
  format,
}: {
  group: Group
  report: DiffGroups
  width: number
  format: Format
}) {
  const { share } = group
  const worse = contribution(group) > 0
  return (
    <div class="share figures">
      <span class="share-bar" aria-hidden="true">
        <span class={worse ? 'worse' : 'better'} style={{ width: `${Math.round(width * 100)}%` }} />
      </span>
      <span>
        {share === null ? 'none' : percent(share).replace(/\.\d/, '')}
        {matters(group.mix, report.difference ?? 0) && (
          <span class="faint"> of it {signed(group.mix, format)} by more or fewer runs</span>
        )}
      </span>
    </div>
  )
}

/** The difference of one metric by tenant, task, model or error. */
function useGroups(comparing: Comparing, by: string, metric: string): Known<DiffGroups> {
  const call = { method: 'POST', path: 'v1/diff/groups', body: { ...pairOf(comparing), by, metric } } as const
  return useRead<DiffGroups>(by !== '' && isWhole(comparing) ? call : null, beat(comparing, 60_000))
}

/** Least share of a change that more or fewer runs make, for a reader to mind it. */
const LEAST_MIX = 0.05

const matters = (mix: number, difference: number): boolean =>
  Math.abs(mix) >= LEAST_MIX * Math.abs(difference) && mix !== 0

/** What a group adds to the difference of the means. */
const contribution = ({ rate, mix }: Group): number => rate + mix

/** How the service calls what is no error, and an error without a type. */
const [NO_ERROR, NO_TYPE] = ['(no error)', '(error without a type)']

/** A type of error, and how many of 1,000 runs ended with it. */
interface Row {
  readonly type: string
  readonly baseline: number
  readonly candidate: number
  readonly baselineRuns: number
  readonly candidateRuns: number
}

/** Errors by type, how often before and now: those that are new or rose most first. */
function Errors({ comparing }: { comparing: Comparing }) {
  const body = { ...pairOf(comparing), by: 'error', metric: 'error_rate' }
  const call = { method: 'POST', path: 'v1/diff/groups', body } as const
  const known = useRead<DiffGroups>(isWhole(comparing) ? call : null, beat(comparing, 60_000))
  return (
    <Loaded known={known}>
      {({ groups }) => {
        const rows = rowsOf(groups)
        return rows.length === 0 ? (
          <p class="faint">No run of either release failed.</p>
        ) : (
          <>
            <p class="faint">Of 1,000 runs; the number of runs is behind each.</p>
            <Table
              caption="Errors by type"
              columns={columnsFor(comparing)}
              rows={rows}
              keyOf={({ type }) => type}
            />
          </>
        )
      }}
    </Loaded>
  )
}

function rowsOf(groups: DiffGroups['groups']): Row[] {
  const all = (side: 'baseline_runs' | 'candidate_runs'): number =>
    groups.reduce((sum, group) => sum + group[side], 0) || 1
  const [before, after] = [all('baseline_runs'), all('candidate_runs')]
  return groups
    .filter(({ key }) => key !== NO_ERROR)
    .map(({ key, baseline_runs, candidate_runs }) => ({
      type: key ?? 'others',
      baseline: (1000 * baseline_runs) / before,
      candidate: (1000 * candidate_runs) / after,
      baselineRuns: baseline_runs,
      candidateRuns: candidate_runs,
    }))
    .sort((a, b) => b.candidate - b.baseline - (a.candidate - a.baseline))
}

const perThousand: Format = value => value.toFixed(value >= 100 ? 0 : 1)

function columnsFor(comparing: Comparing): readonly Column<Row>[] {
  const { environment: env, window, tenant, task } = comparing
  // The list of runs ends now, so that an older window has no link.
  const linkOf = (release: string, type: string): string =>
    href('runs', {
      release,
      env,
      window,
      tenant,
      task,
      outcome: 'failed',
      error: type === NO_TYPE ? '' : type,
    })
  const cell = (release: string, type: string, rate: number, runs: number) => (
    <>
      {perThousand(rate)}{' '}
      {runs > 0 && !comparing.until ? (
        <a href={linkOf(release, type)} aria-label={`${count(runs)} runs with ${type}`}>
          ({count(runs)})
        </a>
      ) : (
        <span class="faint">({count(runs)})</span>
      )}
    </>
  )
  return [
    {
      label: 'Error type',
      kind: 'grow',
      cell: ({ type, baselineRuns, candidateRuns }) => (
        <span>
          <Words>{type}</Words> {baselineRuns === 0 && candidateRuns > 0 && <Badge tone="warn">new</Badge>}
          {candidateRuns === 0 && <Badge tone="ok">gone</Badge>}
        </span>
      ),
    },
    {
      label: 'Baseline',
      kind: 'number',
      cell: ({ type, baseline, baselineRuns }) => cell(comparing.baseline, type, baseline, baselineRuns),
    },
    {
      label: 'Candidate',
      kind: 'number',
      cell: ({ type, candidate, candidateRuns }) => cell(comparing.candidate, type, candidate, candidateRuns),
    },
    {
      label: 'Change',
      kind: 'number',
      cell: ({ baseline, candidate }) => signed(candidate - baseline, perThousand),
    },
  ]
}
