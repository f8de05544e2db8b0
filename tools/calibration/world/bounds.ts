import type { Bound } from '../effort.ts'
import { METRICS, type Metric, type Seen, type World } from './seen.ts'
import { POWER } from './power.ts'

/** What is claimed of each world unless it says less. */
const COVERS = 0.93
const FALSE = 0.05
/** Of fewer comparisons that claim anything the share that holds the truth says nothing. */
const LEAST_COMPARABLE = 0.05

/** What two releases that differ by so much have to come to in a world. */
export function boundsOf(world: World, mean: number, seen: Seen): Bound[] {
  const { name, claims, covers = COVERS, worse = FALSE, least = [], most = [] } = world
  const label = mean === 0 ? name : `${name}, +${Math.round(100 * mean)} %`
  const bound = (what: string, share: number, kept: Pick<Bound, 'atLeast' | 'atMost'>): Bound => ({
    of: `${label}: ${what}`,
    share,
    ...kept,
  })
  const isClaimed = mean === 0 ? claims !== 'nothing' : mean === 0.2 && claims === undefined
  const claimed = isClaimed
    ? METRICS.flatMap(metric => {
        const own = seen.of[metric]
        return [
          ...(own.comparable < LEAST_COMPARABLE
            ? []
            : [bound(`${metric} holds the truth`, own.covers, { atLeast: covers })]),
          mean === 0
            ? bound(`${metric} is worse`, own.worse, { atMost: worse })
            : bound(`${metric} passes`, own.passes, { atMost: isHarmed(world, metric) ? FALSE : 1 }),
        ]
      })
    : []
  const isSteady = world.traffic.burst === undefined && world.traffic.outage === undefined
  const spots =
    mean === 0 && isClaimed
      ? [
          bound('names a segment', seen.spots, { atMost: FALSE }),
          ...(isSteady ? [bound('names a part of the time', seen.parts, { atMost: FALSE })] : []),
        ]
      : []
  const shareOf = (counted: string, metric?: Metric): number =>
    metric === undefined
      ? seen[counted as keyof Omit<Seen, 'of'>]
      : seen.of[metric][counted as keyof Seen['of'][Metric]]
  const own = [
    ...least.map(each => ({ each, kind: 'atLeast' as const })),
    ...most.map(each => ({ each, kind: 'atMost' as const })),
  ].flatMap(({ each: [change, counted, share, metric], kind }) =>
    change === mean
      ? [bound(`${metric ?? 'all'} ${counted}`, shareOf(counted, metric), { [kind]: share })]
      : [],
  )
  const power = (POWER[name]?.[String(mean)] ?? []).flatMap((share, index) => {
    const metric = METRICS[index]!
    const counted = mean === 0 ? 'passes' : 'fails'
    return share <= 0 ? [] : [bound(`${metric} ${counted}`, seen.of[metric][counted], { atLeast: share })]
  })
  return [...claimed, ...spots, ...own, ...power]
}

/** Whether a metric of a changed release is beyond its limit. */
function isHarmed({ errors_rise = 0.25 }: World, metric: Metric): boolean {
  return metric !== 'errors' || errors_rise > 0
}
