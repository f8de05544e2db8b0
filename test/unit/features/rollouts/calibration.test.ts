import { expect, test } from 'vitest'
import { ROLLOUT_WORLDS, UNITS, rolledOut } from '../../../../tools/calibration/rollouts.ts'

// The short form of `npm run calibrate -- rollouts`, whose figures are in docs/rollouts.md.
const options = { reps: 25, seed: 17 }

function bySession(name: string) {
  return rolledOut(
    ROLLOUT_WORLDS.find(world => world.name === name)!,
    UNITS[0]!,
    options,
  )
}

test('an unchanged release completes, and none is aborted', () => {
  const { completed, aborted, paused } = bySession('unchanged')
  expect({ aborted, paused }).toEqual({ aborted: 0, paused: 0 })
  expect(completed).toBeGreaterThan(0.85)
})

test('one exactly at its limit is neither aborted nor, but for a few, completed', () => {
  const { completed, aborted } = bySession('+10 % latency, the limit')
  expect(aborted).toBe(0)
  expect(completed).toBeLessThan(0.15)
})

test.each(['+20 % latency', '+4 points errors'])(
  '%s, twice the limit, never completes, and harms few',
  name => {
    const { completed, aborted, harmed } = bySession(name)
    expect(completed).toBe(0)
    expect(aborted).toBeGreaterThan(0.9)
    expect(harmed).toBeLessThan(0.12)
  },
)
