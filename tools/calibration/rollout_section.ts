import { type Bound, type Effort, type Section, share } from './effort.ts'
import { percent, table } from './markdown.ts'
import { plot } from './plot.ts'
import { ROLLOUT_WORLDS, UNITS, type Units, type World, rolledOut } from './rollouts.ts'

/** By how much slower a release is, for the curve of what it harms. */
const SLOWER = [0, 0.1, 0.2, 0.3, 0.5, 1, 2, 4]

/** Worlds that are twice as much worse as the limits allow. */
const TWICE_THE_LIMIT = new Set(['+20 % latency', '+4 points errors'])

/** Rollouts by the default steps. */
export function rolloutSection(effort: Effort): Section {
  const [all, drawn] = [share(effort, 5), share(effort, 25)]
  const bounds: Bound[] = []
  const rows = UNITS.flatMap(units =>
    worldsOf(units).map(world => {
      const { completed, aborted, paused, harmed } = rolledOut(world, units, all)
      const of = `rollout by ${units.name}, ${world.name}`
      if (world.name === 'unchanged') {
        bounds.push({ of: `${of}: aborted`, share: aborted, atMost: 0.01 })
        bounds.push({ of: `${of}: paused`, share: paused, atMost: 0.015 })
      }
      if (TWICE_THE_LIMIT.has(world.name))
        bounds.push({ of: `${of}: completed`, share: completed, atMost: 0.01 })
      return [units.name, world.name, percent(completed, 1), percent(aborted, 1), percent(harmed, 1)]
    }),
  )
  const curves = UNITS.slice(0, 3).map(units => ({
    name: units.name,
    points: SLOWER.map((latency, x) => {
      const { harmed } = rolledOut({ name: `slower by ${latency}`, latency, errors: 0 }, units, drawn)
      return { x, share: harmed }
    }),
  }))
  const shown = [...SLOWER.keys()].slice(1)
  return {
    bounds,
    plots: {
      'rollout-harm.svg': plot(
        'Traffic of the rollout that ran the candidate before it ended, %',
        'the candidate is slower by, %',
        curves,
        {
          most: 0.3,
          step: 0.05,
          mark: curves[0]!.points[0]!.share,
          ticks: SLOWER.map((latency, x) => [x, percent(latency)]),
        },
      ),
    },
    text: `## Rollouts

Made by \`npm run calibrate -- rollouts\`: the shipped rules look at ${all.reps} simulated rollouts a line, by the default steps, at 20,000 runs a
day and levels that move by ±12 %. Limits are +10 % latency and +2 points errors, of which there are 3 %. The largest user runs 45 times
as often as the smallest, the largest tenant 14 times, in the last rows 200 times. In percent; the others were blocked at their end,
paused or expired.

${table(['by', 'the candidate', 'completed', 'aborted', 'ran the candidate'], rows)}

The more harm, the earlier the abort (${drawn.reps} rollouts to a point; the dashed line is an unchanged release by session):

![Share of the traffic that ran the candidate, by how much slower it is](../images/rollout-harm.svg)

${table(
  ['slower by', ...shown.map(index => `${percent(SLOWER[index]!)} %`)],
  curves.map(({ name, points }) => [name, ...shown.map(index => percent(points[index]!.share, 1))]),
)}`,
  }
}

/** Of sessions none is the largest. Of tenants of which one has much of the traffic few rollouts end at all. */
function worldsOf({ count, zipf }: Units): readonly World[] {
  if (zipf === 1) return ROLLOUT_WORLDS.filter(({ name }) => name === 'unchanged' || name === '+20 % latency')
  return ROLLOUT_WORLDS.filter(({ largest }) => largest === undefined || Number.isFinite(count))
}
