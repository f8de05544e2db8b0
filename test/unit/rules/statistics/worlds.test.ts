import { describe, expect, test } from 'vitest'
import { USUAL, WORLDS, comparedIn, watchedIn } from '../../../../tools/calibration/worlds.ts'
import { STRATA_WORLDS, comparedByStrata } from '../../../../tools/calibration/strata_worlds.ts'
import { scaled } from '../../../support/scale.ts'

// The long form is of 1,000 each; what is measured is in docs/decisions-quality.md.
const asked = { reps: scaled(50, 1000), seed: 23 }

describe.each(WORLDS.map(world => [world.name, world] as const))('compared by time, %s', (name, world) => {
  test('an unchanged release never fails, one that is 20 % worse never passes, and intervals hold the truth', () => {
    const [same, worse] = [0, 0.2].map(change => comparedIn(world, change, 'time', asked))
    expect(same!.fails).toBeLessThanOrEqual(0.01)
    expect(worse!.passes).toBeLessThanOrEqual(0.01)
    if (name === 'yesterday, then today') {
      expect([same!.comparable, worse!.comparable]).toEqual([0, 0])
      return
    }
    for (const { comparable, covers } of [same!, worse!]) {
      expect(comparable).toBe(1)
      // Of 50 cases the share of 95 % is seen within 6.2 points.
      expect(covers).toBeGreaterThanOrEqual(scaled(0.88, 0.93))
    }
  })
})

test('over the window two identical releases differ by when they ran', () => {
  const world = WORLDS.find(({ name }) => name === 'last 6 h of 7 d')!
  expect(comparedIn(world, 0, 'window', asked).covers).toBeLessThan(0.5)
})

test('a watch of an unchanged release under daily load hardly ever alarms, and finds one that is worse', () => {
  const calm = { daily: 0.12, day_sd: 0.02, hour_sd: 0.02 }
  const rare = { change: 0, limit: 0, name: 'unchanged' }
  expect(watchedIn(USUAL, rare, asked).within120).toBeLessThanOrEqual(scaled(0.05, 0.025))
  expect(watchedIn(calm, { change: 0.2, limit: 0, name: 'worse' }, asked).within30).toBeGreaterThanOrEqual(
    0.9,
  )
})

const few = { reps: scaled(10, 1000), seed: 29 }

test.each(STRATA_WORLDS.map(world => [world.name, world] as const))(
  'by what differs, %s: an unchanged release passes, one that is 20 percent worse fails, and intervals hold the truth',
  (name, world) => {
    const [same, worse] = [0, 0.2].map(change => comparedByStrata(world, change, world.by, few))
    if (name === 'canary by tenant') {
      expect([same!.comparable, worse!.comparable]).toEqual([0, 0])
      return
    }
    expect(same!.fails).toBeLessThanOrEqual(scaled(0, 0.01))
    expect(worse!.passes).toBeLessThanOrEqual(scaled(0, 0.01))
    for (const { covers } of [same!, worse!]) expect(covers).toBeGreaterThanOrEqual(scaled(0.7, 0.93))
  },
)
