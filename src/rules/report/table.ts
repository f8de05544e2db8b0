import { count, milliseconds, percent, points, signed, usd } from '../../base/shown.ts'
import type { Comparison, DiffReport } from '../../models/answers/diff.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { PolicyLimit } from '../limits.ts'

interface Figures {
  readonly metrics: Comparison
  readonly statistics: DiffStatistics
  readonly limits: readonly PolicyLimit[]
  readonly samples: Pick<DiffReport['samples'], 'baseline_runs' | 'candidate_runs'>
}

/** A table of the metrics in Markdown: both sides, the change with its interval, the limits and the runs. Words and numbers of ours alone. */
export function figureTable(figures: Figures): string {
  const heads = ['', 'baseline', 'candidate', 'change', '95 % interval', 'limit', 'n']
  const rows = [heads, ['-', ...heads.slice(1).map(() => '-:')], ...ROWS.map(row => cellsOf(row, figures))]
  return rows.map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

/** A metric: where its sides stand, what its change is told in, and how its values are written. */
interface FigureRow {
  readonly label: string
  readonly metric: 'cost_per_run_usd' | 'latency_ms' | 'error_rate'
  readonly sides: readonly [keyof Comparison, keyof Comparison]
  readonly of: 'relative_change' | 'difference'
  readonly value: (value: number) => string
  readonly change: (value: number) => string
}

const ROWS: readonly FigureRow[] = [
  {
    label: 'cost per run',
    metric: 'cost_per_run_usd',
    sides: ['baseline_cost_per_run_usd', 'candidate_cost_per_run_usd'],
    of: 'relative_change',
    value: usd,
    change: percent,
  },
  {
    label: 'latency, mean',
    metric: 'latency_ms',
    sides: ['baseline_latency_ms_avg', 'candidate_latency_ms_avg'],
    of: 'relative_change',
    value: milliseconds,
    change: percent,
  },
  {
    label: 'error rate',
    metric: 'error_rate',
    sides: ['baseline_error_rate', 'candidate_error_rate'],
    of: 'difference',
    value: percent,
    change: points,
  },
]

function cellsOf(row: FigureRow, { metrics, statistics, limits, samples }: Figures): string[] {
  const measured = statistics[row.metric]
  const change = measured[row.of]
  const side = (key: keyof Comparison, runs: number): string => {
    const value = metrics[key]
    return value === null || runs === 0 ? 'no data' : row.value(value)
  }
  const end = (value: number | null, without: string): string =>
    value === null ? without : signed(value, row.change)
  return [
    row.label,
    side(row.sides[0], samples.baseline_runs),
    side(row.sides[1], samples.candidate_runs),
    change === null ? '' : signed(change.estimate, row.change),
    change === null ? '' : `${end(change.low, '-∞')} to ${end(change.high, '+∞')}`,
    limitsOf(row, limits),
    `${count(measured.baseline_runs)}, ${count(measured.candidate_runs)}`,
  ]
}

/** Limits on the value and on its change. */
function limitsOf({ metric, value, change }: FigureRow, limits: readonly PolicyLimit[]): string {
  return limits
    .filter(limit => limit.metric === metric)
    .map(({ policy_key, limit }) => (policy_key.includes('_increase') ? signed(limit, change) : value(limit)))
    .join(', ')
}
