import { type Bound, type Effort, type Section, share } from './effort.ts'
import { percent, percents, table } from './markdown.ts'
import type { StrataKind } from '../../src/features/strata/rules_strata.ts'
import { fourMetrics, unequalSides } from './unclaimed.ts'
import { STRATA_WORLDS, comparedByStrata } from './strata_worlds.ts'
import {
  USUAL,
  WORLDS,
  type Weather,
  comparedIn,
  driftingIn,
  errorsIn,
  watchedIn,
  withRuns,
} from './worlds.ts'

/** How often intervals hold the truth, and limits pass or fail. */
interface Compared {
  readonly comparable: number
  readonly covers: number
  readonly passes: number
  readonly fails: number
}

/** What a comparison claims in a world: of an unchanged release, and of one that is worse. */
function claimed(world: string, same: Compared, worse: Compared): Bound[] {
  return [
    ...[same, worse].map(({ covers, comparable }) => ({
      of: `${world}: holds the truth`,
      share: covers / comparable,
      atLeast: 0.93,
    })),
    { of: `${world}: an unchanged release fails`, share: same.fails, atMost: 0.01 },
    { of: `${world}: one that is worse passes`, share: worse.passes, atMost: 0.01 },
  ]
}

/** Two releases that ran at the same times, or not: by time, and all runs of the window. */
export function worldSection(effort: Effort): Section {
  const asked = share(effort, 10)
  const bounds: Bound[] = []
  const rows = WORLDS.map(world => {
    const cell = (by: 'time' | 'window', compared = comparedIn, changes = [0, 0.2]): string => {
      const [same, worse] = changes.map(change => compared(world, change, by, asked))
      if (by === 'time' && same!.comparable < 0.01) return '`not_comparable`'
      if (by === 'time') bounds.push(...claimed(world.name, same!, worse!))
      const shares = [same!, worse!].map(({ covers, passes, fails }) => percents([covers, passes, fails]))
      return shares.join('; ')
    }
    const fewer = [1000, 200].map(runs => {
      const { comparable, covers } = comparedIn(withRuns(world, runs), 0, 'time', asked)
      if (comparable < 0.01) return '–'
      const atLeast = runs === 200 ? 0.92 : 0.93
      bounds.push({ of: `${world.name}, ${runs} runs: holds the truth`, share: covers / comparable, atLeast })
      return percent(covers / comparable)
    })
    return [world.name, cell('window'), cell('time'), fewer.join(' / '), cell('time', errorsIn, [0, 0.05])]
  })
  return {
    bounds,
    text: `## Releases that ran at other times

Levels move by ±${percent(USUAL.daily)} % over the day, by ${percent(USUAL.day_sd)} % from day to day and by ${percent(USUAL.hour_sd)} % from hour to hour
(standard deviations), for both releases alike; single runs vary by 0.8 of their mean. The candidate has 5,000 runs. In percent
of ${asked.reps} comparisons: intervals that hold the truth / limits of +10 % passed / failed, of an unchanged release; and of one
that is 20 % worse. *Window* counts all runs of the window, as \`compare_by: window\` does. *Fewer*: intervals by time that hold the
truth where the candidate has 1,000 / 200 runs. *Errors*: by time, 5 % fail, a limit of +2 points; unchanged, and 5 points worse.

${table(['', 'window', 'time', 'fewer', 'errors'], rows)}`,
  }
}

/** Two releases that serve other tenants or tasks: by time, and by what differs. */
export function strataWorldSection(effort: Effort): Section {
  const asked = share(effort, 20)
  const bounds: Bound[] = []
  const rows = STRATA_WORLDS.map(world => {
    const cell = (by: 'time' | StrataKind): string => {
      const [same, worse] = [0, 0.2].map(change => comparedByStrata(world, change, by, asked))
      if (same!.comparable < 0.01) return '`not_comparable`'
      if (by !== 'time') bounds.push(...claimed(world.name, same!, worse!))
      const shares = [same!, worse!].map(({ covers, passes, fails }) => percents([covers, passes, fails]))
      return shares.join('; ')
    }
    return [world.name, cell('time'), world.by, cell(world.by)]
  })
  return {
    bounds,
    text: `## Releases that served other tenants or tasks

A day of the same traffic, 20,000 runs of the baseline and 5,000 of the candidate, by 30 tenants (each next one is smaller:
Zipf) and four tasks whose levels differ. In percent of ${asked.reps} comparisons, as above. Where tasks differ and the candidate
ran in six hours only, runs of the other hours don't count. A canary on tenants of its own can't be told from these tenants.

${table(['', 'by time', 'the other way', 'by that'], rows)}`,
  }
}

const WEATHERS: readonly (readonly [name: string, weather: Weather])[] = [
  ['±12 % over the day, 2 % by day and hour', { daily: 0.12, day_sd: 0.02, hour_sd: 0.02 }],
  ['±12 % over the day, 4 % by day, 5 % by hour', USUAL],
  ['flat, 5 % by hour', { daily: 0, day_sd: 0, hour_sd: 0.05 }],
]

/** Watches under traffic whose level moves. */
export function watchWorldSection(effort: Effort): Section {
  const asked = share(effort, 10)
  const bounds: Bound[] = []
  const rows = WEATHERS.map(([name, weather]) => {
    const still = watchedIn(weather, { name, change: 0, limit: 0 }, asked)
    const worse = watchedIn(weather, { name, change: 0.2, limit: 0 }, asked)
    const limited = watchedIn(weather, { name, change: 0.5, limit: 0.1 }, asked)
    bounds.push({ of: `watch, ${name}: false alarms`, share: still.within120, atMost: 0.025 })
    return [
      name,
      percent(still.within120, 1),
      percents([worse.within30, worse.within120]),
      percent(limited.within120),
    ]
  })
  return {
    bounds,
    text: `## Watches under traffic that moves

Watches of two hours against the same hours of seven earlier days, one metric, ten runs a minute that vary by 0.3
of their mean, a look every ten minutes. In
percent of ${asked.reps}: false alarms without a limit (1.7 are allowed per metric); a rise of 20 % without a limit found in 30
minutes / two hours; a rise of 50 % with a limit of +10 %.

${table(['', 'false alarms', '+20 %', '+50 %, limit +10 %'], rows)}`,
  }
}

/** What comparisons don't claim to hold. */
export function unclaimedSection(effort: Effort): Section {
  const asked = share(effort, 20)
  const drifting = [200, 1000, 5000].map(runs => [
    `levels that drift, ${runs} runs a side`,
    `holds the truth: ${percent(driftingIn(runs, asked).covers)}`,
  ])
  const four = [2981, 5000].map(runs => {
    const { one, all, worse } = fourMetrics(runs, asked)
    return [
      `four metrics, ${runs} runs a side`,
      `passes one limit: ${percent(one)}; all four: ${percent(all)}; some metric \`worse\`: ${percent(worse, 1)}`,
    ]
  })
  const unequal = [
    [5000, 50, 1.5],
    [5000, 50, 2],
    [50, 5000, 1.5],
    [50, 5000, 2],
    [200, 5000, 2],
  ] as const
  const skewed = unequal.map(([baseline, candidate, sigma]) => {
    const { covers, worse, fails } = unequalSides(baseline, candidate, sigma, asked)
    return [
      `log-normal with σ ${sigma}, ${baseline} against ${candidate} runs`,
      `holds the truth: ${percent(covers)}; \`worse\`: ${percent(worse, 1)}; fails +10 %: ${percent(fails, 1)}`,
    ]
  })
  return {
    text: `## What is not claimed

Unchanged releases, in percent of ${asked.reps} comparisons. Levels that drift: each side has a level of its own, a fifth of the
variance of its runs, of which a run keeps 0.98 to the next. Four metrics are three costs, log-normal with σ 1 and a limit of +10 %, and
errors of 5 % with a limit of +2 points, all independent of each other.

${table(['', 'of unchanged releases'], [...drifting, ...four, ...skewed])}`,
  }
}
