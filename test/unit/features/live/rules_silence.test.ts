import { expect, test } from 'vitest'
import { seededRandom } from '../../../../src/base/numbers.ts'
import { DAY_MS, HOUR_MS } from '../../../../src/base/time.ts'
import { silenceOf, silenceText } from '../../../../src/features/live/rules_silence.ts'

/** A Thursday, 14:20. */
const NOW = Date.UTC(2026, 0, 29, 14, 20)

/** Runs by hour since the epoch of 15 days before `NOW`, as `at` says of the hour of the day and the weekday, Sunday 0. */
function traffic(at: (hour: number, weekday: number) => number): Map<number, number> {
  const last = Math.floor(NOW / HOUR_MS)
  return new Map(
    Array.from({ length: 15 * 24 }, (_, index) => {
      const hour = last - index
      const date = new Date(hour * HOUR_MS)
      return [hour, at(date.getUTCHours(), date.getUTCDay())]
    }),
  )
}

/** The silence of a release that has been live for long and whose last run came so many hours ago. */
const after = (hours: number, past: ReadonlyMap<number, number>, liveSince = 0, now = NOW) =>
  silenceOf(back => (back > hours ? 1 : 0), past, { now, liveSince })

test('an hour without a run is a silence where 60 come', () => {
  const past = traffic(() => 60)
  expect(after(0.9, past)).toBeUndefined()
  const found = after(1, past)!
  expect(found).toEqual({ hours: 1, days: 10, usual_runs: 60 })
  expect(silenceText(found)).toBe(
    'no run came in the last hour; these hours of 10 earlier days had 60 on average',
  )
})

test.each([
  ['a release that is live for less long', traffic(() => 60), NOW - HOUR_MS + 1],
  ['a place without earlier runs', new Map(), 0],
  [
    'a place with two earlier days',
    new Map([...traffic(() => 60)].filter(([hour]) => NOW / HOUR_MS - hour < 49)),
    0,
  ],
  ['three runs an hour', traffic(() => 3), 0],
  ['hours in which nobody works', traffic(hour => (hour >= 8 && hour < 12 ? 60 : 0)), 0],
  ['a batch in one hour of the day', traffic(hour => (hour === 14 ? 500 : 0)), 0],
] as const)('an hour without a run is none for %s', (_, past, liveSince) => {
  expect(after(1, past, liveSince)).toBeUndefined()
})

test('weekends say nothing of weekdays, nor weekdays of weekends', () => {
  const past = traffic((_, weekday) => (weekday % 6 === 0 ? 0 : 60))
  expect(after(1, past)).toMatchObject({ hours: 1 })
  expect(after(1, past, 0, NOW + 2 * DAY_MS)).toBeUndefined()
})

test('a day of an outage hides no other one', () => {
  const outage = Math.floor(NOW / DAY_MS) - 2
  const past = new Map([...traffic(() => 60)].filter(([hour]) => Math.floor(hour / 24) !== outage))
  expect(after(1, past)).toMatchObject({ hours: 1, days: 9 })
})

test('days before the first run count as none', () => {
  const past = new Map([...traffic(() => 60)].filter(([hour]) => NOW / HOUR_MS - hour < 6 * 24))
  expect(after(1, past)).toMatchObject({ hours: 1, days: 3 })
})

test('few runs an hour are a silence later', () => {
  expect(
    after(
      6,
      traffic(() => 5),
    ),
  ).toEqual({ hours: 6, days: expect.any(Number), usual_runs: 25 })
  expect(
    after(
      24,
      traffic(() => 1),
    ),
  ).toMatchObject({ hours: 24, usual_runs: 23 })
})

test('ordinary traffic of a month, day and night, is no silence', () => {
  const random = seededRandom(3)
  for (const peak of [2, 10, 60]) {
    const runs = new Map<number, number>()
    const first = Math.floor(NOW / HOUR_MS)
    for (let hour = first; hour < first + 44 * 24; hour++) {
      const date = new Date(hour * HOUR_MS)
      const isWeekend = date.getUTCDay() % 6 === 0
      const mean = peak * (0.1 + Math.sin((Math.PI * date.getUTCHours()) / 24)) * (isWeekend ? 0.3 : 1)
      runs.set(hour, poisson(random, mean))
    }
    let found = 0
    for (let hour = first + 14 * 24; hour < first + 44 * 24; hour++) {
      const now = (hour + 1) * HOUR_MS
      const runsIn = (hours: number): number =>
        Array.from({ length: hours }, (_, index) => runs.get(hour - index)!).reduce((a, b) => a + b, 0)
      if (silenceOf(runsIn, runs, { now, liveSince: 0 }) !== undefined) found += 1
    }
    expect(found).toBe(0)
  }
})

function poisson(random: () => number, mean: number): number {
  const left = Math.exp(-mean)
  let count = 0
  for (let product = random(); product > left; product *= random()) count += 1
  return count
}
