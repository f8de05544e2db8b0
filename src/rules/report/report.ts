import { count, milliseconds, percent, points, quoted, safe, signed, usd } from '../../base/text.ts'
import type { Comparison, DiffReport } from '../../models/answers/diff.ts'
import type { Gate } from '../../models/deploys/gate.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { PowerDifference } from '../../models/answers/capabilities.ts'
import type { NamedCase } from '../../models/answers/suites.ts'
import type { MissingEvidence, Result } from '../../models/documents/policy.ts'
import type { PolicyLimit } from '../limits.ts'
import { ENOUGH_FOR_HIGH, missingText } from '../missing_evidence.ts'
import { changeSentence } from '../change_sentence.ts'
import { powerWords } from '../power_words.ts'
import { ALL_RUNS, comparedText, confidenceText, isOfSucceeded, judged } from '../verdict_words.ts'
import { caseLines } from '../case_words.ts'

/** What a report for people tells, whether it comes from a diff or from the gate. */
interface Reported {
  readonly result: Result
  readonly agent: string
  readonly environment: string
  readonly candidate: Release
  /** Null where nothing is promoted. */
  readonly baseline: Release | null
  /** What changed, in a sentence. */
  readonly summary: string | undefined
  readonly reasons: readonly string[]
  readonly warnings: readonly string[]
  /** Capabilities that the candidate has and the baseline lacks, and the other way round. */
  readonly power: PowerDifference | undefined
  /** What would decide it, where nothing but evidence is missing. */
  readonly missing: MissingEvidence | undefined
  /** Cases of evaluations that don't pass. */
  readonly cases: readonly NamedCase[]
  /** What was compared, if anything. */
  readonly compared:
    | {
        readonly metrics: Comparison
        readonly statistics: DiffStatistics
        readonly limits: readonly PolicyLimit[]
        readonly samples: DiffReport['samples']
      }
    | undefined
  readonly window: string
  /** Which runs were compared, besides the environment. */
  readonly filters: readonly (readonly [string, string])[]
  /** Words of the command that tells the same. */
  readonly command: readonly string[]
  /** Where the service is, if that is known. */
  readonly url: string | undefined
}

interface Release {
  readonly release_id: string
  readonly version: string
}

/** The answer of the gate as Markdown. `requested` are the options of `svc release gate` besides the release, its environment and window. */
export function gateMarkdown(gate: Gate, requested: readonly string[], url: string | undefined): string {
  const { metrics, statistics, samples, confidence, confidence_reason, limits } = gate
  return markdown({
    result: gate.result,
    agent: gate.agent_id,
    environment: gate.environment,
    candidate: gate,
    baseline:
      gate.baseline_release_id === null
        ? null
        : { release_id: gate.baseline_release_id, version: gate.baseline_version! },
    summary: gate.summary,
    reasons: gate.reasons,
    missing: gate.missing_evidence,
    power: gate.capabilities,
    cases: gate.cases ?? [],
    warnings: [...gate.warnings, ...(statistics?.warnings ?? [])],
    compared:
      metrics === null
        ? undefined
        : {
            metrics,
            statistics: statistics!,
            limits,
            samples: { ...samples!, confidence: confidence!, confidence_reason },
          },
    window: gate.window,
    filters: [],
    command: [...wordsOf('gate', [gate.release_id], gate), ...requested],
    url,
  })
}

/** A diff as Markdown, by the limits of the policy in force where they are known. */
export function diffMarkdown(
  report: DiffReport,
  {
    agent,
    baseline,
    candidate,
    limits,
    url,
  }: Pick<Reported, 'agent' | 'candidate' | 'url'> & {
    readonly baseline: Release
    readonly limits: readonly PolicyLimit[]
  },
): string {
  const { environment, tenant_id, task_id } = report.filters
  const filters = [
    ['tenant', tenant_id],
    ['task', task_id],
  ].filter((filter): filter is [string, string] => filter[1] !== null)
  const releases = [baseline.release_id, candidate.release_id]
  const warnings = [
    report.warnings,
    report.policy.warnings,
    report.statistics.warnings,
    report.pricing.warnings,
  ]
  return markdown({
    result: report.policy.result,
    agent,
    environment,
    candidate,
    baseline,
    summary: report.summary,
    reasons: report.policy.reasons,
    missing: report.policy.missing_evidence,
    power: report.capabilities,
    cases: report.cases ?? [],
    warnings: warnings.flatMap(texts => texts ?? []),
    compared: { metrics: report.metrics, statistics: report.statistics, limits, samples: report.samples },
    window: report.window,
    filters,
    command: [
      ...wordsOf('diff', releases, { environment, window: report.window }),
      ...filters.map(([name, value]) => `--${name}=${value}`),
    ],
    url,
  })
}

/** Values follow `=`, so that one that begins with a dash is no option. */
function wordsOf(
  command: string,
  releases: readonly string[],
  { environment, window }: { readonly environment: string; readonly window: string },
): string[] {
  return ['svc', 'release', command, ...releases, `--env=${environment}`, `--window=${window}`]
}

function markdown(reported: Reported): string {
  const { result, agent, environment, candidate, baseline, reasons, warnings, missing, compared } = reported
  // A report is kept elsewhere, where no erasure reaches it, so it calls tenants and tasks by their ids.
  const summary =
    reported.summary === undefined || compared === undefined || baseline === null
      ? reported.summary
      : changeSentence(candidate.version, baseline.version, compared.statistics)
  const { title, but } = judged({ result, reasons }, compared?.statistics)
  return [
    `### ${but === '' ? SIGNS[result] : '⚠️'} ${code(agent)} ${code(candidate.version)} → ${code(environment)}: ${title}`,
    summary === undefined ? '' : code(summary, MOST_CHARS),
    listOf(reasons, ''),
    missing === undefined ? '' : missingText(missing),
    ...(compared === undefined ? [] : [figureTable(compared), samplesLine(reported, compared.samples)]),
    powerPart(reported.power),
    caseLines(reported.cases, text => code(text))
      .map(line => `- ${line}`)
      .join('\n'),
    `Release ${named(candidate)}, ${baseline === null ? 'nothing promoted to compare with' : `compared with ${named(baseline)}`}.`,
    listOf(warnings, '⚠️ '),
    footer(reported),
  ]
    .filter(part => part !== '')
    .join('\n\n')
    .concat('\n')
}

function powerPart(power: PowerDifference | undefined): string {
  if (power === undefined) return ''
  const { heading, lines } = powerWords(power)
  const listed = lines.map(line => `- ${code(line, MOST_CHARS)}`)
  const by = power.acknowledged === undefined ? '' : `, acknowledged by ${code(power.acknowledged.actor)}`
  return [`**Capabilities:** ${heading}${by}`, '', ...listed].join('\n')
}

const SIGNS = { passed: '✅', first: '✅', forced: '⚠️', not_yet: '❔', blocked: '⛔' } as const

/** Most reasons and most warnings, and the longest of each: a comment holds 65,536 characters. */
const MOST_LISTED = 20
const MOST_CHARS = 500

function listOf(texts: readonly string[], sign: string): string {
  const lines = [...new Set(texts)].map(text => `- ${sign}${code(text, MOST_CHARS)}`)
  const more = lines.length - MOST_LISTED
  return [...lines.slice(0, MOST_LISTED), ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')
}

function named({ version, release_id }: Release): string {
  return `${code(version)} (${code(release_id)})`
}

function samplesLine({ result, window, filters }: Reported, samples: DiffReport['samples']): string {
  const of = filters.map(([name, value]) => `, ${name} ${code(value)}`).join('')
  const runs = `${count(samples.baseline_runs)} and ${count(samples.candidate_runs)} runs, ${code(window)}${of}`
  if (result === 'not_yet' && samples.confidence === 'HIGH') return `${runs}. ${ENOUGH_FOR_HIGH}`
  const reason = samples.confidence_reason === null ? '' : `, ${code(samples.confidence_reason, MOST_CHARS)}`
  return `${runs}: ${confidenceText(samples.confidence)}${reason}`
}

/** What tells the same again, and the page that shows it. */
function footer({ command, url, agent, environment, candidate, baseline, window }: Reported): string {
  const line = code(command.map(quoted).join(' '), MOST_CHARS)
  if (url === undefined || baseline === null) return `<sub>${line}</sub>`
  const page = new URLSearchParams({
    view: 'place',
    agent,
    env: environment,
    baseline: baseline.release_id,
    candidate: candidate.release_id,
    window,
  })
  return `<sub>${line} · <a href="${attribute(`${url}/?${page}`)}">page</a></sub>`
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

interface Figures {
  readonly metrics: Comparison
  readonly statistics: DiffStatistics
  readonly limits: readonly PolicyLimit[]
  readonly samples: Pick<DiffReport['samples'], 'baseline_runs' | 'candidate_runs'>
}

/** A table of the metrics in Markdown: both sides, the change with its interval, the limits and the runs. Words and numbers of ours alone. */
function figureTable(figures: Figures): string {
  const { statistics } = figures
  const [baseline, candidate] = [`baseline, ${ALL_RUNS}`, `candidate, ${ALL_RUNS}`]
  const heads = [
    '',
    baseline,
    candidate,
    `change, ${comparedText(statistics)}`,
    '95 % interval',
    'limit',
    'n',
  ]
  const rows = [heads, ['-', ...heads.slice(1).map(() => '-:')], ...ROWS.map(row => cellsOf(row, figures))]
  const table = rows.map(cells => `| ${cells.join(' | ')} |`).join('\n')
  return isOfSucceeded(statistics)
    ? `${table}\n\nChanges of cost and latency are per run that succeeded.`
    : table
}

/** A metric: where its sides are, the unit of its change, and how its values are written. */
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
  const { baseline_runs, candidate_runs } = measured.matched ?? measured
  const side = (key: keyof Comparison, runs: number): string => {
    const value = metrics[key]
    return value === null || runs === 0 ? 'no data' : row.value(value)
  }
  const text = (value: number): string => signed(value, row.change)
  return [
    row.label,
    side(row.sides[0], samples.baseline_runs),
    side(row.sides[1], samples.candidate_runs),
    change === null ? '' : text(change.estimate),
    // Neither a share nor a change in percent falls by more.
    change === null ? '' : `${text(change.low ?? -1)} to ${change.high === null ? '+∞' : text(change.high)}`,
    limitsOf(row, limits),
    `${count(baseline_runs)}, ${count(candidate_runs)}`,
  ]
}

/** Limits on the value and on its change. */
function limitsOf({ metric, value, change }: FigureRow, limits: readonly PolicyLimit[]): string {
  return limits
    .filter(limit => limit.metric === metric)
    .map(({ policy_key, limit }) => (policy_key.includes('_increase') ? signed(limit, change) : value(limit)))
    .join(', ')
}

/**
 * A text of somebody else's in Markdown: a code span, in which nothing is a tag, a link, a mention or an image. What is
 * too long is cut. Not for a cell of a table, which a bar would end.
 */
export function code(text: string, mostChars = CODE_CHARS): string {
  const shown = safe(cut(text, mostChars))
  if (shown.trim() === '') return '(blank)'
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map(run => run.length))
  const fence = '`'.repeat(longest + 1)
  const pad = longest > 0 ? ' ' : ''
  return `${fence}${pad}${shown}${pad}${fence}`
}

/** Names are at most 512 bytes elsewhere, but a version may be of any length. */
const CODE_CHARS = 80

function cut(text: string, most: number): string {
  const chars = Array.from(text.slice(0, 2 * most + 2))
  return chars.length <= most ? text : `${chars.slice(0, most).join('')}…`
}
