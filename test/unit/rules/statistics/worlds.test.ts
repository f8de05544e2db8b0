import { describe, expect, test } from 'vitest'
import { type Bound, isKept } from '../../../../tools/calibration/effort.ts'
import { boundsOf } from '../../../../tools/calibration/world/bounds.ts'
import { POWER } from '../../../../tools/calibration/world/power.ts'
import { seenIn } from '../../../../tools/calibration/world/seen.ts'
import { tieSection, watchWorldSection } from '../../../../tools/calibration/world/sections.ts'
import { WORLDS } from '../../../../tools/calibration/world/worlds.ts'
import { scaled } from '../../../support/scale.ts'

// The long form is of 1,000 each, as `npm run calibrate` has it; what is measured is in docs/project/decisions-quality.md.
const effort = { reps: scaled(4, 1000), seed: 20_250_101 }

test.each(WORLDS.map(world => [world.name, world] as const))('%s', async (_name, world) => {
  for (const change of world.changes ?? [0, 0.2]) {
    for (const bound of boundsOf(world, change, await seenIn(world, change, effort))) expectBound(bound)
  }
})

test('every world has least power, or says why not', () => {
  const without = WORLDS.filter(
    ({ name, least, because }) => POWER[name] === undefined && least === undefined && because === undefined,
  )
  expect(without.map(({ name }) => name)).toEqual([])
  const names = WORLDS.map(({ name }) => name)
  expect(Object.keys(POWER).filter(name => !names.includes(name))).toEqual([])
})

describe.each([
  ['watches', watchWorldSection],
  ['scores that tie', tieSection],
] as const)('%s', (_name, section) => {
  test('keep what is claimed', () => {
    const { bounds } = section({ ...effort, reps: 10 * effort.reps })
    for (const bound of bounds!) expectBound(bound)
  })
})

/** The long form takes bounds as they are; of few draws a share is seen within six standard errors. */
function expectBound(bound: Bound): void {
  if (scaled(false, true)) {
    expect(isKept(bound), `${bound.of}: ${bound.share}`).toBe(true)
    return
  }
  const { of, share, atLeast = 0, atMost = 1 } = bound
  const off = (claimed: number): number => 6 * Math.sqrt((claimed * (1 - claimed)) / effort.reps)
  expect(share, of).toBeGreaterThanOrEqual(atLeast - off(atLeast))
  expect(share, of).toBeLessThanOrEqual(atMost + off(atMost))
}
