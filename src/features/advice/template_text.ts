import { count, percent, points } from '../../base/text.ts'
import type { PolicyAdvice } from './models.ts'
import {
  type Measured,
  type Metrics,
  TEMPLATES,
  type Template,
  type TemplateName,
  assumed,
  highestRate,
  margin,
  rateRiseLimit,
  riseLimit,
} from './templates.ts'

/** A release whose runs limits are derived from. */
type Live = Metrics & Pick<PolicyAdvice, 'agent_id' | 'environment' | 'release_id' | 'runs_per_day'>

/** Below so many runs a side, confidence is HIGH only where the policy says so: the default of service.yaml. */
const HIGH_RUNS = 500

/** A policy as YAML, each line with what it means. Without a release it has no absolute limits. */
export function templateText(name: TemplateName, live?: Live): string {
  const template: Template = TEMPLATES[name]
  const runs = live === undefined || name !== 'canary' ? template.runs : weekly(live)
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
    ...(name === 'low-traffic' ? [] : changeLines(template, runs, live ?? assumed(template))),
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

function headLines({ purpose }: Template, runs: number, live: Live | undefined): string[] {
  return [
    `# For ${purpose}: at least ${count(runs)} runs of each release in the window.`,
    '# An unchanged release then passes in 90 of 100 cases or more. What your own traffic can prove:',
    '#   svc policy advise --agent AGENT_ID --env ENV',
    ...(live === undefined
      ? ['# With --agent AGENT_ID or --from RELEASE it also has absolute limits, from the runs of a release.']
      : [`# Derived from ${live.release_id}, ${count(live.errors.runs)} runs in the last 14 days.`]),
    '# A rollback is asked no limit on a change (on_rollback names those that it is), but absolute limits and HIGH confidence:',
    `# until the live release has ${count(Math.min(runs, HIGH_RUNS))} runs, nothing rolls it back. allow_forced_rollback: true in service.yaml permits it.`,
  ]
}

/** Runs that each side gets in a week, where both share the traffic. */
function weekly({ runs_per_day }: Live): number {
  return Math.max(TEMPLATES['low-traffic'].runs, Math.round(3.5 * runs_per_day))
}

function absoluteLines(template: Template, runs: number, { cost, latency, errors }: Live): string[] {
  const lines: string[] = []
  if (cost.mean > 0) {
    const rise = margin(template, runs, cost)
    const usd = Number((cost.mean * (1 + rise)).toPrecision(3))
    lines.push(`max_cost_per_run_usd: ${plain(usd)} # mean of the release, ${riseText(rise, cost)}`)
  }
  if (latency.mean > 0) {
    const rise = margin(template, runs, latency)
    lines.push(
      `max_latency_ms: ${Math.ceil(latency.mean * (1 + rise))} # mean of the release, ${riseText(rise, latency)}`,
    )
  }
  const rate = highestRate(template, runs, errors)
  lines.push(
    `max_error_rate: ${rate} # ${percent(errors.mean)} of its runs failed, + ${points(rate - errors.mean)}`,
  )
  return lines
}

function riseText(rise: number, { mean }: Measured): string {
  return `${plain(Number(mean.toPrecision(3)))} + ${percent(rise)}`
}

/** Without an exponent, which not every reader of YAML takes for a number. */
function plain(value: number): string {
  return value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 })
}

function changeLines(template: Template, runs: number, { cost, latency, errors }: Metrics): string[] {
  return [
    changeLine('max_cost_increase_pct', riseLimit(template, runs, cost), runs),
    changeLine('max_latency_increase_pct', riseLimit(template, runs, latency), runs),
    changeLine('max_error_rate_increase', rateRiseLimit(template, runs, errors), runs),
  ]
}

function changeLine(key: string, limit: number | undefined, runs: number): string {
  if (limit === undefined)
    return `# no ${key}: ${count(runs)} runs a side don't prove one that is small enough`
  const rise = key.endsWith('_pct') ? percent(limit) : points(limit)
  return `${key}: ${limit} # the interval of the rise must end at +${rise} or below`
}
