import { count, percent, points } from '../../base/text.ts'
import type { PolicyAdvice } from './models.ts'
import {
  type Measured,
  type Metrics,
  TEMPLATES,
  type Template,
  type TemplateName,
  assumed,
  blockedRise,
  highestRate,
  margin,
  rateRiseLimit,
  riseLimit,
  runsOf,
} from './templates.ts'

/** What is known of a release and its traffic. */
type MeasuredRelease = Pick<PolicyAdvice, 'agent_id' | 'environment' | 'release_id' | 'runs_per_day'>
type Metric = Pick<PolicyAdvice['metrics'][number], 'metric' | 'runs' | 'mean' | 'variation'>
/** A release whose runs limits are derived from. */
type Live = Metrics & MeasuredRelease

/** What the runs of a release say of its metrics. */
export function liveOf({
  metrics,
  ...known
}: MeasuredRelease & { readonly metrics: readonly Metric[] }): Live {
  const of = (name: Metric['metric']): Measured => {
    const { runs, mean, variation } = metrics.find(({ metric }) => metric === name)!
    return { runs, mean: mean ?? 0, variation: variation ?? 0 }
  }
  return { ...known, cost: of('cost_per_run_usd'), latency: of('latency_ms'), errors: of('error_rate') }
}

/** Days of the live release's runs that limits are derived from. */
const KNOWN_DAYS = 14

/** Below so many runs a side, confidence is HIGH only where the policy says so: the default of service.yaml. */
const HIGH_RUNS = 500

/** A policy as YAML, each line with what it means. Without a release it has no absolute limits. */
export function templateText(name: TemplateName, live?: Live): string {
  const template: Template = TEMPLATES[name]
  const runs = live === undefined ? template.runs : runsOf(template, live.runs_per_day)
  const place =
    live === undefined
      ? []
      : [
          'overrides: # only here; to keep the policy in force, add this to its list',
          `  - agent_id: ${JSON.stringify(live.agent_id)}`,
          `    environment: ${JSON.stringify(live.environment)}`,
        ]
  const keys = [
    ...(live === undefined ? [] : absoluteLines(template, runs, live)),
    ...(name === 'low-traffic' ? [] : changeLines(template, runs, live)),
    ...(name === 'ci'
      ? ['compare_by: window # all runs of the window: a trial is over in minutes, and both ran in them']
      : []),
    ...(runs < HIGH_RUNS
      ? [
          `min_candidate_runs: ${runs} # as many runs of each side make confidence HIGH`,
          `min_baseline_runs: ${runs}`,
          `min_low_runs: ${Math.ceil(runs / 2)} # with fewer, confidence is LOW`,
        ]
      : []),
  ]
  const lines = [
    ...headLines(template, runs, live),
    `policy_id: ${name}`,
    ...place,
    ...keys.map(line => (live === undefined ? line : `    ${line}`)),
  ]
  return `${lines.join('\n')}\n`
}

function headLines(template: Template, runs: number, live: Live | undefined): string[] {
  return [
    `# For ${template.purpose}: at least ${count(runs)} runs of each release in the window.`,
    '# An unchanged release then passes in 90 of 100 cases or more. What your own traffic can prove:',
    '#   svc policy advise --agent AGENT_ID --env ENV',
    ...(live === undefined
      ? ['# With --agent AGENT_ID or --from RELEASE it also has absolute limits, from the runs of a release.']
      : [
          `# Derived from ${live.release_id}, ${count(live.errors.runs)} runs in the last ${KNOWN_DAYS} days.`,
        ]),
    ...(live === undefined || template.days === undefined ? [] : [byTrafficLine(template, live)]),
    "# Limits on a change don't apply to a rollback (on_rollback adds some); absolute limits and HIGH confidence do:",
    `# until the live release has ${count(Math.min(runs, HIGH_RUNS))} runs, nothing rolls it back. allow_forced_rollback: true in service.yaml permits it.`,
  ]
}

/** Which rise of the cost the absolute limit would block that is derived at other traffic. */
function byTrafficLine(template: Template, { cost }: Live): string {
  const rises = [20, 50, 100, 200].map(perDay => {
    const blocked = blockedRise(template, runsOf(template, perDay), { ...cost, runs: KNOWN_DAYS * perDay })
    return `${rose(blocked)} at ${perDay}`
  })
  return `# The rise of the cost that it blocks in 90 of 100 cases, by runs a day: ${rises.join(', ')}.`
}

function absoluteLines(template: Template, runs: number, { cost, latency, errors }: Live): string[] {
  const lines: string[] = []
  const limitOf = (live: Measured) => live.mean * (1 + margin(template, runs, live))
  if (cost.mean > 0) {
    const usd = plain(Number(limitOf(cost).toPrecision(3)))
    lines.push(`max_cost_per_run_usd: ${usd} # ${riseText(template, runs, cost)}`)
  }
  if (latency.mean > 0) {
    lines.push(`max_latency_ms: ${Math.ceil(limitOf(latency))} # ${riseText(template, runs, latency)}`)
  }
  const rate = highestRate(template, runs, errors)
  lines.push(
    `max_error_rate: ${rate} # ${percent(errors.mean)} of its runs failed, + ${points(rate - errors.mean)}`,
  )
  return lines
}

function riseText(template: Template, runs: number, live: Measured): string {
  const [rise, blocked] = [margin(template, runs, live), blockedRise(template, runs, live)]
  return `mean of the release, ${plain(Number(live.mean.toPrecision(3)))} + ${percent(rise)}: blocks ${rose(blocked)} in 90 of 100 cases`
}

/** Runs that differ so much prove no rise that is worth a limit. */
function rose(rise: number): string {
  return rise < 10 ? `+${percent(rise)}` : 'more than +1,000 %'
}

/** Without an exponent, which not every reader of YAML takes for a number. */
function plain(value: number): string {
  return value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 })
}

function changeLines(template: Template, runs: number, live: Live | undefined): string[] {
  const { cost, latency, errors }: Metrics = live ?? assumed(template)
  return [
    changeLine('max_cost_increase_pct', riseLimit(template, runs, cost), runs),
    changeLine('max_latency_increase_pct', riseLimit(template, runs, latency), runs),
    changeLine('max_error_rate_increase', rateRiseLimit(template, runs, errors, live === undefined), runs),
  ]
}

function changeLine(key: string, limit: number | undefined, runs: number): string {
  if (limit === undefined)
    return `# no ${key}: ${count(runs)} runs a side don't prove one that is small enough`
  const rise = key.endsWith('_pct') ? percent(limit) : points(limit)
  return `${key}: ${limit} # the interval of the rise must end at +${rise} or below`
}
