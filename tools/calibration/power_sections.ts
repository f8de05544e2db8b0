import { oneCheck, polled } from './decisions.ts'
import { CHANGES, type Effort, SHAPES, type Section, share } from './effort.ts'
import { percent, percents, table } from './markdown.ts'
import { meanPower, ratePower } from './power.ts'
import { type Dependence, meanWatches, rateWatches } from './watches.ts'

export function powerSection(effort: Effort): Section {
  const changes = CHANGES.slice(1, 4)
  const rows = [50, 200, 500, 5000].map(n => [
    String(n),
    ...(['normal', 'log-normal', 'sessions'] as const).map(name => {
      const sampling = share(effort, n === 5000 ? 10 : 2.5)
      const fixed = changes.map(
        change => oneCheck(SHAPES[name]!, name, n, change, ['worse'], sampling).worse.fail,
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

export function watchSection(effort: Effort): Section {
  const sampling = share(effort, 10)
  const cell = ({ alarms, median_runs }: { alarms: number; median_runs: number | null }): string =>
    `${percent(alarms, 1)}${median_runs === null ? '' : ` (${median_runs})`}`
  const means = [
    ...(['normal', 'log-normal', 'zeros', 'tail'] as const).map(name => [name, 'ignored'] as const),
    ...(['ignored', 'blocks', 'sessions'] as const).map(dependence => ['sessions', dependence] as const),
  ].map(([name, dependence]: readonly [string, Dependence]) => [
    name === 'sessions' ? `sessions, design effect ${WHENCE[dependence]}` : name,
    ...[0, 0.1, 0.2, 0.5, 1].map(change =>
      cell(meanWatches(SHAPES[name]!, name, change, dependence, sampling)),
    ),
  ])
  const rates = [0.01, 0.03, 0.06, 0.11, 0.5].map(rate => cell(rateWatches(0.01, rate, sampling)))
  return {
    text: `## Watches

A baseline of 1,000 runs, a candidate that grows to 5,000 and is looked at 215 times; limits +10 % and +2 points, each
metric with a third of 5 %. Watches that raise an alarm, in percent, and in brackets the candidate's runs by then (median
of those). At 0 and +10 % every alarm is false; 1.7 % are allowed. ${sampling.reps} repetitions.

${table(['mean', 'unchanged', '+10 %', '+20 %', '+50 %', '+100 %'], means)}

${table(['errors', 'stay 1 %', '3 %', '6 %', '11 %', '50 %'], [['from 1 % to', ...rates]])}`,
  }
}

const WHENCE = { ignored: 'ignored', blocks: 'by 24 blocks', sessions: 'by session' } as const
