import {
  RARE_ERRORS,
  alone,
  bySession,
  byTenant,
  coverage,
  inTime,
  quantileCoverage,
  unchanged,
} from './coverage.ts'
import { type Asked, type Shares, falseDifferences, oneLook, polled } from './decisions.ts'
import { percent, percents, table } from './markdown.ts'
import { type Line, plot } from './plot.ts'
import { meanPower, ratePower } from './power.ts'
import { type Shape, byLabel, independent, sessions, tail } from './traffic.ts'
import { type Dependence, meanWatches, rateWatches } from './watches.ts'

/** A part of the report: its text, and pictures by name. */
export interface Section {
  readonly text: string
  readonly plots?: Readonly<Record<string, string>>
}

/** Repetitions of the cheapest tables; the others take a fixed share of them. */
export interface Effort {
  readonly reps: number
  readonly seed: number
}

const SHAPES: Readonly<Record<string, Shape>> = {
  normal: independent('normal'),
  'log-normal': independent('log-normal'),
  zeros: independent('zeros'),
  sessions: sessions(0.2),
  tail: tail(),
}
const INDEPENDENT = ['normal', 'log-normal', 'zeros'] as const
const CHANGES = [0, 0.05, 0.1, 0.2, 0.5]

function share(effort: Effort, divisor: number): Asked {
  return { reps: Math.max(1, Math.round(effort.reps / divisor)), seed: effort.seed }
}

function coverageSection(effort: Effort): Section {
  const sizes = [
    [50, 50],
    [200, 200],
    [500, 500],
    [5000, 5000],
    [5000, 500],
    [5000, 50],
  ] as const
  const rows = sizes.map(([b, c]) => {
    const of = (name: string, shape: Shape, rate: boolean): string => {
      const found = [alone, inTime].map(cut =>
        coverage(`${name} ${b} ${c}`, unchanged(shape, b, c, cut), { ...share(effort, 1), rate }),
      )
      const [known, blocks] = found as [(typeof found)[0], (typeof found)[0]]
      const both = rate ? [known.difference] : [known.difference, known.relative]
      return `${percents(both, 1)} (${percent(blocks.difference, 1)})`
    }
    return [
      `${b} / ${c}`,
      ...INDEPENDENT.map(name => of(name, SHAPES[name]!, false)),
      of('errors', RARE_ERRORS, true),
    ]
  })
  return {
    text: `## Do 95 % intervals hold the truth in 95 of 100 cases?

Runs that don't depend on each other, unchanged sides; Welch / Fieller, of errors Newcombe, in percent. In brackets the
difference as a diff has it: in 24 blocks of time, of whose variance and that of independent runs the larger counts. ${effort.reps}
repetitions, so that one figure is within 0.4 of the truth in 95 of 100 cases.

${table(['runs, baseline / candidate', ...INDEPENDENT, 'errors 1 %'], rows)}`,
  }
}

function clusterSection(effort: Effort): Section {
  const asked = share(effort, 5)
  const session = (n: number): (string | undefined)[][] =>
    [0.1, 0.2, 0.3].map(correlation => {
      const shape = sessions(correlation)
      const name = `sessions ${correlation} ${n}`
      return [
        `sessions, correlation ${correlation}, ${n} runs`,
        percent(coverage(name, unchanged(shape, n, n, alone), asked).difference, 1),
        percent(coverage(name, unchanged(shape, n, n, inTime), asked).difference, 1),
        percent(
          coverage(name, bySession(shape, n), { ...asked, options: { clusters: 'units' } }).difference,
          1,
        ),
      ]
    })
  const tenant = (routing: 'runs' | 'tenants', n: number): string[] => [
    `200 tenants, ${routing === 'runs' ? 'each run on a side at random' : 'each tenant on one side'}, ${n} runs`,
    ...([alone, inTime, byLabel] as const).map(cut => {
      const options = { clusters: cut === byLabel ? ('units' as const) : ('blocks' as const) }
      const name = `tenants ${routing} ${n}`
      return percent(coverage(name, byTenant(routing, n, cut), { ...asked, options }).difference, 1)
    }),
  ]
  return {
    text: `## Runs that depend on each other

The same for runs that resemble those of their session (5 runs on average, four sessions at a time) or of their tenant
(sizes by Zipf's law). ${asked.reps} repetitions, within 1 point.

${table(
  ['traffic', 'taken as independent', '24 blocks of time', 'by session or tenant'],
  [
    ...session(500),
    ...session(5000),
    tenant('runs', 500),
    tenant('runs', 5000),
    tenant('tenants', 500),
    tenant('tenants', 5000),
  ],
)}`,
  }
}

function quantileSection(effort: Effort): Section {
  const asked = share(effort, 5)
  const quantiles = [
    ['p50', 0.5, 0],
    ['p95', 0.95, 1.6448536269514722],
    ['p99', 0.99, 2.3263478740408408],
  ] as const
  const rows = quantiles.flatMap(([name, p, z]) =>
    [100, 500, 2000]
      .filter(n => n >= 381 || p < 0.99)
      .map(n => {
        const found = quantileCoverage(`${name} ${n}`, n, p, 1000 * Math.exp(z), asked.reps, effort.seed)
        return [name, String(n), percent(found.quantile, 1), percent(found.difference, 1)]
      }),
  )
  return {
    text: `## Percentiles

Log-normal latency, percentiles read from bins of 1 %. ${asked.reps} repetitions.

${table(['percentile', 'runs', 'of one side', 'difference'], rows)}`,
  }
}

function decisionSection(effort: Effort): Section {
  const rules = ['point', 'kayenta', 'estimate', 'interval'] as const
  const lines: Line[] = []
  const rows = Object.entries(SHAPES).flatMap(([name, shape]) =>
    [50, 200, 500, 5000].map(n => {
      const asked = share(effort, n === 5000 ? 10 : 2.5)
      const found = CHANGES.map(change => oneLook(shape, name, n, change, rules, asked))
      const polledLooks =
        n === 50
          ? undefined
          : CHANGES.map(
              change => polled(shape, name, n, change, ['sequential'], share(effort, 10)).sequential,
            )
      if (name === 'log-normal' && n === 500) lines.push(...ruleLines(found))
      return [
        `${name}, ${n}`,
        percents(found.map(({ point }) => point.pass)),
        percents(found.map(({ kayenta }) => kayenta.pass)),
        percents(found.map(({ estimate }) => estimate.pass)),
        percents(found.map(({ interval }) => interval.pass)),
        percents(found.map(({ interval }) => interval.fail)),
        polledLooks && percents(polledLooks.map(({ pass }) => pass)),
        polledLooks && percents(polledLooks.map(({ fail }) => fail)),
      ]
    }),
  )
  return {
    text: `## Decisions: a limit of +10 %

In percent of releases whose mean truly changed by 0 / 5 / 10 / 20 / 50 %. What neither passes nor fails is inconclusive:
with \`on_inconclusive: block\` an unchanged release is stopped in 100 less "passes" cases, with \`pass\` one at +20 % is
promoted in 100 less "fails". *Point* is a limit on the candidate's mean, set at exactly 1.1 times the true mean of the
baseline. *Kayenta* is its judge on runs: Mann-Whitney at 98 %, tolerance 0.25, \`allowedIncrease\` 1.1. *Estimate* decides
by the measured change alone. *Sequential* is asked up to 100 times and ends at its first verdict. Repetitions:
${share(effort, 2.5).reps}, ${share(effort, 10).reps} for 5,000 runs and for sequential.

${table(
  [
    'traffic, runs per side',
    'point promotes',
    'Kayenta promotes',
    'estimate promotes',
    'interval passes',
    'interval fails',
    'sequential passes',
    'sequential fails',
  ],
  rows,
)}

![Share of releases that pass a limit of +10 % by what they truly changed](images/decision-rules.svg)`,
    plots: {
      'decision-rules.svg': plot(
        'Log-normal, 500 runs per side, limit +10 %: releases that pass, in percent',
        'true change of the mean',
        lines,
        { most: 1, step: 0.2, mark: 0.05, ticks: CHANGES.map(x => [x, `+${100 * x} %`]) },
      ),
    },
  }
}

function ruleLines(found: readonly Record<'point' | 'kayenta' | 'estimate' | 'interval', Shares>[]): Line[] {
  const line = (name: string, promoted: (decisions: (typeof found)[number]) => number): Line => ({
    name,
    points: found.map((decisions, index) => ({ x: CHANGES[index]!, share: promoted(decisions) })),
  })
  return [
    line('point limit', ({ point }) => point.pass),
    line('Kayenta', ({ kayenta }) => kayenta.pass),
    line('estimate', ({ estimate }) => estimate.pass),
    line('interval, block', ({ interval }) => interval.pass),
    line('interval, pass', ({ interval }) => 1 - interval.fail),
  ]
}

function movedSection(effort: Effort): Section {
  const asked = share(effort, 2.5)
  const rows = (['log-normal', 'sessions'] as const).map(name => {
    const [same, worse] = [0, 0.2].map(change =>
      oneLook(SHAPES[name]!, name, 500, change, ['point_dearer', 'point_cheaper'], asked),
    )
    return [
      name,
      percents([same!.point_dearer.fail, worse!.point_dearer.pass]),
      percents([same!.point_cheaper.fail, worse!.point_cheaper.pass]),
    ]
  })
  return {
    text: `## When the traffic has moved since the limit was set

The point limit again, 500 runs: unchanged releases that are blocked / releases at +20 % that are promoted, where both
sides cost 10 % more or less than when the limit was set. A relative limit decides as in the table above.

${table(['traffic', '10 % dearer', '10 % cheaper'], rows)}`,
  }
}

function pollingSection(effort: Effort): Section {
  const asked = share(effort, 5)
  const rows = (['log-normal', 'sessions'] as const).map(name => {
    const found = [0, 0.1, 0.2].map(change =>
      polled(SHAPES[name]!, name, 500, change, ['point', 'interval', 'sequential'], share(effort, 10)),
    )
    const [same, ten, twenty] = found as [(typeof found)[0], (typeof found)[0], (typeof found)[0]]
    return [
      name,
      percents([ten.point.pass, twenty.point.pass]),
      percents([ten.interval.pass, twenty.interval.pass, same.interval.fail]),
      percents([ten.sequential.pass, twenty.sequential.pass, same.sequential.fail]),
    ]
  })
  const n = 5000
  const sequential = { sequential: true, tuned_for_runs: 2 * n }
  const differences = [
    ...INDEPENDENT.flatMap(name => [
      { name, kind: 'fixed', cut: alone, options: {} },
      { name, kind: 'sequential', cut: alone, options: sequential },
    ]),
    { name: 'log-normal', kind: 'sequential, 24 blocks', cut: inTime, options: sequential },
    { name: 'sessions', kind: 'sequential, taken as independent', cut: alone, options: sequential },
    { name: 'sessions', kind: 'sequential, 24 blocks', cut: inTime, options: sequential },
    {
      name: 'sessions',
      kind: 'sequential, by session',
      cut: byLabel,
      options: { ...sequential, clusters: 'units' },
    },
    {
      name: 'log-normal',
      kind: 'sequential, the baseline complete from the start',
      cut: alone,
      options: { sequential: true },
      fixedBaseline: true,
    },
  ] as const
  const found = differences.map(({ name, kind, ...looked }) => ({
    name,
    kind,
    ...falseDifferences(SHAPES[name]!, `${name} ${kind}`, n, looked, asked),
  }))
  const line = (label: string, name: string, kind: string): Line => ({
    name: label,
    points: found
      .find(row => row.name === name && row.kind === kind)!
      .byLook.map((shareByLook, index) => ({ x: index + 1, share: shareByLook })),
  })
  return {
    text: `## Asking again and again

A gate that is asked up to 100 times while 500 runs of each side come in, limit +10 %: releases at +10 / +20 % that are
promoted, and unchanged ones that are failed. The point limit is asked until it passes.

${table(['traffic', 'point', 'fixed interval', 'sequential'], rows)}

Without a limit: unchanged sides of up to ${n} runs, looked at 100 times. Share that is told of some difference at least once,
and of a rise. ${asked.reps} repetitions; 5 % are allowed.

${table(
  ['traffic', 'interval', 'some difference', 'a rise'],
  found.map(({ name, kind, total, worse }) => [name, kind, percent(total, 1), percent(worse, 1)]),
)}

![Share of unchanged releases of which a difference was claimed by each look](images/asking-again.svg)`,
    plots: {
      'asking-again.svg': plot(
        'Unchanged releases of which a difference was claimed, in percent',
        'looks so far',
        [
          line('fixed', 'log-normal', 'fixed'),
          line('sequential', 'log-normal', 'sequential'),
          line('sessions, as if', 'sessions', 'sequential, taken as independent'),
          line('sessions, 24 blocks', 'sessions', 'sequential, 24 blocks'),
          line('by session', 'sessions', 'sequential, by session'),
        ],
        { most: 0.4, step: 0.1, mark: 0.05, ticks: [1, 25, 50, 75, 100].map(x => [x, String(x)]) },
      ),
    },
  }
}

function powerSection(effort: Effort): Section {
  const changes = CHANGES.slice(1, 4)
  const rows = [50, 200, 500, 5000].map(n => [
    String(n),
    ...(['normal', 'log-normal', 'sessions'] as const).map(name => {
      const asked = share(effort, n === 5000 ? 10 : 2.5)
      const fixed = changes.map(
        change => oneLook(SHAPES[name]!, name, n, change, ['worse'], asked).worse.fail,
      )
      const sequential = changes.map(
        change =>
          polled(SHAPES[name]!, name, n, change, ['sequential_worse'], share(effort, 10)).sequential_worse
            .fail,
      )
      return `${percents(fixed)} (${percents(sequential)})`
    }),
  ])
  const plans = [
    ...(
      [
        ['normal', 0.3],
        ['log-normal', Math.sqrt(Math.E - 1)],
        ['zeros', Math.sqrt(Math.exp(0.49) / 0.7 - 1)],
      ] as const
    ).flatMap(([name, variation]) =>
      [0.1, 0.2].map(limit => ({
        what: `${name}, +${100 * limit} %`,
        ...meanPower(SHAPES[name]!, name, variation, limit, share(effort, 2.5)),
      })),
    ),
    ...[0.005, 0.01, 0.05, 0.2].map(rate => ({
      what: `errors ${100 * rate} %, +0.02`,
      ...ratePower(rate, 0.02, share(effort, 2.5)),
    })),
  ]
  return {
    text: `## What is seen, and with how many runs

Share in which the verdict without a limit is \`worse\` at +5 / +10 / +20 %; in brackets with sequential intervals and 100
looks.

${table(['runs per side', 'normal', 'log-normal', 'sessions'], rows)}

Runs per side that \`runs_needed\` names, and the share of unchanged releases that pass with them; 80 % are promised to
independent runs. In 24 blocks of time the larger of two variances counts, which costs a few of them.

${table(
  ['traffic, limit', 'runs', 'independent', '24 blocks'],
  plans.map(({ what, runs, alone: known, inTime: blocks }) => [
    what,
    String(runs),
    percent(known),
    percent(blocks),
  ]),
)}`,
  }
}

function watchSection(effort: Effort): Section {
  const asked = share(effort, 10)
  const cell = ({ alarms, median_runs }: { alarms: number; median_runs: number | null }): string =>
    `${percent(alarms, 1)}${median_runs === null ? '' : ` (${median_runs})`}`
  const means = [
    ...(['normal', 'log-normal', 'zeros', 'tail'] as const).map(name => [name, 'ignored'] as const),
    ...(['ignored', 'blocks', 'sessions'] as const).map(dependence => ['sessions', dependence] as const),
  ].map(([name, dependence]: readonly [string, Dependence]) => [
    name === 'sessions' ? `sessions, design effect ${WHENCE[dependence]}` : name,
    ...[0, 0.1, 0.2, 0.5, 1].map(change => cell(meanWatches(SHAPES[name]!, name, change, dependence, asked))),
  ])
  const rates = [0.01, 0.03, 0.06, 0.11, 0.5].map(rate => cell(rateWatches(0.01, rate, asked)))
  return {
    text: `## Watches

A baseline of 1,000 runs, a candidate that grows to 5,000 and is looked at 215 times; limits +10 % and +2 points, each
metric with a third of 5 %. Watches that raise an alarm, in percent, and in brackets the candidate's runs by then (median
of those). At 0 and +10 % every alarm is false; 1.7 % are allowed. ${asked.reps} repetitions.

${table(['mean', 'unchanged', '+10 %', '+20 %', '+50 %', '+100 %'], means)}

${table(['errors', 'stay 1 %', '3 %', '6 %', '11 %', '50 %'], [['from 1 % to', ...rates]])}`,
  }
}

const WHENCE = { ignored: 'ignored', blocks: 'by 24 blocks', sessions: 'by session' } as const

/** The parts of the report, in its order. */
export const SECTIONS: Readonly<Record<string, (effort: Effort) => Section>> = {
  coverage: coverageSection,
  clusters: clusterSection,
  percentiles: quantileSection,
  decisions: decisionSection,
  moved: movedSection,
  polling: pollingSection,
  power: powerSection,
  watch: watchSection,
}
