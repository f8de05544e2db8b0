import { type Effort, type Section, share } from './effort.ts'
import { percent, percents, table } from './markdown.ts'
import { ROLLOUT_WORLDS, UNITS, rolledOut } from './rollouts.ts'

/** Rollouts by the default steps. */
export function rolloutSection(effort: Effort): Section {
  const asked = share(effort, 5)
  const rows = UNITS.flatMap(units =>
    ROLLOUT_WORLDS.map(world => {
      const { completed, aborted, aborted_by, harmed } = rolledOut(world, units, asked)
      return [
        units.name,
        world.name,
        percent(completed, 1),
        percent(aborted, 1),
        percents(aborted_by),
        aborted === 0 ? undefined : percent(harmed, 1),
      ]
    }),
  )
  return {
    text: `## Rollouts

By the default steps (0 % for a day, 1 and 5 % for an hour, 25 % for six, 50 % for a day), 20,000 runs a day that are half again as
many by day as on average, levels that move by ±12 % over the day, limits of +10 % latency and +2 points errors of 3 %, a look
every hour. Single runs vary by 0.8 of their mean; sessions have four runs; of users and tenants the largest runs 45 and 14
times as often as the smallest. In percent of ${asked.reps} rollouts; of what an aborted rollout let harm: the share of the traffic of
the whole rollout that ran the candidate until then. A release exactly at its limit is not proven within it.

${table(['by', 'the candidate', 'completed', 'aborted', 'by the end of 1 / 5 / 25 / 50 %', 'harmed'], rows)}`,
  }
}
