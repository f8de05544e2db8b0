import { expect, test } from 'vitest'
import { type Assigning, assignedRuns } from '../../../../src/features/rollouts/counting.ts'
import {
  LATENCY,
  type ValueAggregate,
  tailChanges,
} from '../../../../src/features/rollouts/rules_readings.ts'
import { decideRise } from '../../../../src/rules/statistics/decide.ts'
import type { StoredEvent } from '../../../../src/models/documents/stored_event.ts'
import { type Random, randomOf } from '../../../../tools/calibration/traffic.ts'
import { eventOf } from '../../../support/services/builders.ts'
import { NOON } from '../../../support/services/service.ts'

const HOUR_MS = 3_600_000
const ROLLOUT: Assigning = {
  seq: 1,
  rollout_id: 'rol_1',
  agent_id: 'bot',
  environment: 'local',
  by: 'session',
  releases: ['old', 'new'],
  values: new Set([LATENCY]),
  steps: [{ index: 0, share: 0.5, isBefore: false, from: NOON, to: NOON + HOUR_MS, after_event: 0 }],
}

interface Side {
  /** Share of the runs that fail, after a millisecond. */
  readonly failing: number
  /** Of the runs that succeed. */
  readonly latency: number
}

/** What a rollout decides of p95 by 2,000 sessions of a run each, with a limit of +25 %. */
async function decided(sides: readonly [Side, Side], { uniform, normal }: Random) {
  const events = Array.from({ length: 2000 }, (_, index) => {
    const [failing, latency] = [uniform(), Math.exp(0.4 * normal())]
    return { session: `s${index}`, failing, latency }
  })
  const eventAs = (side: 0 | 1, each: (typeof events)[number]): StoredEvent => {
    const isFailed = each.failing < sides[side].failing
    const event = eventOf({
      release_id: ROLLOUT.releases[side],
      run_id: each.session,
      at: NOON + HOUR_MS / 2,
      latency: isFailed ? 1 : Math.round(sides[side].latency * each.latency),
      success: !isFailed,
    })
    const usage = { ...(event.usage as object), tools: [] }
    return { ...event, type: 'run_end', usage, request: { session_id: each.session } } as never
  }
  // Which side each session is of, then its run there.
  const assigned = await assignedRuns(
    events.map(each => eventAs(0, each)),
    [ROLLOUT],
    NOON + HOUR_MS,
  )
  const sideOf = new Map(assigned.map(({ row }) => [row[0], row[4] as 0 | 1]))
  const runs = await assignedRuns(
    events.map(each => eventAs(sideOf.get(each.session)!, each)),
    [ROLLOUT],
    NOON + HOUR_MS,
  )
  const aggregates = new Map<string, ValueAggregate>()
  for (const { row, values } of runs) {
    for (const [, name] of values) {
      const side = row[4] === 0 ? 'baseline' : 'candidate'
      const key = `${side} ${row[5]} ${name}`
      const before = aggregates.get(key)?.runs ?? 0
      aggregates.set(key, { side, bucket: row[5], name, runs: before + 1, sum: 0, sum_of_squares: 0 })
    }
  }
  const { p95 } = tailChanges([...aggregates.values()], {})
  return decideRise(p95.relative_change, p95.inconclusive_because, 0.25, 'block').outcome
}

const DRAWS = 10

test.each([
  [
    'a fix beside a release of which 60 % fail at once',
    { failing: 0.6, latency: 1000 },
    { failing: 0, latency: 1000 },
    'pass',
  ],
  [
    'one that is slower, and of which 60 % fail at once',
    { failing: 0, latency: 1000 },
    { failing: 0.6, latency: 1600 },
    'fail',
  ],
] as const)('%s: p95 of those that succeed is compared', async (_name, baseline, candidate, outcome) => {
  const random = randomOf(3, outcome)
  const outcomes: string[] = []
  for (let draw = 0; draw < DRAWS; draw++) outcomes.push(await decided([baseline, candidate], random))
  expect(outcomes.filter(each => each === outcome).length).toBeGreaterThanOrEqual(0.9 * DRAWS)
})
