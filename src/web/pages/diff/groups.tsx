import type { DiffGroups } from '../../../models/answers/groups.ts'
import type { DiffStatistics } from '../../../models/answers/statistics.ts'
import { Segments } from '../../components/field.tsx'
import { Note } from '../../components/note.tsx'
import { Section } from '../../components/page.tsx'
import { Loaded } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Words } from '../../components/text.tsx'
import { type Format, count, counted, milliseconds, percent, points, signed, usd } from '../../format.ts'
import { type Comparing, useGroups } from '../../reads.ts'
import { change, hereWith, param } from '../../route.ts'
import {
  METRICS,
  type MetricName,
  contribution,
  intervalText,
  leadingMetric,
  shareOf,
} from '../../components/change.ts'

type Group = DiffGroups['groups'][number]

const BY = [
  ['task', 'Task'],
  ['tenant', 'Tenant'],
  ['model', 'Model'],
  ['error', 'Error type'],
] as const
type By = (typeof BY)[number][0]

const OF = METRICS.map(([name, label]) => [name, `${label[0]!.toUpperCase()}${label.slice(1)}`] as const)

const FORMATS: Readonly<Record<MetricName, readonly [value: Format, delta: Format]>> = {
  cost_per_run_usd: [usd, usd],
  latency_ms: [milliseconds, milliseconds],
  error_rate: [percent, points],
}

/** Most groups on show before the rest is asked for. */
const FIRST_SHOWN = 12

/** Who is hit: what each tenant, task, model or error contributes to a difference, worst first. */
export function Where({ comparing, statistics }: { comparing: Comparing; statistics: DiffStatistics }) {
  const by: By = BY.find(([name]) => name === param('by'))?.[0] ?? 'task'
  const metric = METRICS.find(([name]) => name === param('of'))?.[0] ?? leadingMetric(statistics)
  const groups = useGroups(comparing, by, metric)
  return (
    <Section
      title="Where it is"
      aside={
        <div class="actions">
          <Segments
            label="Grouped by"
            value={by}
            options={BY}
            onChange={value => change({ by: value, all: null }, { replace: true })}
          />
          <Segments
            label="Measure"
            value={metric}
            options={OF}
            onChange={value => change({ of: value }, { replace: true })}
          />
        </div>
      }
    >
      <Loaded known={groups}>{report => <Contributions report={report} by={by} metric={metric} />}</Loaded>
    </Section>
  )
}

function Contributions({ report, by, metric }: { report: DiffGroups; by: By; metric: MetricName }) {
  const { difference, rate, mix, groups, warnings, groups_total } = report
  if (difference === null) return <p class="faint">A side has no runs that carry this: nothing to split.</p>
  const format = FORMATS[metric][1]
  const ranked = groups.toSorted((a, b) => contribution(b) - contribution(a))
  const shown = param('all') === '' ? ranked.slice(0, FIRST_SHOWN) : ranked
  return (
    <>
      <p class="figures">
        {signed(difference, format)} in all: {signed(rate ?? 0, format)} from what changed within a group,{' '}
        {signed(mix ?? 0, format)} from which groups sent more or fewer runs.
      </p>
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
      label: 'Baseline → candidate',
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

/** Tenants and tasks filter the whole page. */
function Key({ group: { key }, by, report }: { group: Group; by: By; report: DiffGroups }) {
  if (key === null) return <span class="faint">{counted(report.merged_groups, 'small one')}</span>
  if (by !== 'tenant' && by !== 'task') return <Words>{key}</Words>
  return (
    <a
      href={hereWith({ [by]: key, by: by === 'tenant' ? 'task' : 'tenant', all: null })}
      title={`Only this ${by}`}
    >
      <Words>{key}</Words>
    </a>
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
  const share = shareOf(group, report)
  const worse = contribution(group) > 0
  return (
    <div class="share figures">
      <span class="share-bar" aria-hidden="true">
        <span class={worse ? 'worse' : 'better'} style={{ width: `${Math.round(width * 100)}%` }} />
      </span>
      <span>
        {share === undefined ? 'none' : percent(share).replace(/\.\d/, '')}
        <span class="faint">
          {' '}
          own {signed(group.rate, format)}, by its runs {signed(group.mix, format)}
        </span>
      </span>
    </div>
  )
}
