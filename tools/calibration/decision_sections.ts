import { alone, inTime } from './coverage.ts'
import {
  type Sampling,
  type FalseDifferences,
  type Shares,
  falseDifferences,
  oneCheck,
  polled,
} from './decisions.ts'
import { CHANGES, type Effort, INDEPENDENT, SHAPES, type Section, share } from './effort.ts'
import { percent, percents, table } from './markdown.ts'
import { type Line, plot } from './plot.ts'
import { byLabel } from './traffic.ts'

export function decisionSection(effort: Effort): Section {
  const rules = ['point', 'kayenta', 'estimate', 'interval'] as const
  const lines: Line[] = []
  const rows = Object.entries(SHAPES).flatMap(([name, shape]) =>
    [50, 200, 500, 5000].map(n => {
      const sampling = share(effort, n === 5000 ? 10 : 2.5)
      const found = CHANGES.map(change => oneCheck(shape, name, n, change, rules, sampling))
      const polledChecks =
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
        polledChecks && percents(polledChecks.map(({ pass }) => pass)),
        polledChecks && percents(polledChecks.map(({ fail }) => fail)),
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

![Share of releases that pass a limit of +10 % by what they truly changed](../images/decision-rules.svg)`,
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

export function movedSection(effort: Effort): Section {
  const sampling = share(effort, 2.5)
  const rows = (['log-normal', 'sessions'] as const).map(name => {
    const [same, worse] = [0, 0.2].map(change =>
      oneCheck(SHAPES[name]!, name, 500, change, ['point_dearer', 'point_cheaper'], sampling),
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

export function pollingSection(effort: Effort): Section {
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
  const [few, many] = [500, 5000].map(n => ({ n, found: unchangedChecks(n, share(effort, 5)) }))
  const line = (label: string, name: string, kind: string): Line => ({
    name: label,
    points: many!.found
      .find(row => row.name === name && row.kind === kind)!
      .byCheck.map((passed, index) => ({ x: index + 1, share: passed })),
  })
  return {
    bounds: [few!, many!].flatMap(({ n, found }) =>
      found
        .filter(({ kind }) => kind === 'sequential' || kind === 'sequential, by session')
        .map(({ name, kind, total }) => ({
          of: `${kind} looks at ${name}, up to ${n} runs: some difference`,
          share: total,
          atMost: 0.05,
        })),
    ),
    text: `## Asking again and again

A gate that is asked up to 100 times while 500 runs of each side come in, limit +10 %: releases at +10 / +20 % that are
promoted, and unchanged ones that are failed. The point limit is asked until it passes.

${table(['traffic', 'point', 'fixed interval', 'sequential'], rows)}

Without a limit: unchanged sides that grow to ${few!.n} or ${many!.n} runs each, looked at 100 times, from 50 runs on. Share
that is told of some difference at least once, and in brackets of a rise. ${share(effort, 5).reps} repetitions; 5 % are allowed.

${table(
  ['traffic', 'interval', `up to ${few!.n} runs`, `up to ${many!.n}`],
  few!.found.map(({ name, kind }, index) => [
    name,
    kind,
    ...[few!, many!].map(({ found }) => {
      const { total, worse } = found[index]!
      return `${percent(total, 1)} (${percent(worse, 1)})`
    }),
  ]),
)}

![Share of unchanged releases of which a difference was claimed by each look](../images/asking-again.svg)`,
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

/** Looks at two unchanged sides that grow to `n` runs each. */
function unchangedChecks(
  n: number,
  sampling: Sampling,
): (FalseDifferences & { name: string; kind: string })[] {
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
  return differences.map(({ name, kind, ...checked }) => ({
    name,
    kind,
    ...falseDifferences(SHAPES[name]!, `${name} ${kind}`, n, checked, sampling),
  }))
}
