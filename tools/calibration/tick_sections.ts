import { type Effort, type Section, share } from './effort.ts'
import { percent, table } from './markdown.ts'
import { plot } from './plot.ts'
import { TICKS, type Traffic, type Worse, alarmTicks } from './ticks.ts'

const NO_LIMITS = { cost_per_run_usd: 0, latency_ms: 0, error_rate: 0 }
const LIMITS = { cost_per_run_usd: 0.1, latency_ms: 0.1, error_rate: 0.02 }

const STEADY: Traffic = {
  cost: 'log-normal',
  latency: 'normal',
  error_rate: 0.02,
  runs_per_minute: 10,
  baseline_runs: 1200,
}
const BUSY: Traffic = { ...STEADY, runs_per_minute: 60, baseline_runs: 7200 }

/** Traffic that changes in nothing. */
const UNCHANGED: Readonly<Record<string, Traffic>> = {
  steady: STEADY,
  busy: BUSY,
  'few runs': { ...STEADY, runs_per_minute: 1, baseline_runs: 200 },
  'large baseline, skewed': { ...STEADY, latency: 'log-normal', baseline_runs: 10_000 },
  'zeros and tails': { ...STEADY, cost: 'zeros', latency: 'tail' },
  sessions: { ...STEADY, cost: 'sessions', latency: 'sessions' },
}

/** What a release does worse, under which traffic. */
const WORSE: readonly (readonly [name: string, traffic: Traffic, worse: Worse])[] = [
  ['latency +20 %', STEADY, { latency: 0.2 }],
  ['skewed latency +20 %', { ...STEADY, latency: 'log-normal' }, { latency: 0.2 }],
  ['skewed latency +20 %, busy', { ...BUSY, latency: 'log-normal' }, { latency: 0.2 }],
  ['errors 2 % → 5 %', STEADY, { errors: 0.03 }],
  ['errors 2 % → 5 %, busy', BUSY, { errors: 0.03 }],
]

const SHOWN = [5, 10, 20, 30, 60, TICKS]

/** Whole watches of cost, latency and errors together, as the service runs them. */
export function tickSection(effort: Effort): Section {
  const [unchanged, changed] = [share(effort, 5), share(effort, 20)]
  const still = Object.entries(UNCHANGED).map(([name, traffic]) => {
    const ticks = alarmTicks(name, traffic, {}, NO_LIMITS, unchanged)
    return { name, alarmed: ticks.filter(tick => tick !== undefined).length / ticks.length }
  })
  const found = WORSE.map(([name, traffic, worse]) => ({
    name,
    free: seenBy(alarmTicks(name, traffic, worse, NO_LIMITS, changed)),
    limited: seenBy(alarmTicks(name, traffic, worse, LIMITS, changed)),
  }))
  return {
    bounds: still.map(({ name, alarmed }) => ({
      of: `watch of three metrics, ${name}: false alarms`,
      share: alarmed,
      atMost: 0.05,
    })),
    plots: {
      'watch-detection.svg': plot(
        'Regressions that a watch without limits has seen, %',
        'minutes',
        found.map(({ name, free }) => ({ name, points: curveOf(free) })),
        { most: 1, step: 0.2, mark: 0.05, ticks: [0, 30, 60, 90, 120].map(tick => [tick, String(tick)]) },
      ),
    },
    text: `## Watches of two hours

Whole watches as the service runs them: cost, latency and errors at once, 120 checks, one a minute, 24 blocks of time to a side,
no claim below 50 runs but by the exact bound. Steady traffic is 10 runs a minute and a baseline of 1,200, busy is 60 and 7,200; costs are log-normal,
latencies normal unless it says skewed (log-normal), 2 % of the runs fail.

Watches of an unchanged release that raise any alarm, in percent, without limits, where any proven rise is one; 5 are allowed.
${unchanged.reps} watches each.

${table(
  ['traffic', 'false alarms'],
  still.map(({ name, alarmed }) => [name, percent(alarmed, 1)]),
)}

Watches that have raised one by that minute, in percent: without limits, and in brackets with limits of +10 % and +2 points.
${changed.reps} watches each.

${table(
  ['what is worse', ...SHOWN.map(tick => `${tick} min`)],
  found.map(({ name, free, limited }) => [
    name,
    ...SHOWN.map(tick => `${percent(free(tick))} (${percent(limited(tick))})`),
  ]),
)}

![Share of regressions that were seen, minute by minute](../images/watch-detection.svg)`,
  }
}

/** The share of watches that raised an alarm by a tick. */
function seenBy(ticks: readonly (number | undefined)[]): (tick: number) => number {
  return until => ticks.filter(tick => tick !== undefined && tick <= until).length / ticks.length
}

function curveOf(seen: (tick: number) => number): { x: number; share: number }[] {
  return Array.from({ length: TICKS + 1 }, (_, tick) => ({ x: tick, share: seen(tick) }))
}
